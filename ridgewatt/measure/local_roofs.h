// The roofs of this machine, measured now: its NVIDIA GPU where there is one that the program can
// use, else its processor.
//
//   const LocalRoofs roofs = measure_local_roofs(std::nullopt, 0, options);
//   use(roofs.fit.ceilings, roofs.fit.energy);  // no energy without power: see roofs.powerless
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/measure/microbench.h"
#include "ridgewatt/roofline/microbench_fit.h"

namespace ridgewatt::measure {

// The points as a fit takes them; the machine's mode is the only one, so it has no knobs.
std::vector<roofline::MicrobenchPoint> microbench_points(const MicrobenchSummary& summary);

// A cache of the processor, all threads at once: triads over half of what each thread has of it,
// the mean over a point's time.
struct CacheBandwidth {
  std::string name;       // "L1"
  double size_bytes = 0;  // of one
  double bandwidth_bytes_per_s = 0;
};
// As the kernel describes them below `sysfs` (/sys/devices/system/cpu/cpu0/cache), fastest first;
// empty where it does not.
std::vector<CacheBandwidth> measure_caches(const MicrobenchOptions& options,
                                           const std::string& sysfs = "");

struct LocalRoofs {
  RoofTarget target = RoofTarget::kCpu;
  std::string not_gpu;  // why the processor was measured where nobody asked for it
  MicrobenchSummary summary;
  roofline::MicrobenchFit fit;
  std::string powerless;  // why there is no power; empty: there is
};

// `target` nothing: the GPU of that number, else the processor. Power is read from the machine's
// own source, and without one a point of the processor ends once it is steady;
// `options.power_start` is called at each point. Errors as of the microbenchmarks.
LocalRoofs measure_local_roofs(std::optional<RoofTarget> target, int gpu,
                               const MicrobenchOptions& options);

}  // namespace ridgewatt::measure
