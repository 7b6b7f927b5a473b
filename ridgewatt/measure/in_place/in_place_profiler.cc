#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/measure/in_place/drift.h"
#include "ridgewatt/measure/in_place/power_guard.h"
#include "ridgewatt/measure/in_place/program_log.h"
#include "ridgewatt/measure/in_place/safe_mode.h"
#include "ridgewatt/measure/in_place/window_figures.h"

namespace ridgewatt::measure {
namespace {

constexpr int kMostDoubts = 2;  // maximum number of repeated measurements of the reference
// After this number of profiles, a mode over the limit triggers a check of the reference.
constexpr int kAskedAgain = 2;
// If the reference exceeds its earlier power by this factor, all powers have drifted.
constexpr double kFarAbove = 1.03;
constexpr double kWarmerC = 5;                // smallest change that is reported as a cause
constexpr std::size_t kHeldMinibatches = 12;  // between two checks while a mode is held

std::string cause_of_drift(const TunedProgram::Surroundings& before,
                           const TunedProgram::Surroundings& now) {
  for (const auto& process : now.processes) {
    if (!contains(before.processes, process)) {
      return "another process: " + process;
    }
  }
  for (const auto& process : before.processes) {
    if (!contains(now.processes, process)) {
      return "another process ended: " + process;
    }
  }
  for (const auto& signal : now.throttled) {
    if (!contains(before.throttled, signal)) {
      return "throttling: " + signal;
    }
  }
  std::string cause = "unknown";
  double most = kWarmerC;
  for (const auto& [zone, celsius] : now.celsius) {
    const auto then = before.celsius.find(zone);
    if (then == before.celsius.end() || std::abs(celsius - then->second) < most) continue;
    most = std::abs(celsius - then->second);
    cause = fmt::format("temperature of {}: {:.0f} to {:.0f} C", zone, then->second, celsius);
  }
  return cause;
}

// The program ended before the search could measure.
ProgramEndedError ended_too_soon(int minibatches) {
  if (minibatches == 0) {
    return ProgramEndedError("the program marked no minibatches before it ended", "",
                             "see docs/guide/measure.md for how a program marks them");
  }
  return ProgramEndedError(
      fmt::format("the program ended after {}, before the search could measure",
                  counted(static_cast<std::size_t>(minibatches), "minibatch")),
      "", "give it more work");
}

}  // namespace

void InPlaceOptions::check() const {
  require_option(precision > 0 && precision < 1, "precision", precision, "above 0 and below 1");
  require_option(least_minibatches >= 4, "least_minibatches", least_minibatches, "4 or more");
  require_option(most_minibatches >= least_minibatches, "most_minibatches", most_minibatches,
                 "least_minibatches or more");
  require_option(longest_s > 0, "longest_s", longest_s, "more than 0 s");
  require_option(power_limit_w > 0, "power_limit_w", power_limit_w, "more than 0 W");
  require_option(guard_s >= 0.01 && guard_s <= 60, "guard_s", guard_s, "0.01 to 60 s");
  require_option(silence_s > 0, "silence_s", silence_s, "more than 0 s");
  require_option(warm_up >= 1, "warm_up", warm_up, "1 or more");
  require_option(drift.reference_every >= 0, "drift.reference_every", drift.reference_every,
                 "0 or more");
}

Observation InPlaceWindow::observation() const {
  return {point, time_s, power_w, energy_j, median_s};
}

class InPlaceProfiler::State {
 public:
  State(TunedProgram& program, const InPlaceOptions& options, Keep keep)
      : program_(program),
        options_(options),
        keep_(std::move(keep)),
        log_(program),
        guard_(options.power_limit_w, options.guard_s),
        drift_(options.drift),
        reference_(options.drift.reference_every) {}

  void begin(const PowerMode& safe_mode) {
    run_.begin_s = program_.now_s();
    log_.begin();
    safe_.begin(safe_mode);
    set(safe_mode);
    while (log_.minibatches() < options_.warm_up + 1) {
      step();
      if (log_.ended()) throw ended_too_soon(log_.minibatches());
      log_.require_marks(options_.silence_s);
    }
    before_ = program_.surroundings();
  }

  Observation profile(const OperatingPoint& point) {
    if (reference_.due()) look_at_reference();
    InPlaceWindow window = measure(point, InPlaceWindow::Kind::kProfile);
    ++since_held_;
    if (window.over_limit) {
      // Either the mode needs more power, or all modes do: check the reference soon.
      if (since_held_ >= kAskedAgain) reference_.ask_soon();
      throw OverLimitError(fmt::format("{:.2f} W is above the limit of {:g} W", window.power_w,
                                       options_.power_limit_w),
                           describe(point.mode), window.power_w);
    }
    reference_.profiled();
    const bool known = drift_.knows(point.mode);
    const auto look = drift_.look(window);
    if (known) answer(look, window);
    reference_.choose(window, options_.power_limit_w);
    if (!reference_.known()) since_held_ = 0;  // no reference yet: drift cannot be checked
    return window.observation();
  }

