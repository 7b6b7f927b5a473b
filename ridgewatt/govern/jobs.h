// Computes ways to do a job, a periodic task or a day's work, and the energy of each, including
// idle time. A way is a sequence of modes and idle periods.
//
//   const JobWays ways = ways_of_job(modes, {.minibatches = 40000, .end_s = 6 * 3600});
//   ways.mix->energy_j;      // two modes in succession, then idle
//   ways.fixed->energy_j;    // the best single mode, then idle
//   ways.race->energy_j;     // the fastest mode, then idle or asleep, whichever is cheaper
//   ways.steady->energy_j;   // the slowest mode that meets the deadline
//
// Costs of modes come from a twin or a sweep. See docs/methods/govern.md.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ridgewatt::govern {

// Cost of a mode.
struct ModeCost {
  double time_s = 0;   // of a minibatch
  double power_w = 0;  // while a minibatch runs
  double idle_w = 0;   // while the board idles in this mode
};

// Suspending the board until a timer wakes it.
struct Sleep {
  double power_w = 0;
  double time_s = 0;    // sum of the times to enter and to leave
  double energy_j = 0;  // sum of the energies to enter and to leave
  // Throws UsageError for an invalid value.
  void check() const;
};

// How the board waits: idle in the mode of the work (kIdle), idle in the mode with the lowest idle
// power (kRest), or asleep (kSleep).
enum class Wait { kIdle, kRest, kSleep };

// A part of a way: work in a mode, or a wait.
struct JobPart {
  std::size_t mode = 0;
  std::optional<Wait> wait;  // absent: work
  double time_s = 0, minibatches = 0, energy_j = 0;
};
struct JobWay {
  std::vector<JobPart> parts;
  double end_s = 0;     // end of the work
  double energy_j = 0;  // until the deadline or, without one, until the end of the work
};

struct Job {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double minibatches = 0;
  double end_s = kNone;     // deadline; kNone: none
  double energy_j = kNone;  // energy limit, including the wait until the deadline
  double power_w = kNone;   // limit on the power of a mode
  // Throws UsageError for an invalid value, or without deadline and energy limit.
  void check() const;
};
// Ways of a job. The best way has the least energy if the job has a deadline, otherwise the least
// time. Ways that do not exist are absent.
struct JobWays {
  std::optional<JobWay> mix;    // best way with two modes, or with one if that is better
  std::optional<JobWay> fixed;  // best way with one mode
  std::optional<JobWay> race;   // fastest mode; may exceed the energy limit
  // Slowest mode that meets the deadline; may exceed the energy limit.
  std::optional<JobWay> steady;
  // Least energy of a way that meets the deadline, and least time in any mode. For messages if no
  // way meets the goal.
  double least_energy_j = Job::kNone, least_time_s = Job::kNone;
};
// Finds the ways to do a job. Throws UsageError without modes, or if a time or power is not
// positive and finite.
JobWays ways_of_job(std::span<const ModeCost> modes, const Job& job,
                    const std::optional<Sleep>& sleep = {});

// A task of one minibatch per period. Wait::kRest needs two changes of the mode per period. During
// each, the board idles in the mode of the work for `change_s`.
struct Period {
  double period_s = 0;
  // Limit on the power of a mode.
  double power_w = Job::kNone;
  double change_s = 0.014;  // 1, 5 and 8 ms for the clocks of CPU, GPU and memory in succession
  // Throws UsageError for an invalid value.
  void check() const;
};
struct PeriodWay {
  std::size_t mode = 0;
  Wait wait = Wait::kIdle;
  // Time of the minibatch.
  double work_s = 0;
  double energy_j = 0;  // of one period
};
// Ways of a periodic task. Ways that do not exist are absent.
struct PeriodWays {
  std::optional<PeriodWay> best;    // least energy
  std::optional<PeriodWay> race;    // fastest mode with the cheapest wait
  std::optional<PeriodWay> steady;  // slowest mode that is fast enough, with the cheapest wait
  std::optional<PeriodWay> idle, rest, asleep;  // the best way with each kind of wait
  double least_time_s = Job::kNone;             // of a minibatch in any mode
};
// Finds the ways to do a periodic task.
PeriodWays ways_of_period(std::span<const ModeCost> modes, const Period& period,
                          const std::optional<Sleep>& sleep = {});

// The energy sources of a day.
struct Supply {
  // Energy budget of the day. With solar power, capacity of a battery that is full at the start.
  double energy_j = 0;
  // Solar power; each value applies to an equal part of the day. Empty: none.
  std::vector<double> solar_w = {};
  double length_s = 24 * 3600;
  // Throws UsageError for an invalid value.
  void check() const;
};
// Returns the largest constant power that can be supplied all day, on every day. With solar power,
// the battery must never be empty and must be as full at the end of the second day as at its start.
double held_power_w(const Supply& supply);
// Parses a CSV file with the columns `hour` and `power_w` into solar powers for equal parts of a
// day. Hours ascend from 0; each power applies until the next hour. Throws InputError for an
// invalid file. `source`: name of the file for messages.
std::vector<double> parse_solar(const std::string& text, const std::string& source);

// Returns the way with the most work at this mean power, with two modes or one mode and idle time.
// Absent if the idle power exceeds `power_w`.
std::optional<JobWay> most_work(std::span<const ModeCost> modes, double power_w, double length_s);
// Returns the way with the most work at this mean power, with one mode and idle time.
std::optional<JobWay> most_work_of_one(std::span<const ModeCost> modes, double power_w,
                                       double length_s);

}  // namespace ridgewatt::govern
