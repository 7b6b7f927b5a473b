#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/measure/in_place/drift.h"
#include "ridgewatt/measure/in_place/power_guard.h"
#include "ridgewatt/measure/in_place/transient.h"
#include "ridgewatt/measure/power_trace.h"
#include "ridgewatt/measure/window.h"

namespace ridgewatt::measure {
namespace {

constexpr double kTickS = 0.01;         // between two looks at power
constexpr double kEffectWithinS = 1.5;  // a change of mode has shown by then
constexpr double kBeforeS = 0.3;        // of power before a change, to tell the step from
constexpr double kSureS = 0.05;         // a minibatch that ends so long after the write is mixed
constexpr double kPause = 10;           // medians: a checkpoint, not a minibatch
constexpr std::size_t kPowerBatch = 5;  // samples averaged where the transient is told (MSER-5)
constexpr int kMostDoubts = 2;          // looks at the reference one after the other
constexpr double kCloseToLimit = 0.98;  // a mode to fall back to draws less than this share
constexpr int kAskedAgain = 2;          // profiles after which one above the limit asks that
constexpr double kFarFromLimit = 0.97;  // a reference draws less than this share
constexpr double kFarAbove = 1.03;      // of what a reference drew: everything draws more
constexpr double kWarmerC = 5;          // that is named as a cause
constexpr std::size_t kHeldMinibatches = 12;  // between two looks while a mode is held

// No knob higher than in either mode: what a change goes through draws less than both.
PowerMode lower_of(const PowerMode& a, const PowerMode& b) {
  PowerMode lower = b;
  for (const Knob knob : kKnobs) {
    if (a.has(knob) && b.has(knob)) lower.set(knob, std::min(a.get(knob), b.get(knob)));
  }
  return lower;
}

double half_width(const MeanInterval& interval) {
  return interval.mean > 0 ? (interval.hi - interval.lo) / 2 / interval.mean
                           : std::numeric_limits<double>::infinity();
}

std::string cause_of_drift(const TunedProgram::Surroundings& before,
                           const TunedProgram::Surroundings& now) {
  for (const auto& process : now.processes) {
    if (std::find(before.processes.begin(), before.processes.end(), process) ==
        before.processes.end()) {
      return "another process: " + process;
    }
  }
  for (const auto& process : before.processes) {
    if (std::find(now.processes.begin(), now.processes.end(), process) == now.processes.end()) {
      return "another process ended: " + process;
    }
  }
  for (const auto& signal : now.throttled) {
    if (std::find(before.throttled.begin(), before.throttled.end(), signal) ==
        before.throttled.end()) {
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

}  // namespace

void InPlaceOptions::check() const {
  const auto require = [](bool good, const char* field, double value, const char* constraint) {
    if (!good) throw UsageError(fmt::format("{} is {:g}", field, value), "in place", constraint);
  };
  require(precision > 0 && precision < 1, "precision", precision, "it must be above 0, below 1");
  require(least_minibatches >= 4, "least_minibatches", least_minibatches, "it must be 4 or more");
  require(most_minibatches >= least_minibatches, "most_minibatches", most_minibatches,
          "it must be least_minibatches or more");
  require(longest_s > 0, "longest_s", longest_s, "it must be more than 0 s");
  require(power_limit_w > 0, "power_limit_w", power_limit_w, "it must be more than 0 W");
  require(guard_s >= 0.01 && guard_s <= 60, "guard_s", guard_s, "it must be 0.01 to 60 s");
  require(silence_s > 0, "silence_s", silence_s, "it must be more than 0 s");
  require(warm_up >= 1, "warm_up", warm_up, "it must be 1 or more");
  require(drift.reference_every >= 0, "drift.reference_every", drift.reference_every,
          "it must be 0 or more");
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
        guard_(options.power_limit_w, options.guard_s),
        drift_(options.drift) {}

  void begin(const PowerMode& safe_mode) {
    run_.begin_s = last_mark_s_ = program_.now_s();
    first_ = safe_ = safe_mode;
    set(safe_mode);
    while (run_.minibatches < options_.warm_up + 1) {
      step();
      if (run_.ended) throw ProgramEndedError("the program ended before its first minibatches");
      require_marks();
    }
    before_ = program_.surroundings();
  }

  Observation profile(const OperatingPoint& point) {
    if (reference_due()) look_at_reference();
    InPlaceWindow window = measure(point, InPlaceWindow::Kind::kProfile);
    ++since_held_;
    if (window.over_limit) {
      // Was it the mode, or does everything draw more?
      if (since_held_ >= kAskedAgain) since_reference_ = options_.drift.reference_every;
      throw OverLimitError(fmt::format("{:.2f} W is above the limit of {:g} W", window.power_w,
                                       options_.power_limit_w),
                           describe(point.mode), window.power_w);
    }
    ++since_reference_;
    const bool known = drift_.knows(point.mode);
    const auto look = drift_.look(window);
    if (known) answer(look, window);
    choose_reference(window);
    if (!reference_) since_held_ = 0;  // nothing tells
    return window.observation();
  }

  void hold(const OperatingPoint& point) {
    held_ = point;
    set(point.mode);
    begin_window();
  }

  bool watch(double duration_s) {
    const double until_s = program_.now_s() + duration_s;
    while (!run_.ended && program_.now_s() < until_s) {
      step();
      if (leave_over_limit()) {
        run_.drift.push_back(
            {program_.now_s() - run_.begin_s, 0, 1, 1,
             fmt::format("over the limit in the held mode, {} set instead", describe(mode_))});
        begin_window();
      }
      const auto minibatches = since(set_end_s_);
      if (minibatches.size() < kHeldMinibatches) continue;
      look_at_held();
    }
    return !run_.ended;
  }

  const PowerMode& mode() const { return mode_; }
  const InPlaceRun& run() {
    run_.end_s = std::max(run_.end_s, program_.now_s());
    run_.over_limit_s = guard_.over_s();
    run_.longest_over_limit_s = guard_.longest_s();
    run_.worst_excess = guard_.worst_excess();
    return run_;
  }

 private:
  // News of the program, taken in.
  void step() {
    check_work();
    const std::size_t marks = marks_.size(), samples = power_.size();
    if (!program_.wait(kTickS, marks_, power_)) run_.ended = true;
    for (std::size_t i = marks; i < marks_.size(); ++i) {
      last_mark_s_ = marks_[i].time_s;
      if (marks_[i].kind == TimedMark::Kind::kMinibatch) ++run_.minibatches;
    }
    for (std::size_t i = samples; i < power_.size(); ++i) {
      if (last_power_s_ > 0) {
        run_.energy_j += power_[i].power_w * (power_[i].time_s - last_power_s_);
      }
      last_power_s_ = power_[i].time_s;
      guard_.add(power_[i]);
    }
  }

  void require_marks() const {
    if (program_.now_s() - last_mark_s_ < options_.silence_s) return;
    throw IoError(fmt::format("the program has marked no minibatch for {:g} s", options_.silence_s),
                  "in place", "see docs/guide/measure.md for how a program marks them");
  }

  // From below: by way of what draws less than both modes.
  void set(const PowerMode& mode) {
    const PowerMode lower = lower_of(mode_, mode);
    const bool between = mode_ != PowerMode() && lower != mode_ && lower != mode;
    if (between) program_.set(lower);
    program_.set(mode);
    mode_ = mode;
    set_end_s_ = program_.now_s();
    guard_.mode_set(set_end_s_);
  }

  bool leave_over_limit() {
    if (mode_ == first_ || !guard_.over()) return false;
    if (mode_ == safe_) {  // no longer
      safe_ = first_;
      safe_pace_s_.reset();
    }
    set(safe_);
    return true;
  }

  // Keeps of the past what the next window's beginning is told from.
  void begin_window() {
    const double since_s = program_.now_s() - std::max(kBeforeS, 2 * pace_s_);
    std::erase_if(power_, [&](const TimedPower& sample) { return sample.time_s < since_s; });
    const auto old = [&](const TimedMark& mark) { return mark.time_s < since_s; };
    auto first = std::find_if_not(marks_.begin(), marks_.end(), old);
    if (first != marks_.begin()) --first;  // where the minibatch began that runs now
    marks_.erase(marks_.begin(), first);
  }

  std::vector<MarkedMinibatch> since(double begin_s) const {
    auto minibatches = minibatches_of(marks_);
    std::erase_if(minibatches, [&](const auto& one) { return one.begin_s < begin_s; });
    return minibatches;
  }

  InPlaceWindow measure(const OperatingPoint& point, InPlaceWindow::Kind kind) {
    begin_window();
    InPlaceWindow window;
    window.kind = kind;
    window.point = point;
    window.changed = mode_ != point.mode;
    old_pace_s_ = paced_ == mode_ ? pace_s_ : 0;
    window.set_s = program_.now_s();
    set_end_s_ = window.set_s;
    if (window.changed) set(point.mode);
    window.write_s = program_.now_s() - window.set_s;
    std::size_t looked = 0;
    for (;;) {
      step();
      if (leave_over_limit()) {
        window.over_limit = true;
        window.power_w = over_power_w(window);
        window.end_s = program_.now_s();
        break;
      }
      auto minibatches = since(window.changed ? window.set_s + window.write_s : window.set_s);
      const bool late = program_.now_s() - window.set_s > options_.longest_s;
      // Until a sample came after a minibatch its energy is a guess.
      while (!late && !minibatches.empty() && minibatches.back().end_s > last_power_s_) {
        minibatches.pop_back();
      }
      const bool enough =
          minibatches.size() >= static_cast<std::size_t>(late ? 2 : options_.least_minibatches);
      if (enough && (minibatches.size() > looked || late)) {
        looked = minibatches.size();
        if (assess(minibatches, late, window)) break;
      }
      if (run_.ended) throw ProgramEndedError("the program ended");
      require_marks();
    }
    if (!window.over_limit) finish(window);
    InPlaceWindow kept = window;
    kept.times.clear();
    kept.power.clear();
    run_.windows.push_back(std::move(kept));
    if (keep_ && !window.over_limit) keep_(window);
    return window;
  }

  // What was seen of it last, averaged as the limit is.
  double over_power_w(const InPlaceWindow& window) const {
    double sum_w = 0;
    int count = 0;
    for (auto at = power_.rbegin(); at != power_.rend(); ++at) {
      const bool late = at->time_s > power_.back().time_s - options_.guard_s / 2;
      if (at->time_s <= window.set_s + window.write_s || !late) break;
      sum_w += at->power_w;
      ++count;
    }
    return count > 0 ? std::max(sum_w / count, options_.power_limit_w) : options_.power_limit_w;
  }

  // Where power has settled after the change.
  double settled_s(const InPlaceWindow& window) const {
    std::vector<double> batches, ends;
    double sum_w = 0;
    std::size_t count = 0;
    for (const auto& sample : power_) {
      if (sample.time_s <= window.set_s) continue;
      sum_w += sample.power_w;
      if (++count % kPowerBatch != 0) continue;
      batches.push_back(sum_w / kPowerBatch);
      ends.push_back(sample.time_s);
      sum_w = 0;
    }
    const std::size_t left_out = transient_length(batches);
    return left_out > 0 ? ends[left_out - 1] : window.set_s;
  }

  // Fills in the window from its minibatches; true when it is complete.
  bool assess(const std::vector<MarkedMinibatch>& all, bool late, InPlaceWindow& window) {
    std::vector<MarkedMinibatch> counted = all;
    std::vector<double> times;
    for (const auto& one : counted) times.push_back(one.time_s());
    const double middle_s = median(times);
    std::erase_if(counted, [&](const auto& one) { return one.time_s() > kPause * middle_s; });
    window.pauses = static_cast<int>(all.size() - counted.size());
    if (window.changed && counted.size() >= 4) {
      times.clear();
      for (const auto& one : counted) times.push_back(one.time_s());
      const std::size_t transient = transient_length(times);
      const double steady_s = std::min(settled_s(window), counted[counted.size() / 2].begin_s);
      counted.erase(counted.begin(), counted.begin() + static_cast<std::ptrdiff_t>(transient));
      std::erase_if(counted, [&](const auto& one) { return one.begin_s < steady_s; });
    }
    window.left_out = static_cast<int>(all.size() - counted.size()) - window.pauses +
                      (window.changed ? 1 : 0);  // the one in which the mode changed
    const auto least = static_cast<std::size_t>(late ? 2 : options_.least_minibatches);
    if (counted.size() < least) return false;
    PowerTrace trace{"total", true, {}, {}};
    for (const auto& sample : power_) {
      if (!trace.times_s.empty() && sample.time_s <= trace.times_s.back()) continue;
      trace.times_s.push_back(sample.time_s);
      trace.powers_w.push_back(sample.power_w);
    }
    if (trace.times_s.empty()) return false;
    if (program_.tells_means()) trace = as_steps(trace);
    const PowerIntegral energy(trace);
    times.clear();
    std::vector<double> energies;
    for (auto& one : counted) {
      one.energy_j = energy.energy_j(one.begin_s, one.end_s);
      times.push_back(one.time_s());
      energies.push_back(one.energy_j);
    }
    const auto time = batch_means_interval(times), joules = batch_means_interval(energies);
    window.time_s = time.mean;
    window.energy_j = joules.mean;
    window.power_w = joules.mean / time.mean;
    window.time_error = half_width(time);
    window.energy_error = half_width(joules);
    window.median_s = median(times);
    window.spread = median_absolute_deviation(times) / window.median_s;
    window.minibatches = static_cast<int>(counted.size());
    window.begin_s = counted.front().begin_s;
    window.end_s = counted.back().end_s;
    window.times = std::move(counted);
    window.precise = std::max(window.time_error, window.energy_error) <= options_.precision;
    return window.precise || late || window.minibatches >= options_.most_minibatches;
  }

  void finish(InPlaceWindow& window) {
    for (const auto& sample : power_) {
      if (sample.time_s < window.begin_s || sample.time_s > window.end_s) continue;
      if (!window.power.empty()) {
        window.largest_gap_s =
            std::max(window.largest_gap_s, sample.time_s - window.power.back().time_s);
      }
      window.power.push_back(sample);
    }
    window.power_samples = static_cast<int>(window.power.size());
    if (!(window.power_w > 0)) throw NotFoundError("no power", describe(window.point.mode));
    if (window.changed) tell_effects(window);
    pace_s_ = window.median_s;
    paced_ = tells_pace(window) ? window.point.mode : PowerMode();
    const bool within = window.power_w <= kCloseToLimit * options_.power_limit_w;
    if (std::isfinite(options_.power_limit_w) && within &&
        (safe_ == window.point.mode || !safe_pace_s_ || window.time_s <= *safe_pace_s_)) {
      safe_ = window.point.mode;
      safe_pace_s_ = window.time_s;
    }
  }

  // Of fewer minibatches neither pace nor spread is known well enough to say when a change was.
  bool tells_pace(const InPlaceWindow& window) const {
    return window.minibatches >= options_.least_minibatches && window.spread > 0;
  }

  void tell_effects(InPlaceWindow& window) const {
    std::vector<TimedPower> around;
    for (const auto& sample : power_) {
      if (sample.time_s > window.set_s - kBeforeS && sample.time_s < window.set_s + kEffectWithinS)
        around.push_back(sample);
    }
    if (const auto change_s = change_point(around)) {
      if (*change_s > window.set_s) window.power_effect_s = *change_s - window.set_s;
    }
    if (!(old_pace_s_ > 0) || !tells_pace(window)) return;
    // The marks that enclose the change.
    const TimedMark* begin = nullptr;
    std::size_t count = 0;
    for (const auto& mark : marks_) {
      if (mark.kind != TimedMark::Kind::kMinibatch) continue;
      if (mark.time_s <= window.set_s) {
        begin = &mark;
        continue;
      }
      if (begin == nullptr) return;
      ++count;
      if (mark.time_s < window.set_s + window.write_s + kSureS) continue;
      const auto change_s = pace_change(begin->time_s, mark.time_s, count, old_pace_s_,
                                        window.median_s, window.spread);
      if (change_s && *change_s > begin->time_s && *change_s < mark.time_s) {
        window.time_effect_s = *change_s - window.set_s;
      }
      return;
    }
  }

  bool reference_due() const {
    return options_.drift.reference_every > 0 && reference_ &&
           since_reference_ >= options_.drift.reference_every;
  }

  // The mode of the quickest minibatches, since looking at it costs least, that is far enough below
  // the limit for drift to be seen before the limit is.
  void choose_reference(const InPlaceWindow& window) {
    if (window.power_w > kFarFromLimit * options_.power_limit_w) return;
    if (!window.precise && reference_) return;
    if (reference_ && window.time_s > 0.7 * reference_time_s_) return;
    reference_ = window.point;
    reference_time_s_ = window.time_s;
  }

  void look_at_reference() {
    since_reference_ = 0;
    for (int doubts = 0;; ++doubts) {
      const auto known_w = drift_.power_w(reference_->mode);
      const InPlaceWindow window = measure(*reference_, InPlaceWindow::Kind::kReference);
      if (window.over_limit) {  // it was within the limit
        const double factor = window.power_w / known_w.value_or(window.power_w);
        reference_.reset();
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
    reference_ = window.point;
    reference_time_s_ = window.time_s;
    note_drift(look.time_factor, look.power_factor);
  }

  [[noreturn]] void note_drift(double time_factor, double power_factor) {
    add_drift(time_factor, power_factor);
    since_reference_ = 0;
    safe_pace_s_.reset();
    throw DriftedError("what was profiled no longer holds: " + run_.drift.back().cause, time_factor,
                       power_factor);
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
    const auto minibatches = since(set_end_s_);
    if (!assess(minibatches, /*late=*/true, window)) return;
    const bool known = drift_.knows(mode_);
    const auto look = drift_.look(window);
    begin_window();
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
  PowerGuard guard_;
  DriftTest drift_;
  InPlaceRun run_;
  PowerMode mode_, first_, safe_, paced_;
  std::optional<double> safe_pace_s_;  // time of a minibatch in the safe mode
  double set_end_s_ = 0;               // the mode was set
  double last_mark_s_ = 0, last_power_s_ = 0;
  double pace_s_ = 0, old_pace_s_ = 0;
  std::optional<OperatingPoint> reference_, held_;
  double reference_time_s_ = 0;
  int since_reference_ = 0;
  int since_held_ = 0;  // profiles since it was last seen that nothing has drifted
  TunedProgram::Surroundings before_;
  std::vector<TimedMark> marks_;  // since shortly before the window began
  std::vector<TimedPower> power_;
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
  record.flags.add(store::PointFlag::kFewMinibatches, !window.precise);
  record.flags.add(store::PointFlag::kFewSamples, window.power_samples < kMinPowerSamples);
  record.started_unix_s = std::time(nullptr);
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