  void hold(const OperatingPoint& point) {
    held_ = point;
    set(point.mode);
    log_.begin_window(pace_s_);
  }

  bool watch(double duration_s) {
    const double until_s = program_.now_s() + duration_s;
    while (!log_.ended() && program_.now_s() < until_s) {
      step();
      if (leave_over_limit()) {
        run_.drift.push_back({program_.now_s() - run_.begin_s, 0, 1, 1,
                              fmt::format("the current mode exceeds the limit; {} is set instead",
                                          describe(mode_))});
        log_.begin_window(pace_s_);
      }
      const auto minibatches = log_.since(set_end_s_);
      if (minibatches.size() < kHeldMinibatches) continue;
      look_at_held();
    }
    return !log_.ended();
  }

  const PowerMode& mode() const { return mode_; }
  const InPlaceRun& run() {
    run_.end_s = std::max(run_.end_s, program_.now_s());
    run_.minibatches = log_.minibatches();
    run_.energy_j = log_.energy_j();
    run_.malformed_marks = program_.malformed_marks();
    run_.ended = log_.ended();
    run_.over_limit_s = guard_.over_s();
    run_.longest_over_limit_s = guard_.longest_s();
    run_.worst_excess = guard_.worst_excess();
    return run_;
  }

 private:
  void step() {
    for (const TimedPower& sample : log_.step()) guard_.add(sample);
  }

  // Sets a mode by way of lowered_to(), whose power is below that of both modes.
  void set(const PowerMode& mode) {
    const PowerMode lower = lowered_to(mode, mode_);
    const bool between = mode_ != PowerMode() && lower != mode_ && lower != mode;
    if (between) program_.set(lower);
    program_.set(mode);
    mode_ = mode;
    set_end_s_ = program_.now_s();
    guard_.mode_set(set_end_s_);
  }

  bool leave_over_limit() {
    if (safe_.is_first(mode_) || !guard_.over()) return false;
    if (mode_ == safe_.mode()) safe_.lose();
    set(safe_.mode());
    return true;
  }

  InPlaceWindow measure(const OperatingPoint& point, InPlaceWindow::Kind kind) {
    log_.begin_window(pace_s_);
    InPlaceWindow window;
    looked_ = 0;
    window.kind = kind;
    window.point = point;
    window.changed = mode_ != point.mode;
    old_pace_s_ = paced_ == mode_ ? pace_s_ : 0;
    window.set_s = program_.now_s();
    set_end_s_ = window.set_s;
    if (window.changed) set(point.mode);
    window.write_s = program_.now_s() - window.set_s;
    while (!look(window)) {
    }
    if (!window.over_limit) finish(window);
    InPlaceWindow kept = window;
    kept.times.clear();
    kept.power.clear();
    run_.windows.push_back(std::move(kept));
    if (keep_ && !window.over_limit) keep_(window);
    return window;
  }

  // Checks the current window once. Returns true when it is complete.
  bool look(InPlaceWindow& window) {
    step();
    if (leave_over_limit()) {
      window.over_limit = true;
      window.power_w = over_power_w(log_, options_, window);
      window.end_s = program_.now_s();
      return true;
    }
    auto minibatches = log_.since(window.changed ? window.set_s + window.write_s : window.set_s);
    const bool late = program_.now_s() - window.set_s > options_.longest_s;
    // Before a power sample after its end, the energy of a minibatch is uncertain.
    while (!late && !minibatches.empty() && minibatches.back().end_s > log_.last_power_s()) {
      minibatches.pop_back();
    }
    const auto least = static_cast<std::size_t>(late ? 2 : options_.least_minibatches);
    if (minibatches.size() >= least && (minibatches.size() > looked_ || late)) {
      looked_ = minibatches.size();
      if (assess(log_, minibatches, late, program_.tells_means(), options_, window)) return true;
    }
    if (log_.ended()) throw ProgramEndedError("the program ended");
    log_.require_marks(options_.silence_s);
    return false;
  }

  void finish(InPlaceWindow& window) {
    add_power_samples(log_, window);
    if (window.changed) tell_effects(log_, old_pace_s_, options_, window);
    pace_s_ = window.median_s;
    paced_ = tells_pace(window, options_) ? window.point.mode : PowerMode();
    safe_.learn(window, options_.power_limit_w);
  }

  void look_at_reference() {
    reference_.looked();
    for (int doubts = 0;; ++doubts) {
      const auto known_w = drift_.power_w(reference_.point().mode);
      const InPlaceWindow window = measure(reference_.point(), InPlaceWindow::Kind::kReference);
      if (window.over_limit) {  // the reference was within the limit before
        const double factor = window.power_w / known_w.value_or(window.power_w);
        reference_.lose();
        if (factor < kFarAbove) return;
        drift_.forget();
        note_drift(1, factor);
      }
      const auto look = drift_.look(window);
      if (look.verdict == DriftTest::Verdict::kHolds) {
        since_held_ = 0;
        before_ = program_.surroundings();
        return;
      }
      if (look.verdict == DriftTest::Verdict::kDrift) answer(look, window);
      if (doubts == kMostDoubts) return;
    }
  }

