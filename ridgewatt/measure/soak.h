// Runs a program until it is known whether the board holds its mode: how warm it gets, whether it
// throttles, what speed lasts.
//
//   SoakOptions options{.command = {"python3", "train.py"}};
//   const SoakSummary summary = soak_command(sysfs, options);
//   summary.verdict;                // kHolds
//   summary.hold->steady_interval;  // 71.2 to 73.0 C
//
// Power, the hottest zone, fan, clocks and the board's throttling signals are recorded; thermal
// constants are fitted during the run (thermal/thermal_fit.h), and the program is ended when they
// give the answer: the temperature at which it ends lies below the trip, or above, with 99 %.
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

// Times are the board's: on a fake board heat may run faster than the clock (platform/fake_heat.h).
struct SoakOptions {
  void check() const;  // UsageError, by name

  std::vector<std::string> command;
  double at_most_s = 3600;  // of the load
  double idle_s = 30;       // at rest before it
  double rate_hz = 50;      // of power samples
  double look_s = 0.5;      // between two looks at the rest, by the clock
  std::optional<double> ambient_celsius;
  std::optional<double> trip_celsius;  // else the board's own: its lowest passive trip
  double max_celsius = 100;            // any zone above ends the program
  bool to_the_end = false;             // even when the answer is known
};

enum class SoakVerdict { kHolds, kThrottles, kNotKnown };
constexpr auto enum_names(SoakVerdict) {
  return named<SoakVerdict>({{SoakVerdict::kHolds, "holds"},
                             {SoakVerdict::kThrottles, "throttles"},
                             {SoakVerdict::kNotKnown, "not known"}});
}

// Beginning and end of a run, to be compared.
struct SoakPace {
  std::optional<double> minibatches_per_s;  // where the program marks them
  std::optional<double> gpu_hz, cpu_hz;
  double power_w = 0;
};

struct SoakSummary {
  SoakVerdict verdict = SoakVerdict::kNotKnown;
  bool seen = false;   // the verdict was seen, not predicted
  std::string reason;  // "no time left", "the temperature hardly changed", ..; may be empty
  thermal::HeatTrace trace;
  double load_begin_s = 0, duration_s = 0;  // of the load
  bool ended_early = false;                 // by us, as the answer was known
  int status = 0;                           // of the program; 0 when we ended it
  std::string zone;                         // the hottest
  double hottest_celsius = 0;
  std::optional<double> trip_celsius;
  double load_w = 0;  // at thermal::kPowerCelsius
  std::optional<thermal::ThermalFit> fit;
  std::optional<thermal::HoldAnswer> hold;  // from rest, as recorded
  std::optional<double> throttled_after_s;  // seen
  std::vector<std::string> throttled;       // signals that rose
  std::int64_t over_current_events = 0;
  SoakPace first, last;  // of the first two minutes, and of the last two
  double time_scale = 1;
};

// The mode is the caller's to set and to restore. Throws what run_marked_command throws, UsageError
// on options, NotSupportedError on a machine without power or temperature.
SoakSummary soak_command(const platform::Sysfs& sysfs, const SoakOptions& options);

// The lowest passive trip of a zone; nothing where the kernel names none.
std::optional<double> passive_trip_celsius(const platform::Sysfs& sysfs, const std::string& zone);

}  // namespace ridgewatt::measure
