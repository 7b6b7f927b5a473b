#include "ridgewatt/thermal/random_board.h"

#include <cmath>

namespace ridgewatt::thermal {

ThermalModel random_thermal_model(Random& random, double design_power_w, double fan) {
  const auto log_uniform = [&](double low, double high) {
    return std::exp(random.uniform(std::log(low), std::log(high)));
  };
  ThermalModel model;
  const double whole_k_per_w = random.uniform(60 - 25, 85 - 25) / design_power_w;
  model.junction_sink_k_per_w = random.uniform(1.0 / 6, 1.0 / 3) * whole_k_per_w;
  const double cooling_w_per_k = 1 / (whole_k_per_w - model.junction_sink_k_per_w);
  model.junction_j_per_k = log_uniform(2, 10) / model.junction_sink_k_per_w;
  model.sink_j_per_k = log_uniform(150, 600) * cooling_w_per_k;
  const double still = random.uniform(0.3, 0.6);
  model.still_w_per_k = cooling_w_per_k;
  model.fan_w_per_k = 1;
  const double speed = model.sink_w_per_k(fan) - cooling_w_per_k;
  model.still_w_per_k = speed > 0 ? still * cooling_w_per_k : cooling_w_per_k;
  model.fan_w_per_k = speed > 0 ? (1 - still) * cooling_w_per_k / speed : 0;
  model.leakage_per_k = random.uniform(0.0005, 0.0025);
  return model;
}

}  // namespace ridgewatt::thermal
