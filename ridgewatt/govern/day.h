// Simulated days: a program on a board that differs from its twin, with other processes, pauses,
// temperature changes and varying requests. The result of a governor is compared with the best
// fixed mode for the same goal, which is only known afterwards.
//
//   const Day day({.length_s = 6 * 3600}, seed);
//   const DayOutcome held = govern_day(policy, board, day);
//   const auto fixed = best_fixed_day(policy.goal(), everything, day);
//   held.energy_j / fixed->energy_j;
//
// All draws follow from the seed. Everything here is `modelled`.
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
  double tick_s = 10;
  // Other processes start as a Poisson process and have exponential durations; each makes
  // minibatches longer and the board's power larger by shares drawn from these.
  double spells_per_h = 0.7, spell_s = 900;
  double least_slowdown = 0.03, most_slowdown = 0.2;
  double least_power = 0.01, most_power = 0.06;
  // The program pauses: validation, checkpoints, a slow disk.
  double pauses_per_h = 0.5, pause_s = 60;
  // Air temperature over 24 hours, with random mean and swing.
  double mean_celsius = 22, mean_spread = 5, most_swing = 10;
  // Maximum additional power per kelvin because of leakage: fake boards (platform/fake_load.h) show
  // 4 % between cold and hot; up to twice that is drawn here.
  double most_leak_per_kelvin = 0.0025;
  double heat_s = 400, rise_kelvin = 25;  // of the heat sink: time constant, rise at full power
  double noise = 0.01;                    // of the time of a window
  double power_noise = 0.005;
  double rate_hz = 0;  // of requests at the day's peak; 0: none
  // Throws UsageError.
  void check() const;
};

class Day {
 public:
  Day(const DayOptions& options, std::uint64_t seed);

  struct Tick {
    double slowdown = 0;  // by other processes, where all cores are online
    double extra = 0;     // of other processes, as a share
    double paused = 0;    // share of the tick
    double celsius = 0;   // of the air
    double rate_hz = 0;   // of requests
  };
  const DayOptions& options() const { return options_; }
  const std::vector<Tick>& ticks() const { return ticks_; }
  const Tick& at(double time_s) const;
  double leak_per_kelvin() const { return leak_; }
  std::uint64_t seed() const { return seed_; }
  // Share of the time that a program without disturbances needs for its work.
  double open_share() const { return open_share_; }

 private:
  DayOptions options_;
  std::uint64_t seed_;
  double leak_ = 0, open_share_ = 1;
  std::vector<Tick> ticks_;
};

// The actual time and power of the board in each of some modes, without disturbances.
struct DayBoard {
  struct Mode {
    twin::TimePower cost;
    double idle_w = 0;
    double contention = 1;  // sensitivity to a slowdown by others; higher with fewer cores
  };
  std::vector<Mode> modes;
  std::size_t top = 0;  // the fastest
  std::size_t rest = 0;
};
// A slowdown s by others counts as s x sqrt(all cores / cores online), at most twice s.
DayBoard day_board(const std::vector<OperatingPoint>& points,
                   const std::function<twin::TimePower(const PowerMode&)>& truth,
                   const std::function<double(const PowerMode&)>& idle_w);

// One step of a governor.
struct DayStep {
  double begin_s = 0;
  Decision decision;
  Window seen;
};

struct DayOutcome {
  double end_s = 0;        // end of the job, or of the day
  bool done = true;        // the job, before twice its time has passed
  double minibatches = 0;  // done
  // until the goal's end, including idle time after the job; until the job's end if it is late
  double energy_j = 0;
  double over_share = 0;  // of the windows, above the cap by more than 2 %
  double late_share = 0;  // of the requests, above the latency limit
  std::size_t switches = 0, trials = 0;
  std::vector<DayStep> steps = {};  // of a governor, if they are kept
};

// Whether the mean power of a window is above the cap by more than 2 %.
bool over_cap(const Goal& goal, const Window& window);

// `board.modes` are those of the policy, in its order.
DayOutcome govern_day(Policy& policy, const DayBoard& board, const Day& day,
                      bool keep_steps = false);
// One mode all the time, with full knowledge: with a budget it stops in time.
DayOutcome fixed_day(const Goal& goal, const DayBoard& board, std::size_t mode, const Day& day);
// The best of `board`: of those that meet the goal the one of least energy; with a budget or a cap
// the one of most work. Empty if none meets it.
struct FixedDay : DayOutcome {
  std::size_t mode = 0;
};
std::optional<FixedDay> best_fixed_day(const Goal& goal, const DayBoard& board, const Day& day);

}  // namespace ridgewatt::govern
