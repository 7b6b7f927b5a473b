// Profiling one program that goes on running: modes change under it between minibatches, and each
// window of minibatches is measured without what the change itself did to it.
//
//   InPlaceProfiler profiler(program, options, provenance, [&](const InPlaceWindow& w) { .. });
//   profiler.begin(safe_mode);                     // waits for the program's first minibatches
//   const Observation seen = profiler.profile({mode, batch});   // a few minibatches later
//   profiler.hold(best.mode);                      // the program goes on in it
//   while (profiler.watch(1)) ..                   // until it ends; power and drift are looked at
//   profiler.run();                                // windows, drift, time above the limit
//
// docs/methods/in_place.md says how a window's length, its beginning, the time that a change takes
// and drift are found.
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

// The program and the board below it: live (measure/live_program.h) or in simulated time
// (measure/simulated_program.h). Times are seconds of one clock.
class TunedProgram {
 public:
  // What disturbs a program from outside, as far as the machine shows it.
  struct Surroundings {
    std::map<std::string, double> celsius;  // by zone
    std::vector<std::string> processes;     // on the device, not of the program: "1234 python3"
    std::vector<std::string> throttled;     // signals on, or counters that rose since the beginning
  };
  virtual ~TunedProgram() = default;
  virtual double now_s() const = 0;
  // Waits for news, at most so long, and appends them: marks, and valid samples of total power.
  // False when the program has ended.
  virtual bool wait(double at_most_s, std::vector<TimedMark>& marks,
                    std::vector<TimedPower>& power) = 0;
  // Throws what JetsonModeControl::apply throws.
  virtual void set(const PowerMode& mode) = 0;
  virtual Surroundings surroundings() = 0;
  // A power is the mean since the sample before (PowerSource::tells_means).
  virtual bool tells_means() const { return false; }
};

struct DriftOptions {
  // Windows between two looks at the reference mode; 0: never.
  int reference_every = 3;
  // Deviations at which the reference is looked at again at once, and at which drift is taken for
  // certain (of all looks together).
  double doubt = 2.5, alarm = 4.5;
  // Deviations that are not counted against each look (the allowance of a CUSUM; Page 1954).
  double allowance = 0.75;
  // By which time and power may creep from one look to the next without being drift: a board warms
  // up. Relative deviations.
  double time_creep = 0.008, power_creep = 0.008;
};

struct InPlaceOptions {
  int warm_up = 1;  // minibatches before the first window
  // A window ends when the 95 % intervals of time and energy are this narrow: half width over mean.
  double precision = 0.02;
  int least_minibatches = 8, most_minibatches = 40;
  double longest_s = 4;  // a window of two minibatches or more ends after it all the same
  double power_limit_w = std::numeric_limits<double>::infinity();
  double guard_s = 0.05;   // power is averaged over this when it is held against the limit
  double silence_s = 300;  // without a mark: the program does not say where minibatches end
  DriftOptions drift;
  // Throws UsageError naming the field.
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
  double set_s = 0;      // when the mode was written; times of the program's clock
  double write_s = 0;    // that writing it and reading it back took
  bool changed = false;  // the mode before was another one
  // From the beginning of the write to the change of pace, and of power; nothing where neither is
  // different enough to tell.
  std::optional<double> time_effect_s, power_effect_s;
  double begin_s = 0, end_s = 0;  // of the minibatches that count
  int minibatches = 0;            // that count
  int left_out = 0;               // since the write: the transient
  int pauses = 0;                 // left out: ten times as long as the others
  double time_s = 0, median_s = 0, power_w = 0, energy_j = 0;
  double time_error = 0, energy_error = 0;  // half of the 95 % interval over the mean
  double spread = 0;                        // robust relative deviation of a minibatch's time
  bool precise = false;                     // as wanted
  bool over_limit = false;                  // was broken off: power_w is what was seen until then
  int power_samples = 0;
  double largest_gap_s = 0;                 // between two of them
  std::vector<MarkedMinibatch> times = {};  // of those that count
  std::vector<TimedPower> power = {};       // while they ran

  Observation observation() const;
};

struct DriftEvent {
  double time_s = 0;  // since the beginning
  int window = 0;     // number of the window that showed it, from 1
  double time_factor = 1, power_factor = 1;
  std::string cause;  // "temperature of tj: 48 to 66 C", "another process: 1234 python3", "unknown"
};

// All of it so far.
struct InPlaceRun {
  double begin_s = 0, end_s = 0;
  std::vector<InPlaceWindow> windows;  // without their samples; of kHeld those that showed drift
  std::vector<DriftEvent> drift;
  int minibatches = 0;  // that the program did in this time
  bool ended = false;   // the program has
  // Power averaged over guard_s against the limit.
  double over_limit_s = 0, longest_over_limit_s = 0;
  double worst_excess = 0;  // 0.03: 3 % above
  double energy_j = 0;      // of the whole time
  double time_s() const { return end_s - begin_s; }
};

class InPlaceProfiler : public Profiler {
 public:
  using Keep = std::function<void(const InPlaceWindow&)>;
  // `program` must outlive this. `keep` is given every window that was measured in full, with its
  // samples. Throws what InPlaceOptions::check throws.
  InPlaceProfiler(TunedProgram& program, const InPlaceOptions& options, Provenance provenance,
                  Keep keep = {});
  ~InPlaceProfiler() override;

  // Sets a mode that is known to keep the limit and waits for the program's first minibatches.
  // ProgramEndedError; IoError when it marks none.
  void begin(const PowerMode& safe_mode);
  // One window. Before it, when it is time, the reference mode is looked at. Throws OverLimitError,
  // DriftedError (what was profiled before is stale, this point was not profiled),
  // ProgramEndedError, NotFoundError (no power), and what TunedProgram::set throws.
  Observation profile(const OperatingPoint& point) override;
  Provenance provenance() const override { return provenance_; }

  // From here on the program runs in this mode.
  void hold(const OperatingPoint& point);
  // Lets it run for so long and looks at power and drift. False when it has ended. An event of
  // drift is added to run(); over the limit the last safe mode is set.
  bool watch(double duration_s);

  const PowerMode& mode() const;  // that is set
  const InPlaceRun& run();

 private:
  class State;
  std::unique_ptr<State> state_;
  Provenance provenance_;
};

// The window as a point of a store, without idle power.
store::PointRecord record_of(const InPlaceWindow& window);

// Median of the times to effect over the windows that show one, and their quartiles.
struct EffectTimes {
  int count = 0;
  double median_s = 0, lower_quartile_s = 0, upper_quartile_s = 0;
};
EffectTimes time_effects(const InPlaceRun& run);
EffectTimes power_effects(const InPlaceRun& run);

}  // namespace ridgewatt::measure
