#include "ridgewatt/govern/live.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/check_option.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/watched_command.h"

namespace ridgewatt::govern {
namespace {

// A minibatch longer than this multiple of the median counts as a pause of the program.
constexpr double kPause = 5;

// Converts marks and energies in the board's time to what the policy observes.
class LiveRun {
 public:
  LiveRun(Policy& policy, const std::vector<OperatingPoint>& modes,
          const std::function<void(const PowerMode&)>& set_mode, const LiveOptions& options,
          const std::function<void(const LiveStep&)>& step)
      : policy_(policy), modes_(modes), set_mode_(set_mode), options_(options), step_(step) {}

  // Call before the program starts.
  void begin() { take(policy_.decide({})); }

  // Returns false to end the program.
  bool look(const measure::WatchedMoment& now) {
    for (; read_ < now.marks.size(); ++read_) take_mark(now.marks[read_], now.now_s);
    energy_.push_back({now.now_s, now.energy_j});
    const double now_s = options_.time_scale * (now.now_s - now.begin_s);
    if (!step_begun_) step_begun_ = now.now_s;
    const Goal& goal = policy_.goal();
    const double done = static_cast<double>(minibatches_);
    const double energy_j = options_.time_scale * now.energy_j;
    if (goal.minibatches > 0 && done >= goal.minibatches) {
      finish(now_s, energy_j, "the job is done");
      return false;
    }
    if (goal.minibatches <= 0 && now_s >= goal.end_s) {
      finish(now_s, energy_j, "the goal's time is over");
      return false;
    }
    if (now_s < current_begin_s_ + current_.for_s) return true;
    finish(now_s, energy_j, "");
    current_begin_s_ = now_s;
    step_begun_ = now.now_s;
    take(policy_.decide({now_s, done, energy_j, request_hz_}));
    if (!current_.mode) {
      end_ = current_.reason;
      return false;
    }
    return true;
  }

  void fill(LiveOutcome& outcome) const {
    outcome.end = end_;
    outcome.switches = switches_;
    outcome.trials = policy_.trials();
  }

 private:
  struct Reading {
    double time_s = 0, energy_j = 0;
  };

  void take(const Decision& next) {
    current_ = next;
    if (!next.mode) return;
    if (mode_ != next.mode) {
      set_mode_(modes_[*next.mode].mode);
      if (mode_) ++switches_;
      changed_ = true;
    }
    mode_ = next.mode;
    marks_.clear();
    energy_.clear();
  }

  void take_mark(const measure::TimedMark& mark, double arrived_s) {
    if (mark.kind == measure::TimedMark::Kind::kFetched) fetched_s_ = mark.time_s;
    if (mark.kind != measure::TimedMark::Kind::kMinibatch) return;
    ++minibatches_;
    const double waited_s =
        marks_.empty() || fetched_s_ < marks_.back().time_s ? 0 : fetched_s_ - marks_.back().time_s;
    marks_.push_back({mark.time_s, waited_s, arrived_s});
  }

  // Energy at a time within the step, interpolated between readings.
  double energy_at(double time_s) const {
    const auto after =
        std::lower_bound(energy_.begin(), energy_.end(), time_s,
                         [](const Reading& reading, double time) { return reading.time_s < time; });
    if (after == energy_.begin()) return energy_.front().energy_j;
    if (after == energy_.end()) return energy_.back().energy_j;
    const Reading &a = *(after - 1), &b = *after;
    return a.energy_j + (b.energy_j - a.energy_j) * (time_s - a.time_s) / (b.time_s - a.time_s);
  }

  // Whole minibatches after the mode has settled.
  Window window() const {
    Window seen{.mode = mode_.value_or(0)};
    const double from_s = *step_begun_ + (changed_ ? options_.settle_s : 0);
    // By arrival time, since a fake program on a busy machine stamps its marks late.
    auto first = std::find_if(marks_.begin(), marks_.end(),
                              [&](const Mark& mark) { return mark.arrived_s >= from_s; });
    if (first == marks_.end() || marks_.end() - first < 2 || energy_.size() < 2) return seen;
    std::vector<double> gaps_s;
    double waited_s = 0;
    for (auto mark = first + 1; mark != marks_.end(); ++mark) {
      gaps_s.push_back(mark->time_s - (mark - 1)->time_s);
      waited_s += mark->waited_s;
    }
    const double usual_s = median(gaps_s);
    double paused_s = 0;
    for (const double gap_s : gaps_s) {
      if (gap_s > kPause * usual_s) paused_s += gap_s - usual_s;
    }
    const double scale = options_.time_scale, last_s = marks_.back().time_s;
    seen.duration_s = scale * (last_s - first->time_s);
    seen.paused_s = scale * paused_s;
    seen.minibatches = static_cast<double>(gaps_s.size());
    const double arrived_s = marks_.back().arrived_s - first->arrived_s;
    if (arrived_s > 0) {  // all energy readings are from this step, none from the previous mode
      const double energy_j = energy_at(marks_.back().arrived_s) - energy_at(first->arrived_s);
      seen.energy_j = energy_j / arrived_s * seen.duration_s;
    }
    const double spread = gaps_s.size() > 1 ? standard_deviation(gaps_s) / usual_s : 0.1;
    seen.time_sd = std::max(0.003, spread / std::sqrt(static_cast<double>(gaps_s.size())));
    seen.power_sd = std::max(0.005, 0.05 / std::sqrt(static_cast<double>(energy_.size())));
    if (policy_.goal().kind() == GoalKind::kLatency) {  // waiting times do not count
      const double busy_s = seen.duration_s - scale * waited_s;
      if (busy_s < 0.9 * seen.duration_s) seen.energy_j = 0;  // not the power at full load
      seen.duration_s = std::max(busy_s, 0.0);
      seen.paused_s = 0;
    }
    return seen;
  }

