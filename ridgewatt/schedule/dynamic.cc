#include "ridgewatt/schedule/dynamic.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

// How many plans the oracle tries on a window beyond the first that meets the bound, in all, and
// without training.
constexpr std::size_t kOracleMore = 5;
constexpr std::size_t kOracleMost = 150;
constexpr std::size_t kOracleServing = 10;

// Share of the bound that a request may wait in the worst case, and of the capacity that arrivals
// may take.
constexpr double kMostWait = 0.9;
constexpr double kMostLoad = 0.9;

// A pause below this share of the latency bound makes no request late; a longer one may come only
// so often that p99 forgives it.
constexpr double kHarmlessPause = 0.3;
constexpr double kForgivenShare = 0.01;

std::size_t count_since(std::span<const double> arrivals, double since_s) {
  return static_cast<std::size_t>(arrivals.end() -
                                  std::lower_bound(arrivals.begin(), arrivals.end(), since_s));
}

std::vector<Candidate> within_power(std::vector<Candidate> candidates, double max_power_w) {
  std::erase_if(candidates,
                [&](const auto& candidate) { return candidate.peak_power_w() > max_power_w; });
  return candidates;
}

// The same plan without training: what serves most.
Setting serving_only(Setting setting) {
  setting.candidate.train_time_s = 0;
  setting.training_per_cycle = 0;
  return setting;
}

Setting setting_at(const Candidate& candidate, std::span<const Candidate> candidates,
                   double rate_hz, Bound bound) {
  Plan plan;
  plan.candidate = candidate;
  plan.cycle = make_cycle(candidate, rate_hz, bound);
  return make_setting(plan, candidates);
}

// One window of the oracle, which knows its arrivals. Requests that windows before left behind come
// first, at negative times.
class OracleWindow {
 public:
  OracleWindow(std::span<const Candidate> candidates, const PlanProblem& problem,
               const SimulationOptions& simulation, std::vector<double> arrivals,
               std::size_t left_behind)
      : candidates_(candidates),
        problem_(problem),
        simulation_(simulation),
        arrivals_(std::move(arrivals)),
        left_behind_(left_behind),
        rate_hz_(std::max<double>(1, static_cast<double>(arrivals_.size())) /
                 simulation_.duration_s) {}

  // Most training of a plan that keeps the bound; negative when none does.
  double solve() const {
    std::vector<std::pair<double, const Candidate*>> ranked;
    for (const auto& candidate : candidates_) {
      const double fill = early_dispatch(candidate, rate_hz_, problem_.max_latency_s).fill_hz;
      if (fill > 0) ranked.emplace_back(fill, &candidate);
    }
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    double best = -1;
    std::size_t more = 0;
    for (std::size_t i = 0; i < std::min(ranked.size(), kOracleMost); ++i) {
      if (best >= 0 && more++ >= kOracleMore) break;
      const Simulation result = run(setting(*ranked[i].second));
      if (keeps_bound(result)) best = std::max(best, result.training_throughput_hz);
    }
    if (best >= 0) return best;
    for (const Candidate* candidate : by_capacity()) {
      if (keeps_bound(run(serving_only(setting(*candidate))))) return 0;
    }
    return -1;
  }

  // Arrivals that even the plan with the most capacity leaves to the next window, by its clock.
  std::vector<double> leave_behind() const {
    const Simulation result = run(serving_only(setting(*by_capacity().front())));
    std::vector<double> left;
    for (std::size_t i = 0; i < arrivals_.size(); ++i) {
      const bool served = i < result.latencies_s.size() &&
                          arrivals_[i] + result.latencies_s[i] <= simulation_.duration_s;
      if (!served) left.push_back(arrivals_[i] - simulation_.duration_s);
    }
    return left;
  }

 private:
  Setting setting(const Candidate& candidate) const {
    return setting_at(candidate, candidates_, rate_hz_, Bound::kStrict);
  }
  Simulation run(const Setting& setting) const { return simulate(setting, arrivals_, simulation_); }
  bool keeps_bound(const Simulation& result) const {
    if (result.latencies_s.size() < arrivals_.size()) return false;
    std::vector<double> own(result.latencies_s.begin() + static_cast<std::ptrdiff_t>(left_behind_),
                            result.latencies_s.end());
    return own.empty() || quantile(own, 0.99) <= problem_.max_latency_s;
  }
  std::vector<const Candidate*> by_capacity() const {
    std::vector<const Candidate*> order;
    for (const auto& candidate : candidates_) order.push_back(&candidate);
    const std::size_t count = std::min(order.size(), kOracleServing);
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [](const Candidate* a, const Candidate* b) {
                        return a->infer_time_s * b->batch < b->infer_time_s * a->batch;
                      });
    order.resize(count);
    return order;
  }

  std::span<const Candidate> candidates_;
  const PlanProblem& problem_;
  SimulationOptions simulation_;
  std::vector<double> arrivals_;
  std::size_t left_behind_;
  double rate_hz_;
};

