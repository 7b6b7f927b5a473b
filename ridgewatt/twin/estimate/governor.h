// Computes the clocks at which DVFS governors settle while a workload runs one minibatch after the
// other.
//
//   const PowerMode at = settled_clocks(twin, mode, [&](const PowerMode& clocks) {
//     return load_of(clocks);  // load of the domains at these clocks
//   });
//
// A governor measures the load of its domain and requests a clock. It settles at the lowest clock
// at which it requests no higher clock. The request at a clock f in [f_min, f_max] with load u
// is:
//   schedutil      1.25 u f, with u by PELT at the end of a run (half-life 32 ms)
//                  (Linux, Documentation/scheduler/schedutil.rst)
//   ondemand       f_max if u > 0.95, else f_min + u (f_max - f_min)
//                  (Linux, drivers/cpufreq/cpufreq_ondemand.c)
//   nvhost_podgov  of the GPU: f (1 + 0.8 (u - 0.7) / 0.7)
//                  (L4T, drivers/devfreq/governor_pod_scaling.c: load_target 700, bias 80)
//
// No request leads below Twin::governor_least. f_min and f_max are those of the whole table.
//
// The memory clock is the higher of two requests. The GPU requests 3 times its own clock, except at
// its lowest clock (nvgpu, gp10b_tegra_postscale: 64 / 16 bytes per cycle, emc3d_ratio 750). The
// CPU requests a clock in proportion to its own clock. Memory traffic also raises the clock, which
// is not modelled.
#pragma once

#include <functional>

#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {

// Load of the domains at fixed clocks.
struct DomainLoad {
  double cpu_run_s = 0;    // busiest CPU thread: time that it runs per cycle
  double cpu_cycle_s = 0;  // busiest CPU thread: time from one start to the next
  double gpu = 0;          // share of the time in which kernels run
};

// Average PELT load, at the end of a run, of a thread that runs `run_s` in each cycle of `cycle_s`:
// (1 - 2^(-run / 32 ms)) / (1 - 2^(-cycle / 32 ms)).
double pelt_load(double run_s, double cycle_s);

// Returns `mode` with the clocks at which the governors settle. The clocks of `mode` are upper
// limits; absent clocks have no limit. The named governor is that of the CPU. As on a Jetson,
// performance and powersave also apply to GPU and memory; with schedutil or ondemand, the GPU uses
// nvhost_podgov. Without a governor, or with userspace, returns `mode`. The result keeps the name
// of the governor. Throws NotSupportedError for a governor that is not modelled.
PowerMode settled_clocks(const Twin& twin, const PowerMode& mode,
                         const std::function<DomainLoad(const PowerMode&)>& load);

}  // namespace ridgewatt::twin
