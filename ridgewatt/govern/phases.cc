#include "ridgewatt/govern/phases.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <set>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::govern {
namespace {

constexpr std::size_t kRemembered = 15;        // number of durations kept per phase
constexpr std::size_t kMostOpen = 64;          // maximum depth of nested phases
constexpr std::size_t kMostSwitches = 100000;  // maximum number of switch times kept
constexpr double kLookS = 0.5;

// Energy since the first sample, for any time within the recent samples.
class PowerSum {
 public:
  void add(const measure::TimedPower& sample, bool is_mean) {
    if (!sums_.empty()) {
      const Point& last = sums_.back();
      if (sample.time_s <= last.time_s) return;
      const double power_w = is_mean ? sample.power_w : (sample.power_w + last.power_w) / 2;
      sums_.push_back(
          {sample.time_s, sample.power_w, last.energy_j + power_w * (sample.time_s - last.time_s)});
    } else {
      sums_.push_back({sample.time_s, sample.power_w, 0});
    }
  }
  // Before the first and after the last sample, the power is assumed constant.
  double at(double time_s) const {
    if (sums_.empty()) return 0;
    const auto after =
        std::lower_bound(sums_.begin(), sums_.end(), time_s,
                         [](const Point& point, double time) { return point.time_s < time; });
    if (after == sums_.begin()) {
      return after->energy_j - after->power_w * (after->time_s - time_s);
    }
    const Point& before = *(after - 1);
    if (after == sums_.end()) return before.energy_j + before.power_w * (time_s - before.time_s);
    const double part = (time_s - before.time_s) / (after->time_s - before.time_s);
    return before.energy_j + part * (after->energy_j - before.energy_j);
  }
  bool covers(double time_s) const { return !sums_.empty() && sums_.back().time_s >= time_s; }
  double newest_s() const { return sums_.empty() ? 0 : sums_.back().time_s; }
  void forget(double before_s) {
    while (sums_.size() > 2 && sums_[1].time_s < before_s) sums_.pop_front();
  }

 private:
  struct Point {
    double time_s = 0, power_w = 0, energy_j = 0;
  };
  std::deque<Point> sums_;
};

class PhaseRun {
 public:
  PhaseRun(measure::TunedProgram& program, const PhaseOptions& options)
      : program_(program), options_(options), begin_s_(program.now_s()) {
    for (const auto& one : options.modes) uses_.push_back({.phase = one.phase, .mode = one.mode});
    lengths_.resize(uses_.size());
  }

  void take(const std::vector<measure::TimedMark>& marks,
            const std::vector<measure::TimedPower>& power) {
    for (const auto& sample : power) power_.add(sample, program_.tells_means());
    for (const auto& mark : marks) take_mark(mark);
    follow();
    settle(false);
  }

  PhaseOutcome finish() {
    const double end_s = program_.now_s();
    while (!open_.empty()) close(open_.size() - 1, end_s);
    settle(true);
    PhaseOutcome outcome;
    for (std::size_t i = 0; i < uses_.size(); ++i) {
      if (!lengths_[i].empty()) uses_[i].median_s = usual_s(i);
    }
    outcome.phases = std::move(uses_);
    outcome.time_s = end_s - begin_s_;
    outcome.energy_j = begin_j_ ? power_.at(end_s) - *begin_j_ : 0;
    outcome.minibatches = minibatches_;
    outcome.switches = switches_;
    if (!switch_s_.empty()) {
      outcome.median_switch_s = median(switch_s_);
      outcome.longest_switch_s = longest_s_;
      outcome.median_write_s = median(write_s_);
    }
    outcome.switching_s = switching_s_;
    outcome.malformed_marks = program_.malformed_marks();
    return outcome;
  }

 private:
  static constexpr std::size_t kUnnamed = static_cast<std::size_t>(-1);
  struct Open {
    std::string name;
    std::size_t use = kUnnamed;
    double begin_s = 0;
    std::size_t minibatches = 0;
    bool considered = false;
    std::optional<double> begin_j = {};  // set when samples reach begin_s
  };
  struct Ended {
    Open phase;
    double end_s = 0;
  };

  void take_mark(const measure::TimedMark& mark) {
    using Kind = measure::TimedMark::Kind;
    if (mark.kind == Kind::kMinibatch) {
      ++minibatches_;
      for (auto& phase : open_) ++phase.minibatches;
    } else if (mark.kind == Kind::kBegin && open_.size() < kMostOpen) {
      const auto found = std::find_if(uses_.begin(), uses_.end(),
                                      [&](const auto& use) { return use.phase == mark.name; });
      const auto use = static_cast<std::size_t>(found - uses_.begin());
      open_.push_back({mark.name, found == uses_.end() ? kUnnamed : use, mark.time_s});
    } else if (mark.kind == Kind::kEnd) {
      for (std::size_t i = open_.size(); i-- > 0;) {
        if (open_[i].name != mark.name) continue;
        // The phases inside a phase end with it.
        while (open_.size() > i) close(open_.size() - 1, mark.time_s);
        break;
      }
    }
  }

