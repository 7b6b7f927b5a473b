// Runs a program until it is clear whether the board can hold its power mode: how hot it gets,
// whether it throttles, and which speed it sustains.
//
//   SoakOptions options{.command = {"python3", "train.py"}};
//   const SoakSummary summary = soak_command(sysfs, options);
//   summary.verdict;                // kHolds
//   summary.hold->steady_interval;  // 71.2 to 73.0 C
//
// Records power, the hottest thermal zone, fan, clocks and throttling signals, and fits thermal
// constants during the run (thermal/thermal_fit.h). The program is ended when the fit gives a
// probability of 99 % that the final temperature is below the trip temperature, or above it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/thermal/heat_trace.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/thermal/thermal_fit.h"

namespace ridgewatt::measure {

// Times are seconds of the board: heat on a fake board may run faster (platform/fake_heat.h).
struct SoakOptions {
  void check() const;  // throws UsageError that names the field

  std::vector<std::string> command;
  double at_most_s = 3600;  // longest duration of the load
  double idle_s = 30;       // idle time before the load
  double rate_hz = 50;      // of power samples
  double look_s = 0.5;      // real time between readings of other sensors
  std::optional<double> ambient_celsius;
  std::optional<double> trip_celsius;  // empty: the lowest passive trip temperature of the zone
  double max_celsius = 100;            // the program is ended if a zone is hotter
  bool to_the_end = false;             // continue even when the verdict is known
};

enum class SoakVerdict { kHolds, kThrottles, kNotKnown };
constexpr auto enum_names(SoakVerdict) {
  return named<SoakVerdict>({{SoakVerdict::kHolds, "holds"},
                             {SoakVerdict::kThrottles, "throttles"},
                             {SoakVerdict::kNotKnown, "not known"}});
}

// The speed at the beginning or the end of a run, for comparison.
struct SoakPace {
  std::optional<double> minibatches_per_s;  // empty: the program does not mark minibatches
  std::optional<double> gpu_hz, cpu_hz;
  double power_w = 0;
};

struct SoakSummary {
  SoakVerdict verdict = SoakVerdict::kNotKnown;
  bool seen = false;   // the verdict was observed, not predicted
  std::string reason;  // "no time left", "the temperature hardly changed", ..; may be empty
  thermal::HeatTrace trace;
  double duration_s = 0;     // of the load; board time
  bool ended_early = false;  // ended by soak_command(), since the verdict was known
  int status = 0;            // exit status of the program; 0 if soak_command() ended it
  std::string zone;          // the hottest zone, on average
  double hottest_celsius = 0;
  std::optional<double> trip_celsius;
  double load_w = 0;  // power under load at the temperature thermal::kPowerCelsius
  std::optional<thermal::ThermalFit> fit;
  // Predicted from the idle state, with the recorded fan speed.
  std::optional<thermal::HoldAnswer> hold;
  std::optional<double> throttled_after_s;  // first observed throttling
  std::vector<std::string> throttled;       // signals that rose during the run
  std::int64_t over_current_events = 0;
  SoakPace first, last;  // two minutes from the load's first minibatch on, and the last two
  double time_scale = 1;
};

// The caller sets and restores the power mode. Throws the errors of run_marked_command(),
// UsageError for invalid options, NotSupportedError without a sensor of power or temperature.
SoakSummary soak_command(const platform::Sysfs& sysfs, const SoakOptions& options);

// The lowest passive trip temperature of a zone; empty if the kernel names none.
std::optional<double> passive_trip_celsius(const platform::Sysfs& sysfs, const std::string& zone);

}  // namespace ridgewatt::measure