  void finish(double now_s, double energy_j, const std::string& end) {
    end_ = end;
    const Window seen = window();
    const double lasted_s = now_s - current_begin_s_;
    if (lasted_s > 0) {
      request_hz_ =
          (static_cast<double>(minibatches_) - step_minibatches_) * policy_.goal().batch / lasted_s;
    }
    if (mode_ && seen.duration_s > 0) policy_.see(seen);
    if (step_) {
      step_({current_begin_s_, current_, seen, static_cast<double>(minibatches_), energy_j});
    }
    step_minibatches_ = static_cast<double>(minibatches_);
    changed_ = false;
  }

  struct Mark {
    double time_s = 0, waited_s = 0, arrived_s = 0;
  };

  Policy& policy_;
  const std::vector<OperatingPoint>& modes_;
  const std::function<void(const PowerMode&)>& set_mode_;
  const LiveOptions& options_;
  const std::function<void(const LiveStep&)>& step_;
  Decision current_;
  std::optional<std::size_t> mode_;
  std::optional<double> step_begun_;  // on the board's clock
  double current_begin_s_ = 0, fetched_s_ = 0, request_hz_ = 0, step_minibatches_ = 0;
  bool changed_ = false;
  std::size_t read_ = 0, minibatches_ = 0, switches_ = 0;
  std::vector<Mark> marks_;
  std::vector<Reading> energy_;
  std::string end_;
};

}  // namespace

void LiveOptions::check() const {
  require_option(open || !command.empty(), "LiveOptions::command", "empty", "a program");
  require_option(rate_hz >= 1 && rate_hz <= 1000, "LiveOptions::rate_hz", rate_hz, "1 to 1000");
  require_option(time_scale > 0 && std::isfinite(time_scale), "LiveOptions::time_scale", time_scale,
                 "positive");
  require_option(rest_s >= 0 && rest_s <= 3600, "LiveOptions::rest_s", rest_s, "0 to 3600");
  require_option(settle_s >= 0 && settle_s <= 60, "LiveOptions::settle_s", settle_s, "0 to 60");
}

LiveOutcome govern_program(const platform::Sysfs& sysfs, Policy& policy,
                           const std::vector<OperatingPoint>& modes,
                           const std::function<void(const PowerMode&)>& set_mode,
                           const LiveOptions& options,
                           const std::function<void(const LiveStep&)>& step) {
  options.check();
  if (modes.size() != policy.belief().size()) {
    throw UsageError("the policy and the board control have different power modes");
  }
  if (options.rest_s > 0 && !options.open) {  // a program that already runs cannot rest
    set_mode(modes[policy.rest_mode()].mode);
    policy.see_rest(measure::mean_power_w(sysfs, options.rate_hz, options.rest_s));
  }
  LiveRun live(policy, modes, set_mode, options, step);
  live.begin();
  const auto look = [&](const measure::WatchedMoment& now) { return live.look(now); };
  const auto running = options.open ? options.open() : nullptr;
  const measure::WatchedRun run =
      running ? measure::watch_program(*running, look)
              : measure::watch_command(sysfs, options.command, options.rate_hz, look);
  LiveOutcome outcome;
  outcome.status = run.status;
  outcome.ended = run.ended;
  outcome.end_s = options.time_scale * (run.end_s - run.begin_s);
  outcome.minibatches = static_cast<double>(run.minibatches);
  outcome.energy_j = options.time_scale * run.energy_j;
  outcome.malformed_marks = run.malformed_marks;
  live.fill(outcome);
  if (!run.ended) outcome.end = "the program ended";
  return outcome;
}

}  // namespace ridgewatt::govern
