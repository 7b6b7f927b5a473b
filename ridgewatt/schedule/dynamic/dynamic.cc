#include "ridgewatt/schedule/dynamic.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/search/clairvoyant.h"
#include "ridgewatt/schedule/search/training_bound.h"

namespace ridgewatt::schedule {
namespace {

// A pause below this share of the latency bound makes no request late. Longer pauses must be rare
// enough for the p99 latency to stay within the bound.
constexpr double kHarmlessPause = 0.3;

// In an overload, a change of plan justifies the pause if it reduces the share of late requests by
// at least this much.
constexpr double kFewerLate = 0.02;

std::size_t count_since(std::span<const double> arrivals, double since_s) {
  return static_cast<std::size_t>(arrivals.end() -
                                  std::lower_bound(arrivals.begin(), arrivals.end(), since_s));
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
  // A rate that jumps up is not averaged with earlier arrivals: an estimate that is too high is
  // safe.
  const double latest_s = quick_s / 3;
  const auto latest_count = static_cast<double>(count_since(arrivals, now_s - latest_s));
  return std::max(quick_count / quick_s, latest_count / latest_s);
}

void DynamicOptions::check() const {
  if (!(estimator.short_s > 0) || !(estimator.long_s >= estimator.short_s) ||
      !(estimator.sigmas >= 0)) {
    throw UsageError(
        "the short and the long window of the rate estimate must be positive, and the short one "
        "shorter than the long one");
  }
  if (!(headroom >= 0) || !(hysteresis >= 0) || !(dwell_s >= 0) || !(epoch_s > 0) ||
      !(mode_change_s >= 0) || !(initial_rate_hz >= 0)) {
    throw UsageError("headroom, hysteresis and times must be 0 or more");
  }
}

bool worth_changing(const PlanStanding& present, const PlanStanding& wanted, double since_s,
                    double max_latency_s, const DynamicOptions& options) {
  if (present.meets) {
    const bool gains = wanted.training_hz > present.training_hz * (1 + options.hysteresis);
    const bool harmless = options.mode_change_s <= kHarmlessPause * max_latency_s;
    const double dwell_s = harmless
                               ? options.dwell_s
                               : std::max(options.dwell_s, options.mode_change_s / kForgivenShare);
    return gains && since_s >= dwell_s;
  }
  if (present.trains || wanted.trains) return true;
  return present.late_share - wanted.late_share >= kFewerLate;
}

SimulationOptions dynamic_simulation(SimulationOptions simulation, const PlanProblem& problem,
                                     const DynamicOptions& options) {
  simulation.max_latency_s = problem.max_latency_s;
  simulation.mode_change_s = options.mode_change_s;
  simulation.epoch_s = options.epoch_s;
  simulation.fill_idle = true;
  simulation.late_last = options.late_last;
  return simulation;
}

DynamicController::DynamicController(PlanBook& book, const DynamicOptions& options)
    : book_(book), options_(options) {
  options_.check();
  planned_rate_hz_ = std::max(options_.initial_rate_hz, kLeastRateHz) * (1 + options_.headroom);
  current_ = &book_.choose(planned_rate_hz_);
}

ServingPlan DynamicController::serving_plan() const {
  return book_.serving_plan(*current_, planned_rate_hz_);
}

std::optional<ServingPlan> DynamicController::decide(double now_s,
                                                     std::span<const double> arrivals_so_far) {
  const double estimate =
      std::max(options_.estimator.estimate(now_s, arrivals_so_far), kLeastRateHz);
  const double rate = estimate * (1 + options_.headroom);
  const Candidate& wanted = book_.choose(rate);
  if (&wanted == current_) return std::nullopt;
  const auto standing = [&](const Candidate& plan) {
    const Trial trial = book_.trial(plan, rate);
    return PlanStanding{book_.meets(plan, estimate), trial.training_hz, trial.late_share,
                        plan.background.has_value()};
  };
  if (!worth_changing(standing(*current_), standing(wanted), now_s - changed_s_,
                      book_.problem().max_latency_s, options_)) {
    return std::nullopt;
  }
  current_ = &wanted;
  planned_rate_hz_ = rate;
  changed_s_ = now_s;
  ++plans_changed_;
  return serving_plan();
}

DynamicSummary run_dynamic(PlanBook& book, std::span<const Candidate> all,
                           std::span<const double> arrivals, const SimulationOptions& simulation,
                           const DynamicOptions& options) {
  const SimulationOptions settings = dynamic_simulation(simulation, book.problem(), options);
  const double bound_s = book.problem().max_latency_s;
  DynamicController controller(book, options);
  DynamicSummary summary;
  summary.dynamic = simulate(controller.serving_plan(), arrivals, settings, &controller);
  summary.plans_changed = controller.plans_changed();

  DynamicOptions fixed = options;
  fixed.initial_rate_hz = busiest_window_hz(summary.dynamic, settings.window_s);
  const DynamicController busiest(book, fixed);
  const Simulation constant = simulate(busiest.serving_plan(), arrivals, settings);

  const auto bounds = training_bounds(all, book.problem().max_power_w, arrivals, settings);
  const auto clairvoyant = clairvoyant_windows(all, book.problem(), arrivals, settings);
  summary.requests = arrivals.size();
  summary.energy_j = summary.dynamic.energy_j;
  summary.duration_s = settings.duration_s;
  summary.windows = bounds.size();
  summary.mode_changes = static_cast<std::size_t>(summary.dynamic.mode_changes);
  for (std::size_t w = 0; w < bounds.size(); ++w) {
    const double start_s = static_cast<double>(w) * settings.window_s;
    const double length_s = std::min(settings.window_s, settings.duration_s - start_s);
    double found_hz = clairvoyant[w].training_hz;
    const auto met_hz = [&](const Simulation& result) -> std::optional<double> {
      if (result.windows[w].p99_s > bound_s) return std::nullopt;
      const double hz = result.windows[w].training_minibatches / length_s;
      found_hz = std::max(found_hz, hz);
      return hz;
    };
    const auto dynamic_hz = met_hz(summary.dynamic), constant_hz = met_hz(constant);
    const auto score = [&](PolicyScore& policy, const std::optional<double>& hz) {
      if (!hz) return;
      policy.add({1, *hz, found_hz, bounds[w].training_hz});
      if (*hz > 0) {
        summary.highest_share_of_bound =
            std::max(summary.highest_share_of_bound, *hz / bounds[w].training_hz);
      }
    };
    score(summary.policy, dynamic_hz);
    score(summary.constant, constant_hz);
    summary.possible += bounds[w].possible ? 1 : 0;
    summary.feasible += clairvoyant[w].feasible || dynamic_hz || constant_hz ? 1 : 0;
  }
  return summary;
}

void PolicyScore::add(const PolicyScore& other) {
  met += other.met;
  training_sum_hz += other.training_sum_hz;
  achievable_sum_hz += other.achievable_sum_hz;
  bound_sum_hz += other.bound_sum_hz;
}

void DynamicSummary::add(const DynamicSummary& other) {
  requests += other.requests;
  windows += other.windows;
  possible += other.possible;
  feasible += other.feasible;
  policy.add(other.policy);
  constant.add(other.constant);
  highest_share_of_bound = std::max(highest_share_of_bound, other.highest_share_of_bound);
  plans_changed += other.plans_changed;
  mode_changes += other.mode_changes;
  energy_j += other.energy_j;
  duration_s += other.duration_s;
}

}  // namespace ridgewatt::schedule
