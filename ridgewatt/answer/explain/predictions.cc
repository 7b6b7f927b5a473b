#include "ridgewatt/answer/explain/predictions.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::answer {

Prognosis prognosis_of(const twin::Breakdown& cost, std::string setting) {
  return {
      std::move(setting), cost.total.period_s, known_power(cost.total.power_w), {}, cost.gpu_load};
}

bool differs(const ExplainCase& of, double time_s) {
  const double ratio = time_s / of.expected.total.period_s;
  return ratio > kNoticeable || ratio < 1 / kNoticeable;
}

double seen_value(const ExplainCase& of, std::optional<double> measure::SeenRun::*member) {
  return of.question.seen ? (*of.question.seen.*member).value_or(0) : 0;
}

Prediction waiting(const ExplainCase& of, double time_s, double busy_share, double spread,
                   std::string setting) {
  constexpr double kRestShare = 0.5;  // chosen: share of the power while the GPU waits
  constexpr double kRestSd = 0.2;     // deviation of the logarithm of this power
  const twin::MinibatchCost& now = of.expected.total;
  const double busy = std::min(1.0, busy_share * now.period_s / time_s);
  const double power_w = now.power_w * (kRestShare + (1 - kRestShare) * busy);
  return {.prognosis =
              {std::move(setting), time_s, known_power(power_w), {}, of.expected.gpu_load * busy},
          .spread = spread,
          .waits = true,
          .power_spread = kRestSd * (1 - busy)};
}

Prediction increased(const ExplainCase& of, double more_s, double spread, std::string setting) {
  Prediction found =
      waiting(of, of.expected.total.period_s + more_s, 1, spread, std::move(setting));
  found.adds = true;
  return found;
}

Predictions multiplied(const ExplainCase& of, std::span<const double> factors, double spread,
                       GpuThen gpu) {
  Predictions found;
  for (const double factor : factors) {
    found.push_back(waiting(of, of.expected.total.period_s * factor, 1, spread));
    found.back().scales = gpu == GpuThen::kWaits;
    if (gpu == GpuThen::kWaits) continue;
    found.back().waits = false;
    found.back().prognosis.power_w = known_power(of.expected.total.power_w);
    if (!(of.expected.gpu_load > 0)) continue;
    const SharedLoad shared = shared_load(of.expected.gpu_load);
    found.back().prognosis.gpu_load = shared.load;
    found.back().load_spread = shared.spread;
  }
  return found;
}

Prediction misread(const ExplainCase& of, double factor, double spread, std::string setting) {
  Prediction found{.prognosis = prognosis_of(of.expected, std::move(setting)), .spread = spread};
  found.prognosis.time_s *= factor;
  found.prognosis.stated = factor;
  return found;
}

}  // namespace ridgewatt::answer
