// Thermal constants of a board that does not exist, for fake boards and for scoring fits.
#pragma once

#include "ridgewatt/base/random.h"
#include "ridgewatt/thermal/thermal_model.h"

namespace ridgewatt::thermal {

// A board whose heat sink was chosen for `design_power_w`: at that power, 25 C around it and the
// fan at `fan` it ends at 60 to 85 C. A sixth to a third of the resistance is inside; the junction
// follows within 2 to 10 s, the heat sink within 150 to 600 s (uniform in the logarithm), as heat
// sinks of some hundred grams do; without fan 30 to 60 % of the cooling is left.
ThermalModel random_thermal_model(Random& random, double design_power_w, double fan);

}  // namespace ridgewatt::thermal