// Most training of every window, negative where the bound cannot be met: from an empty queue, and
// after a window in which it cannot, from what even the plan with the most capacity left behind.
std::vector<double> oracle_windows(const std::vector<Candidate>& candidates,
                                   const PlanProblem& problem, std::span<const double> arrivals,
                                   const SimulationOptions& simulation) {
  const auto windows =
      static_cast<std::size_t>(std::ceil(simulation.duration_s / simulation.window_s - 1e-9));
  const auto window = [&](std::size_t w, const std::vector<double>& left_behind) {
    const double start_s = static_cast<double>(w) * simulation.window_s;
    const auto first = std::lower_bound(arrivals.begin(), arrivals.end(), start_s);
    const auto last = std::lower_bound(first, arrivals.end(), start_s + simulation.window_s);
    std::vector<double> shifted = left_behind;
    for (auto at = first; at != last; ++at) shifted.push_back(*at - start_s);
    SimulationOptions options = simulation;
    options.duration_s = std::min(simulation.window_s, simulation.duration_s - start_s);
    return OracleWindow(candidates, problem, options, std::move(shifted), left_behind.size());
  };
  std::vector<double> best(windows);
  parallel_for(windows, [&](std::size_t w) { best[w] = window(w, {}).solve(); });
  std::vector<double> left_behind;
  for (std::size_t w = 0; w < windows; ++w) {
    if (!left_behind.empty() && best[w] >= 0) best[w] = window(w, left_behind).solve();
    left_behind = best[w] < 0 ? window(w, left_behind).leave_behind() : std::vector<double>{};
  }
  return best;
}

double busiest_window_hz(const Simulation& simulation, double window_s) {
  std::size_t most = 0;
  for (const auto& window : simulation.windows) most = std::max(most, window.requests);
  return static_cast<double>(most) / window_s;
}

}  // namespace

double RateEstimator::estimate(double now_s, std::span<const double> arrivals) const {
  const double quick_s = std::min(short_s, now_s), slow_s = std::min(long_s, now_s);
  if (quick_s <= 0) return 0;
  const auto quick_count = static_cast<double>(count_since(arrivals, now_s - quick_s));
  const auto slow_count = static_cast<double>(count_since(arrivals, now_s - slow_s));
  const double expected = slow_count / slow_s * quick_s;
  const bool changed = std::abs(quick_count - expected) > sigmas * std::sqrt(expected + 1);
  if (!changed) return slow_count / slow_s;
  if (quick_count < expected) return quick_count / quick_s;
  // A jump upwards must not be averaged with what was before it: too high a rate does no harm.
  const double latest_s = quick_s / 3;
  const auto latest_count = static_cast<double>(count_since(arrivals, now_s - latest_s));
  return std::max(quick_count / quick_s, latest_count / latest_s);
}

void DynamicOptions::check() const {
  if (!(estimator.short_s > 0) || !(estimator.long_s >= estimator.short_s) ||
      !(estimator.sigmas >= 0)) {
    throw UsageError("the windows of the rate estimate must be positive, the short one shorter");
  }
  if (!(head_room >= 0) || !(hysteresis >= 0) || !(dwell_s >= 0) || !(epoch_s > 0) ||
      !(mode_change_s >= 0) || !(initial_rate_hz >= 0)) {
    throw UsageError("head-room, hysteresis and times cannot be negative");
  }
}

DynamicController::DynamicController(std::vector<Candidate> candidates, const PlanProblem& problem,
                                     const DynamicOptions& options)
    : candidates_(within_power(std::move(candidates), problem.max_power_w)),
      problem_(problem),
      options_(options) {
  options_.check();
  problem_.check(true);
  if (candidates_.empty()) throw NoSolutionError("no profiled mode is within the power budget");
  planned_rate_hz_ = std::max(options_.initial_rate_hz, 1.0) * (1 + options_.head_room);
  current_ = &choose(planned_rate_hz_);
  trains_ = meets(*current_, planned_rate_hz_);
}

bool DynamicController::meets(const Candidate& candidate, double rate_hz) const {
  // A request that just missed a batch waits for it or for the training minibatch in its way, then
  // for its own.
  const double worst_s =
      candidate.infer_time_s + std::max(candidate.infer_time_s, candidate.blocking_s);
  if (worst_s > kMostWait * problem_.max_latency_s) return false;
  const double requests = early_dispatch(candidate, rate_hz, problem_.max_latency_s).requests;
  return candidate.infer_time_s * rate_hz <= kMostLoad * requests;
}

