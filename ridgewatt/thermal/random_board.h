// Generates thermal constants of a random board, for fake boards and for tests of fits.
#pragma once

#include "ridgewatt/base/random.h"
#include "ridgewatt/thermal/thermal_model.h"

namespace ridgewatt::thermal {

// Returns a model whose heat sink suits `design_power_w`: at this power, an ambient temperature of
// 25 C and the fan at `fan`, the steady temperature is 60 to 85 C. One sixth to one third of the
// thermal resistance is inside the module. The time constants are 2 to 10 s for the junction and
// 150 to 600 s for the heat sink (log-uniform), as for heat sinks of a few hundred grams. Without
// the fan, 30 to 60 % of the cooling remains.
ThermalModel random_thermal_model(Random& random, double design_power_w, double fan);

}  // namespace ridgewatt::thermal
