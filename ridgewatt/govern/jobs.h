// Computes the ways of doing a job, a periodic task or a day's work, and the cost of each,
// including idle time.
//
//   const JobWays ways = ways_of_job(modes, {.minibatches = 40000, .end_s = 6 * 3600});
//   ways.mix->energy_j;      // two modes one after the other, then idle
//   ways.fixed->energy_j;    // the best single mode, then idle
//   ways.race->energy_j;     // the fastest mode, then idle; asleep if that is cheaper
//   ways.steady->energy_j;   // the slowest mode that meets the deadline
//
// Pure functions: a twin or a sweep provides the costs of modes. docs/methods/govern.md
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ridgewatt::govern {

struct ModeCost {
  double time_s = 0;   // of a minibatch
  double power_w = 0;  // while the minibatch runs
  double idle_w = 0;   // without work
};

// Suspended until a timer wakes the board.
struct Sleep {
  double power_w = 0;
  double time_s = 0;    // to enter and leave, together
  double energy_j = 0;  // of entering and leaving
  // Throws UsageError.
  void check() const;
};

// idle in the mode itself, in the mode with the lowest idle power, asleep
enum class Wait { kIdle, kRest, kSleep };

// A part of a way: work in a mode, or a wait.
struct JobPart {
  std::size_t mode = 0;
  std::optional<Wait> wait;  // empty: it works
  double time_s = 0, minibatches = 0, energy_j = 0;
};
struct JobWay {
  std::vector<JobPart> parts;
  double end_s = 0;     // of the work
  double energy_j = 0;  // until the goal's end
};

struct Job {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  double minibatches = 0;
  double end_s = kNone;     // deadline; without one the end of the job counts
  double energy_j = kNone;  // energy limit, including idle time until the deadline
  double power_w = kNone;   // limit for a mode
  // Throws UsageError.
  void check() const;
};
// The ways that meet the goal: with a deadline by their energy, otherwise by their time.
struct JobWays {
  std::optional<JobWay> mix;     // of two modes: least energy, or least time within the energy
  std::optional<JobWay> fixed;   // the same of one mode
  std::optional<JobWay> race;    // the fastest mode, at any cost
  std::optional<JobWay> steady;  // the slowest that meets the deadline
  // The minimum over all ways, for goals that none can meet.
  double least_energy_j = Job::kNone, least_time_s = Job::kNone;
};
// Throws UsageError without modes, or if a time or power is not positive and finite.
JobWays ways_of_job(std::span<const ModeCost> modes, const Job& job,
                    const std::optional<Sleep>& sleep = {});

// One minibatch per period. Changing the mode and back, for a wait in the mode with the lowest idle
// power, takes `change_s` at the wait power of the working mode.
struct Period {
  double period_s = 0;
  double power_w = Job::kNone;
  double change_s = 0.014;  // 1, 5, 8 ms for the clocks of CPU, GPU and memory, one after another
  // Throws UsageError.
  void check() const;
};
struct PeriodWay {
  std::size_t mode = 0;
  Wait wait = Wait::kIdle;
  double work_s = 0;
  double energy_j = 0;  // of a period
};
struct PeriodWays {
  std::optional<PeriodWay> best;                // of all
  std::optional<PeriodWay> race;                // the fastest mode, the cheapest wait
  std::optional<PeriodWay> steady;              // the slowest mode that meets the deadline
  std::optional<PeriodWay> idle, rest, asleep;  // the best of each wait
  double least_time_s = Job::kNone;             // of a minibatch
};
PeriodWays ways_of_period(std::span<const ModeCost> modes, const Period& period,
                          const std::optional<Sleep>& sleep = {});

// The energy sources of a day.
struct Supply {
  // the budget of a day; with solar power the capacity of a battery, full at first
  double energy_j = 0;
  // Solar power, each value for an equal part of the day; empty: none.
  std::vector<double> solar_w = {};
  double length_s = 24 * 3600;
  // Throws UsageError.
  void check() const;
};
// The largest constant power of a day that can be repeated every day if the sun fills the battery.
double held_power_w(const Supply& supply);
// Mean solar power in each part of the day from a CSV file with the columns `hour` (0, rising, the
// first 0) and `power_w`: each value is valid until the next. Throws InputError for damaged files.
std::vector<double> parse_solar(const std::string& text, const std::string& source);

// The most work at a mean power: two modes, or a mode and idle time, all day long.
std::optional<JobWay> most_work(std::span<const ModeCost> modes, double power_w, double length_s);
// The same with one mode and idle time.
std::optional<JobWay> most_work_of_one(std::span<const ModeCost> modes, double power_w,
                                       double length_s);

}  // namespace ridgewatt::govern
