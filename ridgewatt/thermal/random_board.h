// Thermal constants of a random board, for fake boards and for scoring fits.
#pragma once

#include "ridgewatt/base/random.h"
#include "ridgewatt/thermal/thermal_model.h"

namespace ridgewatt::thermal {

// A board whose heat sink suits `design_power_w`: at that power, an ambient temperature of 25 C and
// the fan at `fan` its steady temperature is 60 to 85 C. A sixth to a third of the thermal
// resistance is inside the module. The junction has a time constant of 2 to 10 s and the heat sink
// one of 150 to 600 s (uniform in the logarithm), as for heat sinks of a few hundred grams. Without
// the fan 30 to 60 % of the cooling remains.
ThermalModel random_thermal_model(Random& random, double design_power_w, double fan);

}  // namespace ridgewatt::thermal