double DynamicController::training_hz(const Candidate& candidate, double rate_hz) const {
  return early_dispatch(candidate, rate_hz, problem_.max_latency_s).fill_hz;
}

const Candidate& DynamicController::choose(double rate_hz) const {
  const Candidate* best = nullptr;
  const Candidate* most_capacity = &candidates_.front();
  for (const auto& candidate : candidates_) {
    if (candidate.infer_time_s * most_capacity->batch <
        most_capacity->infer_time_s * candidate.batch) {
      most_capacity = &candidate;
    }
    if (!meets(candidate, rate_hz)) continue;
    if (best == nullptr || training_hz(candidate, rate_hz) > training_hz(*best, rate_hz)) {
      best = &candidate;
    }
  }
  return best != nullptr ? *best : *most_capacity;
}

Setting DynamicController::setting() const {
  Setting result = setting_at(*current_, candidates_, planned_rate_hz_, problem_.bound);
  return trains_ ? result : serving_only(std::move(result));
}

Setting DynamicController::initial() const {
  return setting();
}

double DynamicController::dwell_s() const {
  const bool pause_is_late = options_.mode_change_s > kHarmlessPause * problem_.max_latency_s;
  return pause_is_late ? std::max(options_.dwell_s, options_.mode_change_s / kForgivenShare)
                       : options_.dwell_s;
}

std::optional<Setting> DynamicController::decide(double now_s,
                                                 std::span<const double> arrivals_so_far) {
  const double estimate = options_.estimator.estimate(now_s, arrivals_so_far);
  const double rate = std::max(estimate, 1e-3) * (1 + options_.head_room);
  const Candidate& wanted = choose(rate);
  const bool enough = meets(*current_, std::max(estimate, 1e-3));
  const bool same = &wanted == current_;
  if (same && trains_ == (enough || meets(wanted, rate))) return std::nullopt;
  // A plan is made with head-room, but left only when the estimate itself is too much for it.
  if (enough && trains_) {
    const bool gains =
        training_hz(wanted, rate) > training_hz(*current_, rate) * (1 + options_.hysteresis);
    if (!gains || now_s < changed_s_ + dwell_s()) return std::nullopt;
  }
  current_ = &wanted;
  // Where no plan keeps up, only inference runs.
  trains_ = meets(wanted, rate) || (enough && same);
  planned_rate_hz_ = rate;
  changed_s_ = now_s;
  ++plans_changed_;
  return setting();
}

DynamicSummary run_dynamic(const std::vector<Candidate>& candidates,
                           const std::vector<Candidate>& all, const PlanProblem& problem,
                           std::span<const double> arrivals, const SimulationOptions& simulation,
                           const DynamicOptions& options) {
  SimulationOptions settings = simulation;
  settings.max_latency_s = problem.max_latency_s;
  settings.mode_change_s = options.mode_change_s;
  settings.epoch_s = options.epoch_s;
  settings.fill_idle = true;
  DynamicController controller(candidates, problem, options);
  DynamicSummary summary;
  summary.dynamic = simulate(controller.initial(), arrivals, settings, &controller);
  summary.plans_changed = controller.plans_changed();

  DynamicOptions fixed = options;
  fixed.initial_rate_hz = busiest_window_hz(summary.dynamic, settings.window_s);
  const DynamicController busiest(candidates, problem, fixed);
  const Simulation constant = simulate(busiest.initial(), arrivals, settings);

  const auto oracle =
      oracle_windows(within_power(all, problem.max_power_w), problem, arrivals, settings);
  summary.requests = arrivals.size();
  summary.windows = oracle.size();
  summary.mode_changes = static_cast<std::size_t>(summary.dynamic.mode_changes);
  for (std::size_t w = 0; w < oracle.size(); ++w) {
    if (oracle[w] < 0) continue;
    ++summary.feasible;
    summary.met += summary.dynamic.windows[w].p99_s <= problem.max_latency_s ? 1 : 0;
    summary.static_met += constant.windows[w].p99_s <= problem.max_latency_s ? 1 : 0;
    summary.training_sum_hz += summary.dynamic.windows[w].training_minibatches / settings.window_s;
    summary.static_training_sum_hz += constant.windows[w].training_minibatches / settings.window_s;
    summary.oracle_training_sum_hz += oracle[w];
  }
  return summary;
}

void DynamicSummary::add(const DynamicSummary& other) {
  requests += other.requests;
  windows += other.windows;
  feasible += other.feasible;
  met += other.met;
  training_sum_hz += other.training_sum_hz;
  oracle_training_sum_hz += other.oracle_training_sum_hz;
  plans_changed += other.plans_changed;
  mode_changes += other.mode_changes;
  static_met += other.static_met;
  static_training_sum_hz += other.static_training_sum_hz;
}

}  // namespace ridgewatt
