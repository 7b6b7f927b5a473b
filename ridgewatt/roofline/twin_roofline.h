// The energy roofline that a twin has in one power mode: the bridge from the fitted model to the
// closed forms. One roof a kind of kernel, since tensor cores, products and element-wise work
// reach different peaks.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/roofline/energy_roofline.h"
#include "ridgewatt/roofline/microbench_fit.h"
#include "ridgewatt/roofline/twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt {

// Static power here is all that is spent for time while a kernel runs: every domain's static and
// clock power, the busy GPU's and the launching thread's.
EnergyRoofline twin_roofline(const Twin& twin, const PowerMode& mode,
                             OpClass op_class = OpClass::kConv);

// eta B_eps / B_tau of that roofline with its 90 % interval, by sampling the twin's parameters
// within their deviations (independently, so the interval is on the wide side).
FittedValue twin_race_to_halt(const Twin& twin, const PowerMode& mode,
                              OpClass op_class = OpClass::kConv, std::uint64_t seed = 1);
// The same of many modes: the parameters are sampled once for all.
std::vector<FittedValue> twin_race_to_halt(const Twin& twin, std::span<const PowerMode> modes,
                                           OpClass op_class = OpClass::kConv,
                                           std::uint64_t seed = 1);

}  // namespace ridgewatt
