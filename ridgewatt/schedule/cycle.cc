#include "ridgewatt/schedule/cycle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

std::string_view bound_name(Bound bound) {
  switch (bound) {
    case Bound::kPublished:
      return "published";
    case Bound::kExact:
      return "exact";
    case Bound::kStrict:
      return "strict";
  }
  return "";
}

Bound parse_bound(const std::string& name) {
  for (const Bound bound : {Bound::kPublished, Bound::kExact, Bound::kStrict}) {
    if (name == bound_name(bound)) return bound;
  }
  throw UsageError("unknown latency bound", name, "use published, exact or strict");
}

double Candidate::peak_power_w() const {
  return std::max(infer_power_w, train_power_w);
}

Cycle make_cycle(const Candidate& candidate, double arrival_rate_hz, Bound bound) {
  Cycle cycle;
  cycle.peak_power_w = candidate.peak_power_w();
  if (candidate.batch == 0) {  // training alone: round after round
    cycle.stable = true;
    cycle.period_s = candidate.train_time_s;
    cycle.training_minibatches = 1;
  } else {
    cycle.period_s = candidate.batch / arrival_rate_hz;
    cycle.stable = candidate.infer_time_s <= cycle.period_s;
    const double left_s = cycle.period_s - candidate.infer_time_s;
    if (cycle.stable && candidate.train_time_s > 0) {
      // The small addend keeps 0.6 / 0.2 at 3.
      cycle.training_minibatches =
          static_cast<int>(std::min(std::floor(left_s / candidate.train_time_s + 1e-9), 1e9));
    }
    const double gathered = bound == Bound::kPublished ? candidate.batch : candidate.batch - 1;
    cycle.latency_s = gathered / arrival_rate_hz + candidate.infer_time_s;
    if (bound == Bound::kStrict) cycle.latency_s += candidate.blocking_s;
  }
  const double n = cycle.training_minibatches;
  const double busy_s = candidate.infer_time_s + n * candidate.train_time_s;
  const double energy_j =
      candidate.infer_time_s * candidate.infer_power_w + n * candidate.train_energy_j;
  cycle.training_throughput_hz = n / cycle.period_s;
  cycle.busy_power_w = busy_s > 0 ? energy_j / busy_s : 0;
  cycle.busy_energy_w = energy_j / cycle.period_s;
  cycle.utilisation = std::min(1.0, busy_s / cycle.period_s);
  cycle.mean_power_w = cycle.busy_energy_w + candidate.idle_power_w * (1 - cycle.utilisation);
  return cycle;
}

double fill_throughput_hz(const Candidate& candidate, double arrival_rate_hz) {
  const double left =
      candidate.batch > 0 ? 1 - candidate.infer_time_s * arrival_rate_hz / candidate.batch : 1;
  if (candidate.train_time_s <= 0) return std::max(left, 0.0);
  return std::max(left, 0.0) / candidate.train_time_s;
}

EarlyDispatch early_dispatch(const Candidate& candidate, double arrival_rate_hz,
                             double max_latency_s) {
  const double gather_s = max_latency_s - candidate.infer_time_s - candidate.blocking_s;
  EarlyDispatch result;
  result.requests =
      std::clamp(1 + arrival_rate_hz * gather_s, 1.0, static_cast<double>(candidate.batch));
  result.fill_hz = 1 - candidate.infer_time_s * arrival_rate_hz / result.requests;
  if (candidate.train_time_s > 0) result.fill_hz /= candidate.train_time_s;
  return result;
}

void PlanProblem::check(bool has_inference) const {
  const auto positive = [](double value, const char* what) {
    if (!(value > 0)) throw UsageError(fmt::format("{} must be positive", what));
  };
  if (has_inference) {
    positive(arrival_rate_hz, "the arrival rate");
    if (!std::isfinite(arrival_rate_hz)) throw UsageError("the arrival rate must be finite");
  }
  positive(max_latency_s, "the latency bound");
  positive(max_power_w, "the power budget");
}

double violation(const Candidate& candidate, const Cycle& cycle, const PlanProblem& problem) {
  double worst = 0;
  const auto over = [&](double value, double limit) { worst = std::max(worst, value / limit - 1); };
  over(cycle.peak_power_w, problem.max_power_w);
  if (candidate.batch > 0) {
    over(cycle.latency_s, problem.max_latency_s);
    over(candidate.infer_time_s, cycle.period_s);
  }
  if (candidate.required_rounds_per_s > cycle.training_throughput_hz) {
    worst = std::max(worst, 1 - cycle.training_throughput_hz / candidate.required_rounds_per_s);
  }
  return worst;
}

}  // namespace ridgewatt
