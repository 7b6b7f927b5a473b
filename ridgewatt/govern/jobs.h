// Ways of doing a job, a periodic task or a day's work, and what each costs: the rest counted.
//
//   const JobWays ways = ways_of_job(modes, {.minibatches = 40000, .end_s = 6 * 3600});
//   ways.mix->energy_j;      // two modes one after the other, and rest
//   ways.fixed->energy_j;    // the best single mode, then rest
//   ways.race->energy_j;     // the fastest mode, then rest; asleep where that is cheaper
//   ways.steady->energy_j;   // the slowest mode that is done in time
//
// Pure: what modes cost is told, by a twin or by a sweep. docs/methods/govern.md
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
  double power_w = 0;  // meanwhile
  double idle_w = 0;   // while nothing runs
};

// Suspended, until a timer wakes the board.
struct Sleep {
  double power_w = 0;
  double time_s = 0;    // to enter and to leave, both together
  double energy_j = 0;  // that this takes
  // UsageError.
  void check() const;
};

enum class Wait { kIdle, kRest, kSleep };  // in the mode itself, in the mode of least rest, asleep

// A stretch of a way: work in a mode, or a wait in it.
struct JobPart {
  std::size_t mode = 0;
  std::optional<Wait> wait;  // nothing: it works
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
  double end_s = kNone;     // deadline; without one the job's own end counts
  double energy_j = kNone;  // that it may take, the rest until the deadline included
  double power_w = kNone;   // of a mode
  // UsageError.
  void check() const;
};
// Those that keep the goal. With a deadline by their energy, else by their time.
struct JobWays {
  std::optional<JobWay> mix;     // of two modes: least energy, or least time within the energy
  std::optional<JobWay> fixed;   // the same of one mode
  std::optional<JobWay> race;    // the fastest mode, whatever it takes
  std::optional<JobWay> steady;  // the slowest that is done in time
  // Of any way, for those who ask too much.
  double least_energy_j = Job::kNone, least_time_s = Job::kNone;
};
// UsageError without modes, or where a time or power is not positive and finite.
JobWays ways_of_job(std::span<const ModeCost> modes, const Job& job,
                    const std::optional<Sleep>& sleep = {});

// One minibatch per period. A change of mode and back, for a wait in the mode of least rest, takes
// `change_s` at the power of the wait in the mode that works.
struct Period {
  double period_s = 0;
  double power_w = Job::kNone;
  double change_s = 0.014;  // 1, 5, 8 ms for the clocks of CPU, GPU and memory, one after another
  // UsageError.
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
  std::optional<PeriodWay> steady;              // the slowest mode that is done in time
  std::optional<PeriodWay> idle, rest, asleep;  // the best of each wait
  double least_time_s = Job::kNone;             // of a minibatch
};
PeriodWays ways_of_period(std::span<const ModeCost> modes, const Period& period,
                          const std::optional<Sleep>& sleep = {});

// What a day may be fed from.
struct Supply {
  double energy_j = 0;  // a day's budget; with the sun the capacity of a battery, full at first
  // Of the sun, each for an equal part of the day; empty: none.
  std::vector<double> solar_w = {};
  double length_s = 24 * 3600;
  // UsageError.
  void check() const;
};
// The largest power that can be drawn all day long, day after day where the sun fills the battery.
double held_power_w(const Supply& supply);
// Mean power of the sun in each part of the day from CSV with the columns `hour` (0, rising, the
// first 0) and `power_w`: each holds until the next. InputError on damage.
std::vector<double> parse_solar(const std::string& text, const std::string& source);

// The most work at a mean power: two modes, or a mode and rest, all day long.
std::optional<JobWay> most_work(std::span<const ModeCost> modes, double power_w, double length_s);
// The same with one mode and rest.
std::optional<JobWay> most_work_of_one(std::span<const ModeCost> modes, double power_w,
                                       double length_s);

}  // namespace ridgewatt::govern
