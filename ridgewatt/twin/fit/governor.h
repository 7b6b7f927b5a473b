// The clocks at which DVFS governors settle while a workload runs minibatch after minibatch.
//
//   const PowerMode at = settled_clocks(twin, mode, [&](const PowerMode& clocks) {
//     return load_of(clocks);  // how busy the domains are at these clocks
//   });
//
// A governor sees how busy its domain is and asks for a clock; it has settled at the lowest one at
// which it asks for no more. What they ask for, at a clock f of [f_min, f_max] with a load u:
//   schedutil      1.25 u f; u as PELT has it at the end of a run, half forgotten after 32 ms
//                  (Linux, Documentation/scheduler/schedutil.rst)
//   ondemand       f_max if u > 0.95, else f_min + u (f_max - f_min)
//                  (Linux, drivers/cpufreq/cpufreq_ondemand.c)
//   nvhost_podgov  of the GPU: f (1 + 0.8 (u - 0.7) / 0.7)
//                  (L4T, drivers/devfreq/governor_pod_scaling.c: load_target 700, bias 80)
// The memory has a floor of 3 GPU clocks but at the GPU's lowest (nvgpu, gp10b_tegra_postscale:
// emc3d_ratio 750, 4 bytes to a byte); that traffic of its own raises it is not modelled.
#pragma once

#include <functional>

#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// How busy a workload keeps the domains.
struct DomainLoad {
  double cpu_run_s = 0;    // of the busiest CPU thread: how long it runs,
  double cpu_cycle_s = 0;  // and from one begin to the next
  double gpu = 0;          // share of the time
};

// Average load of a thread that runs so long in each cycle, at the end of a run, as PELT weighs the
// past: (1 - 2^(-run / 32 ms)) / (1 - 2^(-cycle / 32 ms)).
double pelt_load(double run_s, double cycle_s);

// `mode` with the clocks at which the governors settle; its own clocks are upper limits, absent
// ones the highest. The governor is the CPU's, and GPU and memory follow as on a Jetson:
// performance and powersave are theirs too, with a dynamic one the GPU has nvhost_podgov.
// userspace: the mode itself. The governor stays named. NotSupportedError for one that is not
// modelled.
PowerMode settled_clocks(const Twin& twin, const PowerMode& mode,
                         const std::function<DomainLoad(const PowerMode&)>& load);

}  // namespace ridgewatt::twin