  void close(std::size_t index, double end_s) {
    const Open phase = open_[index];
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(index));
    if (phase.use == kUnnamed) return;
    PhaseUse& use = uses_[phase.use];
    const double length_s = std::max(0.0, end_s - phase.begin_s);
    ++use.times;
    use.time_s += length_s;
    use.minibatches += phase.minibatches;
    auto& lengths = lengths_[phase.use];
    lengths.push_back(length_s);
    if (lengths.size() > kRemembered) lengths.pop_front();
    ended_.push_back({phase, end_s});
  }

  double usual_s(std::size_t use) const {
    return median(std::vector<double>(lengths_[use].begin(), lengths_[use].end()));
  }

  // Cost of a switch to a mode and back, from the measured switches.
  double cost_s() const {
    return 2 * ((switch_s_.empty() ? 0 : median(switch_s_)) + options_.effect_s);
  }

  // Sets the mode of the innermost open phase that has a mode. Call it after all marks were read.
  void follow() {
    for (std::size_t i = open_.size(); i-- > 0;) {
      Open& phase = open_[i];
      if (phase.use == kUnnamed) continue;
      const bool first = !phase.considered;
      phase.considered = true;
      if (uses_[phase.use].mode == mode()) return;
      if (!lengths_[phase.use].empty() && usual_s(phase.use) < options_.least_times * cost_s()) {
        if (first) ++uses_[phase.use].too_short;
        return;
      }
      switch_to(phase, first);
      return;
    }
  }

  const PowerMode& mode() const { return mode_ ? *mode_ : options_.modes.front().mode; }

  void switch_to(const Open& phase, bool at_begin) {
    const double asked_s = program_.now_s();
    program_.set(uses_[phase.use].mode);
    const double done_s = program_.now_s();
    mode_ = uses_[phase.use].mode;
    ++switches_;
    ++uses_[phase.use].switches;
    // After a return to an outer phase, no mark gives the start of the switch.
    const double since_s = at_begin ? std::min(phase.begin_s, asked_s) : asked_s;
    switching_s_ += done_s - since_s;
    longest_s_ = std::max(longest_s_, done_s - since_s);
    if (switch_s_.size() >= kMostSwitches) return;
    switch_s_.push_back(done_s - since_s);
    write_s_.push_back(done_s - asked_s);
  }

  // Adds up the energy until the newest sample. With `all`, phases that ended later are included,
  // at the power of the last sample.
  void settle(bool all) {
    if (power_.newest_s() <= 0) return;
    if (!begin_j_) begin_j_ = power_.at(begin_s_);
    const auto begun = [&](Open& phase) {
      const bool known = all || power_.covers(phase.begin_s);
      if (!phase.begin_j && known) phase.begin_j = power_.at(phase.begin_s);
    };
    for (auto& phase : open_) begun(phase);
    std::erase_if(ended_, [&](Ended& one) {
      begun(one.phase);
      if (!one.phase.begin_j || (!all && !power_.covers(one.end_s))) return false;
      uses_[one.phase.use].energy_j += power_.at(one.end_s) - *one.phase.begin_j;
      return true;
    });
    double needed_s = power_.newest_s() - 1;  // marks may arrive late
    for (const auto& one : ended_) needed_s = std::min(needed_s, one.end_s);
    power_.forget(needed_s);
  }

  measure::TunedProgram& program_;
  const PhaseOptions& options_;
  double begin_s_;
  std::optional<PowerMode> mode_;
  std::vector<PhaseUse> uses_;
  std::vector<std::deque<double>> lengths_;
  std::vector<Open> open_;
  std::vector<Ended> ended_;
  PowerSum power_;
  std::optional<double> begin_j_;
  std::size_t minibatches_ = 0, switches_ = 0;
  std::vector<double> switch_s_, write_s_;
  double longest_s_ = 0, switching_s_ = 0;
};

}  // namespace

void PhaseOptions::check() const {
  if (modes.empty()) throw UsageError("no phase is given a power mode");
  std::set<std::string> names;
  for (const auto& one : modes) {
    if (one.phase.empty()) throw UsageError("each phase needs a name");
    if (!names.insert(one.phase).second)
      throw UsageError("this phase is given more than one power mode", one.phase);
  }
  require_option(least_times >= 0 && least_times <= 1e6, "PhaseOptions::least_times", least_times,
                 "0 to 10^6");
  require_option(effect_s >= 0 && effect_s <= 60, "PhaseOptions::effect_s", effect_s, "0 to 60");
  require_option(wait_s >= 1e-4 && wait_s <= 1, "PhaseOptions::wait_s", wait_s, "0.0001 to 1");
}

PhaseOutcome hold_phases(measure::TunedProgram& program, const PhaseOptions& options,
                         const std::function<void()>& look) {
  options.check();
  PhaseRun run(program, options);
  std::vector<measure::TimedMark> marks;
  std::vector<measure::TimedPower> power;
  double looked_s = program.now_s();
  for (bool goes_on = true; goes_on;) {
    marks.clear();
    power.clear();
    goes_on = program.wait(options.wait_s, marks, power);
    run.take(marks, power);
    if (!look || program.now_s() < looked_s + kLookS) continue;
    looked_s = program.now_s();
    look();
  }
  return run.finish();
}

}  // namespace ridgewatt::govern
