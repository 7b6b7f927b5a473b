#include "ridgewatt/schedule/dynamic.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"

namespace ridgewatt {
namespace {

// How many plans the oracle tries on a window beyond the first that meets the bound, and in all.
constexpr std::size_t kOracleMore = 3;
constexpr std::size_t kOracleMost = 150;

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

// Training of the best plan for the arrivals of one window; negative when none meets the bound.
double oracle_training_hz(const std::vector<Candidate>& candidates, double max_latency_s,
                          std::span<const double> arrivals, SimulationOptions simulation) {
  const double rate =
      std::max<double>(1, static_cast<double>(arrivals.size())) / simulation.duration_s;
  std::vector<std::pair<double, const Candidate*>> ranked;
  for (const auto& candidate : candidates) {
    const double fill = fill_throughput_hz(candidate, rate);
    if (fill > 0) ranked.emplace_back(fill, &candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  double best = -1;
  std::size_t more = 0;
  for (std::size_t i = 0; i < std::min(ranked.size(), kOracleMost); ++i) {
    if (best >= 0 && (ranked[i].first <= best || more++ >= kOracleMore)) break;
    Plan plan;
    plan.candidate = *ranked[i].second;
    plan.cycle = make_cycle(plan.candidate, rate, Bound::kStrict);
    const Simulation result = simulate(make_setting(plan, candidates), arrivals, simulation);
    if (result.p99_s <= max_latency_s) best = std::max(best, result.training_throughput_hz);
  }
  return best;
}

std::vector<double> oracle_windows(const std::vector<Candidate>& candidates,
                                   const PlanProblem& problem, std::span<const double> arrivals,
                                   const SimulationOptions& simulation) {
  const auto windows =
      static_cast<std::size_t>(std::ceil(simulation.duration_s / simulation.window_s - 1e-9));
  std::vector<double> best(windows);
  parallel_for(windows, [&](std::size_t w) {
    const double start_s = static_cast<double>(w) * simulation.window_s;
    const auto first = std::lower_bound(arrivals.begin(), arrivals.end(), start_s);
    const auto last = std::lower_bound(first, arrivals.end(), start_s + simulation.window_s);
    std::vector<double> shifted(first, last);
    for (double& time_s : shifted) time_s -= start_s;
    SimulationOptions options = simulation;
    options.duration_s = std::min(simulation.window_s, simulation.duration_s - start_s);
    best[w] = oracle_training_hz(candidates, problem.max_latency_s, shifted, options);
  });
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
  return changed ? quick_count / quick_s : slow_count / slow_s;
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
}

bool DynamicController::meets(const Candidate& candidate, double rate_hz) const {
  const Cycle cycle = make_cycle(candidate, rate_hz, problem_.bound);
  if (!cycle.stable) return false;
  // A batch that gathers slowly is sent off before it is full, so that only what runs counts: the
  // inference minibatch and the training minibatch that may be in its way.
  const double least_s = candidate.infer_time_s + candidate.blocking_s;
  return std::min(cycle.latency_s, least_s / 0.6) <= problem_.max_latency_s;
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
    if (best == nullptr ||
        fill_throughput_hz(candidate, rate_hz) > fill_throughput_hz(*best, rate_hz)) {
      best = &candidate;
    }
  }
  return best != nullptr ? *best : *most_capacity;
}

Setting DynamicController::setting(const Candidate& candidate, double rate_hz) const {
  Plan plan;
  plan.candidate = candidate;
  plan.cycle = make_cycle(candidate, rate_hz, problem_.bound);
  return make_setting(plan, candidates_);
}

Setting DynamicController::initial() const {
  return setting(*current_, planned_rate_hz_);
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
  if (&wanted == current_) return std::nullopt;
  // A plan is made with head-room, but left only when the estimate itself is too much for it.
  if (meets(*current_, std::max(estimate, 1e-3))) {
    const bool gains = fill_throughput_hz(wanted, rate) >
                       fill_throughput_hz(*current_, rate) * (1 + options_.hysteresis);
    if (!gains || now_s < changed_s_ + dwell_s()) return std::nullopt;
  }
  current_ = &wanted;
  planned_rate_hz_ = rate;
  changed_s_ = now_s;
  ++plans_changed_;
  return setting(wanted, rate);
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
  summary.windows = oracle.size();
  for (std::size_t w = 0; w < oracle.size(); ++w) {
    if (oracle[w] < 0) continue;
    ++summary.feasible;
    summary.met += summary.dynamic.windows[w].p99_s <= problem.max_latency_s ? 1 : 0;
    summary.static_met += constant.windows[w].p99_s <= problem.max_latency_s ? 1 : 0;
    summary.training_hz += summary.dynamic.windows[w].training_minibatches / settings.window_s;
    summary.static_training_hz += constant.windows[w].training_minibatches / settings.window_s;
    summary.oracle_training_hz += oracle[w];
  }
  if (summary.feasible == 0) return summary;
  const auto feasible = static_cast<double>(summary.feasible);
  summary.met_share = static_cast<double>(summary.met) / feasible;
  summary.training_hz /= feasible;
  summary.static_training_hz /= feasible;
  summary.oracle_training_hz /= feasible;
  if (summary.oracle_training_hz > 0) {
    summary.regret = 1 - summary.training_hz / summary.oracle_training_hz;
  }
  return summary;
}

}  // namespace ridgewatt