  void answer(const DriftTest::Look& look, const InPlaceWindow& window) {
    if (look.verdict != DriftTest::Verdict::kDrift) return;
    drift_.restart(window);
    reference_.take(window);
    note_drift(look.time_factor, look.power_factor);
  }

  [[noreturn]] void note_drift(double time_factor, double power_factor) {
    add_drift(time_factor, power_factor);
    reference_.looked();
    safe_.forget_pace();
    throw DriftedError("earlier profiles are no longer valid: " + run_.drift.back().cause,
                       time_factor, power_factor);
  }

  void add_drift(double time_factor, double power_factor) {
    const auto now = program_.surroundings();
    run_.drift.push_back({program_.now_s() - run_.begin_s, static_cast<int>(run_.windows.size()),
                          time_factor, power_factor, cause_of_drift(before_, now)});
    before_ = now;
  }

  void look_at_held() {
    InPlaceWindow window;
    window.kind = InPlaceWindow::Kind::kHeld;
    window.point = *held_;
    window.point.mode = mode_;
    window.set_s = set_end_s_;
    const auto minibatches = log_.since(set_end_s_);
    if (!assess(log_, minibatches, /*late=*/true, program_.tells_means(), options_, window)) return;
    const bool known = drift_.knows(mode_);
    const auto look = drift_.look(window);
    log_.begin_window(pace_s_);
    set_end_s_ = program_.now_s();
    if (!known || look.verdict != DriftTest::Verdict::kDrift) {
      if (look.verdict == DriftTest::Verdict::kHolds) before_ = program_.surroundings();
      return;
    }
    window.times.clear();
    run_.windows.push_back(window);
    drift_.restart(window);
    add_drift(look.time_factor, look.power_factor);
  }

  TunedProgram& program_;
  InPlaceOptions options_;
  Keep keep_;
  ProgramLog log_;
  PowerGuard guard_;
  DriftTest drift_;
  SafeMode safe_;
  ReferenceMode reference_;
  InPlaceRun run_;
  PowerMode mode_, paced_;
  double set_end_s_ = 0;  // when the mode was set
  double pace_s_ = 0, old_pace_s_ = 0;
  std::optional<OperatingPoint> held_;
  int since_held_ = 0;      // profiles since the last check without drift
  std::size_t looked_ = 0;  // minibatches of the window that were assessed
  TunedProgram::Surroundings before_;
};

InPlaceProfiler::InPlaceProfiler(TunedProgram& program, const InPlaceOptions& options,
                                 Provenance provenance, Keep keep)
    : provenance_(provenance) {
  options.check();
  state_ = std::make_unique<State>(program, options, std::move(keep));
}

InPlaceProfiler::~InPlaceProfiler() = default;

void InPlaceProfiler::begin(const PowerMode& safe_mode) {
  state_->begin(safe_mode);
}

Observation InPlaceProfiler::profile(const OperatingPoint& point) {
  return state_->profile(point);
}

void InPlaceProfiler::hold(const OperatingPoint& point) {
  state_->hold(point);
}

bool InPlaceProfiler::watch(double duration_s) {
  return state_->watch(duration_s);
}

const PowerMode& InPlaceProfiler::mode() const {
  return state_->mode();
}

const InPlaceRun& InPlaceProfiler::run() {
  return state_->run();
}

store::PointRecord record_of(const InPlaceWindow& window) {
  constexpr int kMinPowerSamples = 10;
  store::PointRecord record;
  record.observation = window.observation();
  record.window_s = window.time_s * window.minibatches;
  record.energy_j = window.energy_j * window.minibatches;
  record.minibatches = window.minibatches;
  record.excluded = window.pauses;
  record.power_samples = window.power_samples;
  record.largest_gap_s = window.largest_gap_s;
  record.flags.add(PointFlag::kFewMinibatches, !window.precise);
  record.flags.add(PointFlag::kFewSamples, window.power_samples < kMinPowerSamples);
  record.started_unix_s = unix_s_before(window.end_s - window.begin_s);
  for (const auto& sample : window.power) {
    record.samples.push_back({"power:total", sample.time_s - window.begin_s, sample.power_w});
  }
  for (const auto& minibatch : window.times) {
    record.samples.push_back({"minibatch", minibatch.begin_s - window.begin_s, minibatch.time_s()});
  }
  return record;
}

namespace {

EffectTimes effect_times(const InPlaceRun& run, std::optional<double> InPlaceWindow::*effect) {
  std::vector<double> times;
  for (const auto& window : run.windows) {
    if (window.*effect) times.push_back(*(window.*effect));
  }
  if (times.empty()) return {};
  return {static_cast<int>(times.size()), median(times), quantile(times, 0.25),
          quantile(times, 0.75)};
}

}  // namespace

EffectTimes time_effects(const InPlaceRun& run) {
  return effect_times(run, &InPlaceWindow::time_effect_s);
}

EffectTimes power_effects(const InPlaceRun& run) {
  return effect_times(run, &InPlaceWindow::power_effect_s);
}

}  // namespace ridgewatt::measure
