// Profiles a program that keeps running: the power mode changes between minibatches, and each mode
// is measured over a window of minibatches that leaves out the transient of the change.
//
//   InPlaceProfiler profiler(program, options, provenance, [&](const InPlaceWindow& w) { .. });
//   profiler.begin(safe_mode);                     // waits for the program's first minibatches
//   const Observation seen = profiler.profile({mode, batch});   // a few minibatches later
//   profiler.hold(best.mode);                      // the program continues in this mode
//   while (profiler.watch(1)) ..                   // until it ends; checks power and drift
//   profiler.run();                                // windows, drift, time above the limit
//
// docs/methods/in_place.md describes how the length and the beginning of a window, the duration of
// a mode change, and drift are determined.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/measure/marks.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/in_place_errors.h"
#include "ridgewatt/sweep/profiler.h"

namespace ridgewatt::measure {

struct TimedPower {
  double time_s = 0;
  double power_w = 0;
};

// A running program and the board on which it runs: a real program (measure/live_program.h) or a
// simulated one (measure/simulated_program.h). All times are seconds of the same clock.
class TunedProgram {
 public:
  // External causes that may disturb the program, as far as the machine shows them.
  struct Surroundings {
    std::map<std::string, double> celsius;  // temperatures by thermal zone
    std::vector<std::string> processes;     // other programs on the accelerator: "1234 python3"
    // Active signals, and counters that have increased since the start.
    std::vector<std::string> throttled;
  };
  virtual ~TunedProgram() = default;
  virtual double now_s() const = 0;
  // Waits at most `at_most_s` for marks or samples, then appends the new marks and the new valid
  // samples of total power. Returns false when the program has ended.
  virtual bool wait(double at_most_s, std::vector<TimedMark>& marks,
                    std::vector<TimedPower>& power) = 0;
  // Sets the power mode. Throws the errors of JetsonModeControl::apply().
  virtual void set(const PowerMode& mode) = 0;
  virtual Surroundings surroundings() = 0;
  // Whether each power value is the mean since the previous sample (PowerSource::tells_means).
  virtual bool tells_means() const { return false; }
  // Number of lines that are not valid marks (MarkReader::malformed).
  virtual std::size_t malformed_marks() const { return 0; }
};

struct DriftOptions {
  // Number of profiled windows between two measurements of the reference mode. That mode is
  // measured repeatedly to detect drift. 0: never.
  int reference_every = 3;
  // Thresholds of the CUSUM statistic, in standard deviations. Above `doubt`, the reference mode is
  // measured again immediately; above `alarm`, drift is reported.
  double doubt = 2.5, alarm = 4.5;
  // Standard deviations that each measurement subtracts: the allowance of the CUSUM (Page 1954).
  double allowance = 0.75;
  // Relative standard deviations of time and power between two measurements without drift, for
  // example because the board warms up.
  double time_creep = 0.008, power_creep = 0.008;
};

struct InPlaceOptions {
  int warm_up = 1;  // minibatches before the first window
  // A window ends when the 95 % intervals of time and energy have this half-width relative to the
  // mean.
  double precision = 0.02;
  int least_minibatches = 8, most_minibatches = 40;
  // A window that is not precise ends after this time, with at least two minibatches.
  double longest_s = 4;
  double power_limit_w = std::numeric_limits<double>::infinity();
  double guard_s = 0.05;  // averaging time of power before it is compared with the limit
  // If no mark arrives for this time, the program counts as one without marks.
  double silence_s = 300;
  DriftOptions drift;
  // Throws UsageError that names the field.
  void check() const;
};

struct InPlaceWindow {
  enum class Kind { kStart, kProfile, kReference, kHeld };
  friend constexpr auto enum_names(Kind) {
    return named<Kind>({{Kind::kStart, "start"},
                        {Kind::kProfile, "profile"},
                        {Kind::kReference, "reference"},
                        {Kind::kHeld, "held"}});
  }
  Kind kind = Kind::kProfile;
  OperatingPoint point;
  double set_s = 0;      // when writing the mode began, on the program's clock
  double write_s = 0;    // time to write the mode and read it back
  bool changed = false;  // whether the mode before was different
  // Time from the beginning of the write until minibatch time, or power, changed. Empty if the
  // change was too small to detect.
  std::optional<double> time_effect_s, power_effect_s;
  double begin_s = 0, end_s = 0;  // of the minibatches that count
  int minibatches = 0;            // number of minibatches that count
  int left_out = 0;               // minibatches left out as transient after the mode change
  int pauses = 0;  // minibatches left out because they took over ten times the median
  double time_s = 0, median_s = 0, power_w = 0, energy_j = 0;
  // Half-width of the 95 % interval, relative to the mean.
  double time_error = 0, energy_error = 0;
  // Median absolute deviation of the minibatch time, divided by its median.
  double spread = 0;
  bool precise = false;  // reached InPlaceOptions::precision
  // The window ended early because power exceeded the limit; power_w is the mean until then.
  bool over_limit = false;
  int power_samples = 0;
  double largest_gap_s = 0;                 // between two power samples
  std::vector<MarkedMinibatch> times = {};  // minibatches that count
  std::vector<TimedPower> power = {};       // samples during those minibatches

