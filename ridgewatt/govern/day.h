// Simulates days: a program runs on a board that differs from its twin, with other processes,
// pauses, changing temperature and a varying request rate. The outcome of a governor is compared
// with that of the best fixed mode for the same goal, which is only known in hindsight.
//
//   const Day day({.length_s = 6 * 3600}, seed);
//   const DayOutcome held = govern_day(policy, board, day);
//   const auto fixed = best_fixed_day(policy.goal(), board_with_all_modes, day);
//   held.energy_j / fixed->energy_j;
//
// All random numbers depend only on the seed. All results have the provenance `modelled`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/govern/policy.h"
#include "ridgewatt/sweep/observation.h"

namespace ridgewatt::govern {

struct DayOptions {
  double length_s = 24 * 3600.0;
  double tick_s = 10;  // resolution of the simulation
  // Other processes start as a Poisson process and have exponentially distributed durations. Each
  // increases the time of minibatches and the power of the board by shares drawn from these ranges.
  double spells_per_h = 0.7, spell_s = 900;
  double least_slowdown = 0.03, most_slowdown = 0.2;
  double least_power = 0.01, most_power = 0.06;
  // The program pauses at times, for example to validate or to write a checkpoint.
  double pauses_per_h = 0.5, pause_s = 60;
  // Air temperature over 24 hours: its mean is normal with deviation `mean_spread`, its amplitude
  // at most `most_swing`.
  double mean_celsius = 22, mean_spread = 5, most_swing = 10;
  // Maximum additional power per kelvin because of leakage. On fake boards (platform/fake_load.h),
  // power differs by 4 % between a cold and a hot board; on a simulated day, by up to twice this
  // value.
  double most_leak_per_kelvin = 0.0025;
  // Heat sink: time constant, and rise of its temperature at full power.
  double heat_s = 400, rise_kelvin = 25;
  double noise = 0.01;         // relative noise of the time of a window
  double power_noise = 0.005;  // relative noise of the power of a window
  double rate_hz = 0;          // peak request rate; 0: no requests
  // Throws UsageError for an invalid option.
  void check() const;
};

// The disturbances of one day, at each time step.
class Day {
 public:
  Day(const DayOptions& options, std::uint64_t seed);

  struct Tick {
    double slowdown = 0;  // relative, by other processes while all cores are online
    double extra = 0;     // additional power of other processes, as a share
    double paused = 0;    // share of the step in which the program pauses
    double celsius = 0;   // air temperature
    double rate_hz = 0;   // rate of requests
  };
  const DayOptions& options() const { return options_; }
  const std::vector<Tick>& ticks() const { return ticks_; }
  const Tick& at(double time_s) const;
  double leak_per_kelvin() const { return leak_; }
  std::uint64_t seed() const { return seed_; }
  // Returns the mean speed of work over the day, relative to a day without disturbances.
  double open_share() const { return open_share_; }

 private:
  DayOptions options_;
  std::uint64_t seed_;
  double leak_ = 0, open_share_ = 1;
  std::vector<Tick> ticks_;
};

// The true time and power of the board in each mode, without disturbances.
struct DayBoard {
  struct Mode {
    twin::TimePower cost;
    double idle_w = 0;
    double contention = 1;  // factor on Tick::slowdown; it rises if cores are offline
  };
  std::vector<Mode> modes;
  std::size_t top = 0;  // the fastest mode
  // The mode with the lowest idle power.
  std::size_t rest = 0;
};
// Creates a board whose true costs are the results of the functions. The contention of a mode is
// sqrt(all cores / online cores), at most 2.
DayBoard day_board(const std::vector<OperatingPoint>& points,
                   const std::function<twin::TimePower(const PowerMode&)>& truth,
                   const std::function<double(const PowerMode&)>& idle_w);

// One step of a governor.
struct DayStep {
  double begin_s = 0;
  Decision decision;
  Window seen;
  double minibatches = 0, energy_j = 0;  // totals from the start of the day to the end of this step
};

struct DayOutcome {
  double end_s = 0;        // end of the job, or else of the goal or day
  bool done = true;        // whether the job ended within twice its time
  double minibatches = 0;  // completed minibatches
  // Up to the end of the goal, including idle time after the job. For a late job: up to its
  // end.
  double energy_j = 0;
  double over_share = 0;                 // share of windows in which over_cap() holds
  double late_share = 0;                 // share of requests whose latency exceeds the limit
  std::size_t switches = 0, trials = 0;  // mode changes, and trials of unknown modes
  std::vector<DayStep> steps = {};       // only if `keep_steps` was set
};

// Returns whether the mean power of the window exceeds the cap by more than 2 %.
bool over_cap(const Goal& goal, const Window& window);

// Simulates the day with a governor. `board.modes` must be the modes of the policy in the same
// order.
DayOutcome govern_day(Policy& policy, const DayBoard& board, const Day& day,
                      bool keep_steps = false);
// Simulates the day in one mode. With an energy budget, the work stops early enough that the budget
// also covers idling until the end.
DayOutcome fixed_day(const Goal& goal, const DayBoard& board, std::size_t mode, const Day& day);

// The outcome of a day in one fixed mode.
struct FixedDay : DayOutcome {
  std::size_t mode = 0;
};
// Returns the day in the best mode of `board` among those that meet the goal: least energy for a
// deadline or a latency limit, most work for a budget or a cap. Absent if no mode meets the goal.
std::optional<FixedDay> best_fixed_day(const Goal& goal, const DayBoard& board, const Day& day);

}  // namespace ridgewatt::govern
