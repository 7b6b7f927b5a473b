// Measures the rooflines of this machine's NVIDIA GPU or, if the program cannot use one, of its
// processor.
//
//   const LocalRoofs roofs = measure_local_roofs(std::nullopt, 0, options);
//   use(roofs.fit.ceilings, roofs.fit.energy);  // no energy if roofs.powerless is not empty
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/microbench.h"
#include "ridgewatt/roofline/microbench_fit.h"

namespace ridgewatt::measure {

// Converts measured points to input of a fit, without knobs, because all have the same mode.
std::vector<roofline::MicrobenchPoint> microbench_points(const MicrobenchSummary& summary);

// Bandwidth of one cache level of the processor while all threads use it, averaged over one
// measurement. Measured by STREAM triads; the data of a thread fill half of its share of the cache.
struct CacheBandwidth {
  std::string name;       // "L1"
  double size_bytes = 0;  // of one cache
  double bandwidth_bytes_per_s = 0;
};
// The data caches that the kernel lists in /sys/devices/system/cpu/cpu0/cache, fastest first; empty
// if it lists none. `sysfs`: a folder that replaces the root `/`.
std::vector<CacheBandwidth> measure_caches(const MicrobenchOptions& options,
                                           const std::string& sysfs = "");

struct LocalRoofs {
  RoofTarget target = RoofTarget::kCpu;
  std::string not_gpu;  // why no GPU was measured, if no target was given
  MicrobenchSummary summary;
  roofline::MicrobenchFit fit;
  std::string powerless;  // why there is no power; empty: power was measured
};

// Without a `target`, measures the GPU with number `gpu`, or the processor if that fails. Power
// comes from this machine's own source; without one, a point on the processor ends as soon as it is
// steady. `options.power_start` is called at each point. Throws the errors of the microbenchmarks.
LocalRoofs measure_local_roofs(std::optional<RoofTarget> target, int gpu,
                               const MicrobenchOptions& options);

}  // namespace ridgewatt::measure
