#include "ridgewatt/schedule/live/live_controller.h"

#include <algorithm>

namespace ridgewatt::schedule::live {

LiveController::LiveController(LiveBook& book, const DynamicOptions& options)
    : book_(book), options_(options) {
  options_.check();
  std::vector<double> rates;
  for (const auto& program : book_.programs()) {
    rates.push_back(std::max(program.rate_hz, kLeastRateHz) * (1 + options_.headroom));
  }
  plan_ = book_.choose(rates);
}

std::optional<LivePlan> LiveController::decide(double now_s, std::span<const double> rates_hz) {
  std::vector<double> estimates, rates;
  double least_bound_s = 1e300;
  for (std::size_t p = 0; p < rates_hz.size(); ++p) {
    estimates.push_back(std::max(rates_hz[p], kLeastRateHz));
    rates.push_back(estimates.back() * (1 + options_.headroom));
    least_bound_s = std::min(least_bound_s, book_.programs()[p].max_latency_s);
  }
  const LivePlan wanted = book_.choose(rates);
  if (wanted == plan_) return std::nullopt;
  const auto standing = [&](const LivePlan& plan) {
    const Trial trial = book_.trial(plan, rates);
    return PlanStanding{book_.meets(plan, estimates), trial.training_hz, trial.late_share,
                        plan.trains};
  };
  if (!worth_changing(standing(plan_), standing(wanted), now_s - changed_s_, least_bound_s,
                      options_)) {
    return std::nullopt;
  }
  plan_ = wanted;
  changed_s_ = now_s;
  return plan_;
}

}  // namespace ridgewatt::schedule::live