  Observation observation() const;
};

struct DriftEvent {
  double time_s = 0;  // since the beginning of the run
  int window = 0;     // number of the window that showed the drift, from 1
  double time_factor = 1, power_factor = 1;
  std::string cause;  // "temperature of tj: 48 to 66 C", "another process: 1234 python3", "unknown"
};

// The run up to now.
struct InPlaceRun {
  double begin_s = 0, end_s = 0;
  // The windows, without minibatch times and power samples. Windows of kHeld are included only if
  // they showed drift.
  std::vector<InPlaceWindow> windows;
  std::vector<DriftEvent> drift;
  int minibatches = 0;  // minibatches of the program since the beginning
  bool ended = false;   // whether the program has ended
  // Time for which power was above the limit, by the same rule by which a mode is left.
  double over_limit_s = 0, longest_over_limit_s = 0;
  double worst_excess = 0;  // relative to the limit; 0.03: 3 % above it
  double energy_j = 0;      // from begin_s to end_s
  std::size_t malformed_marks = 0;
  double time_s() const { return end_s - begin_s; }
};

class InPlaceProfiler : public Profiler {
 public:
  using Keep = std::function<void(const InPlaceWindow&)>;
  // `program` must outlive this object. `keep` is called with every window that was measured
  // completely, including its samples. Throws the errors of InPlaceOptions::check().
  InPlaceProfiler(TunedProgram& program, const InPlaceOptions& options, Provenance provenance,
                  Keep keep = {});
  ~InPlaceProfiler() override;

  // Sets a mode known to stay within the power limit and waits for the program's first minibatches.
  // Throws ProgramEndedError, and IoError if the program marks none.
  void begin(const PowerMode& safe_mode);
  // Measures one window. First measures the reference mode, if such a check is due. Throws
  // OverLimitError above the power limit, DriftedError (earlier results are invalid and this point
  // was not profiled), ProgramEndedError, NotFoundError without power samples, and the errors of
  // TunedProgram::set().
  Observation profile(const OperatingPoint& point) override;
  Provenance provenance() const override { return provenance_; }

  // Sets the mode in which the program continues.
  void hold(const OperatingPoint& point);
  // Watches power and drift for `duration_s` while the program runs in the mode of hold(). Returns
  // false if the program has ended. Drift is added to run(). If power exceeds the limit, the last
  // safe mode is set.
  bool watch(double duration_s);

  const PowerMode& mode() const;  // the mode that is set now
  const InPlaceRun& run();

 private:
  class State;
  std::unique_ptr<State> state_;
  Provenance provenance_;
};

// Converts the window to a point of a store, without idle power.
store::PointRecord record_of(const InPlaceWindow& window);

// Median and quartiles of the time until a mode change took effect, over the windows that show it.
struct EffectTimes {
  int count = 0;
  double median_s = 0, lower_quartile_s = 0, upper_quartile_s = 0;
};
EffectTimes time_effects(const InPlaceRun& run);
EffectTimes power_effects(const InPlaceRun& run);

}  // namespace ridgewatt::measure
