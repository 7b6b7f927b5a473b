// Conversion of plans to input of a simulation, and checks of the simulation options.
#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/simulate.h"

namespace ridgewatt::schedule {

ServingPlan make_serving_plan(const Plan& plan, std::span<const Candidate> candidates) {
  ServingPlan serving;
  serving.candidate = plan.candidate;
  serving.training_per_cycle = plan.cycle.training_minibatches;
  serving.period_s = plan.cycle.period_s;
  for (const auto& other : candidates) {
    const bool same_round = other.train().time_s == plan.candidate.train().time_s;
    if (other.mode != plan.candidate.mode || !same_round || !other.inference) continue;
    serving.batches.push_back(*other.inference);
  }
  std::sort(serving.batches.begin(), serving.batches.end(),
            [](const auto& a, const auto& b) { return a.batch < b.batch; });
  return serving;
}

void SimulationOptions::check() const {
  const auto require = [](bool good, const char* what) {
    if (!good) throw UsageError(what);
  };
  require(duration_s > 0 && duration_s <= 1e8, "the duration must be positive and at most 10^8 s");
  require(max_latency_s > 0, "the latency limit must be positive");
  require(jitter >= 0 && jitter <= 2, "the jitter must be 0 to 2");
  require(mode_change_s >= 0 && mode_change_s < 1e6,
          "the time of a mode change must be 0 to 10^6 s");
  require(epoch_s > 0 && power_bin_s > 0 && window_s > 0,
          "the lengths of the epoch, of the power bins and of the windows must be positive");
  require(duration_s / std::min(power_bin_s, window_s) <= 1e8,
          "the duration has more than 10^8 power bins or windows");
  require(interference > 0.5 && interference <= 100,
          "the interference factor must be above 0.5 and at most 100");
  require(!shared_power_w || (*shared_power_w >= 0 && *shared_power_w < 1e6),
          "the power of both programs together must be 0 to 10^6 W");
  require(deadline_reserve >= 0 && deadline_reserve < 1,
          "the deadline reserve must be 0 or more and below 1");
}

}  // namespace ridgewatt::schedule
