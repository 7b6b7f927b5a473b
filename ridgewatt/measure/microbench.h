// Microbenchmarks: what this machine's processor, or its NVIDIA GPU, reaches in practice. They give
// a roofline its ceilings (peak of fused multiply-add chains, bandwidth of the STREAM triad) and a
// sweep of arithmetic intensity to fit time and energy to (`ridgewatt calibrate --microbench`).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/roofline/microbench_fit.h"

namespace ridgewatt::measure {

inline constexpr double kSteady = 0.005;  // chosen: a fifth of what runs differ by

struct MicrobenchOptions {
  // Length of one point. Power needs about 5 s per point to average (Choi et al. 2013); ceilings
  // alone are steady after less.
  double seconds_per_point = 0.5;
  // On a processor a point may end before, once the fastest repetitions of its two halves differ by
  // at most kSteady. Not with power, which needs the time.
  bool until_steady = false;
  int threads = 0;  // 0: all that this process may use
  // FLOP per byte; rounded to what the kernels can do (multiples of 1/2 from 1/2 on, 1/4, 1/8 and
  // 1/16 below it).
  std::vector<double> intensities = {1. / 16, 0.125, 0.25, 0.5, 1,   2,   4,
                                     8,       16,    32,   64,  128, 256, 512};
  // Bytes that the streaming kernels walk through, far beyond the last-level cache.
  std::size_t footprint_bytes = std::size_t{512} << 20;
  // Called around every point to measure its mean power in watts; empty: power is not measured.
  std::function<void()> power_start;
  std::function<std::optional<double>()> power_stop;
};

struct MicrobenchResult {
  roofline::MicrobenchKernel kernel = roofline::MicrobenchKernel::kTriad;
  double work_flop = 0;      // of one repetition
  double traffic_bytes = 0;  // of one repetition, to and from DRAM
  double time_s = 0;         // fastest repetition: what else runs can only slow it down
  double median_time_s = 0;
  int repetitions = 0;
  std::optional<double> power_w;
  // Between the fastest repetitions of the first and the second half, relative; a GPU's: not known.
  std::optional<double> spread = {};
};

struct MicrobenchSummary {
  std::string device;  // "cpu, avx512, 2 threads", or the GPU's name
  std::vector<MicrobenchResult> points;
  const MicrobenchResult* find(roofline::MicrobenchKernel kernel) const;  // first of that kernel
  double peak_flops() const;              // FP32, fastest of all points; 0 when there is none
  double peak_bandwidth_bytes_s() const;  // DRAM; 0 when there is none
  double ridge_flop_per_byte() const { return peak_flops() / peak_bandwidth_bytes_s(); }
};

// Where the points have power: that of a point's time in which nothing runs, behind them.
void add_idle_point(const MicrobenchOptions& options, MicrobenchSummary& summary);

MicrobenchSummary run_cpu_microbench(const MicrobenchOptions& options);

// What the intensity kernels do with each float that they read: `fma` multiply-adds, or one for
// every `group` floats when fma is 0. 2 FLOP a multiply-add over 4 bytes a float.
struct IntensityKernel {
  int fma = 1;
  int group = 1;
  double flop_per_float() const { return fma > 0 ? 2.0 * fma : 2.0 / group; }
};
// Throws UsageError for an intensity that is not positive.
IntensityKernel nearest_intensity_kernel(double intensity);

// On an NVIDIA GPU. Throws NotSupportedError when the program was built without CUDA code, the
// driver is missing or there is no such device.
MicrobenchSummary run_cuda_microbench(int device, const MicrobenchOptions& options);

// Benchmarks the processor or GPU of this machine, with power where a sensor exists and the mode of
// a Jetson.
enum class MicrobenchTarget { kCpu, kCuda };
constexpr auto enum_names(MicrobenchTarget) {
  return named<MicrobenchTarget>(
      {{MicrobenchTarget::kCpu, "cpu"}, {MicrobenchTarget::kCuda, "cuda"}});
}
struct MachineBench {
  MicrobenchTarget target = MicrobenchTarget::kCpu;
  MicrobenchSummary summary;
  std::optional<PowerMode> mode;
  std::vector<std::string> remarks;  // why power or mode is missing
};
// Calls `progress` with the index of every point before it.
MachineBench bench_machine(MicrobenchTarget target, int gpu, MicrobenchOptions options,
                           const std::function<void(std::size_t)>& progress);

}  // namespace ridgewatt::measure
