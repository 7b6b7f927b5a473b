// Microbenchmarks of this machine's processor or its NVIDIA GPU. They measure the ceilings of a
// roofline (peak of fused multiply-add chains, bandwidth of the STREAM triad) and a sweep over
// arithmetic intensity, to which time and energy are fitted (`ridgewatt calibrate --microbench`).
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

// Relative tolerance for a steady point; chosen as a fifth of the difference between runs.
inline constexpr double kSteady = 0.005;

struct MicrobenchOptions {
  // Duration of one point. A mean power needs about 5 s per point (Choi et al. 2013). Ceilings
  // alone need less.
  double seconds_per_point = 0.5;
  // Ends a point on a processor as soon as the fastest repetitions of its two halves differ by at
  // most kSteady. Do not use it with power, because power needs the full time.
  bool until_steady = false;
  int threads = 0;  // 0: all threads that this process may use
  // In FLOP per byte. Kernels round them to multiples of 1/2 and, below 1/2, to powers of 2.
  std::vector<double> intensities = {1. / 16, 0.125, 0.25, 0.5, 1,   2,   4,
                                     8,       16,    32,   64,  128, 256, 512};
  // Size of the data of the streaming kernels, much larger than the last-level cache.
  std::size_t footprint_bytes = std::size_t{512} << 20;
  // Called before and after each point; power_stop returns its mean power in watts. Empty: power is
  // not measured.
  std::function<void()> power_start;
  std::function<std::optional<double>()> power_stop;
};

struct MicrobenchResult {
  roofline::MicrobenchKernel kernel = roofline::MicrobenchKernel::kTriad;
  double work_flop = 0;      // of one repetition
  double traffic_bytes = 0;  // of one repetition, to and from DRAM
  double time_s = 0;         // of the fastest, least disturbed repetition
  double median_time_s = 0;
  int repetitions = 0;
  std::optional<double> power_w;
  // Relative difference between the fastest repetitions of the two halves; empty for a GPU.
  std::optional<double> spread = {};
};

struct MicrobenchSummary {
  std::string device;  // "cpu, avx512, 2 threads", or the GPU's name
  std::vector<MicrobenchResult> points;
  // Returns the first point of the kernel; null if there is none.
  const MicrobenchResult* find(roofline::MicrobenchKernel kernel) const;
  double peak_flops() const;              // FP32, of the fastest point; 0 if there is none
  double peak_bandwidth_bytes_s() const;  // of DRAM; 0 if there is none
  double ridge_flop_per_byte() const { return peak_flops() / peak_bandwidth_bytes_s(); }
};

// Appends an idle point, the power of the device while nothing runs, if other points have power.
void add_idle_point(const MicrobenchOptions& options, MicrobenchSummary& summary);

MicrobenchSummary run_cpu_microbench(const MicrobenchOptions& options);

// The work of an intensity kernel per float that it reads: `fma` multiply-adds or, if `fma` is 0,
// one per `group` floats. A multiply-add is 2 FLOP. A float has 4 bytes.
struct IntensityKernel {
  int fma = 1;
  int group = 1;
  double flop_per_float() const { return fma > 0 ? 2.0 * fma : 2.0 / group; }
};
// Throws UsageError unless the intensity is positive.
IntensityKernel nearest_intensity_kernel(double intensity);

// Runs on the NVIDIA GPU with number `device`. Throws NotSupportedError if the program was built
// without CUDA code, the driver is missing or there is no such device.
MicrobenchSummary run_cuda_microbench(int device, const MicrobenchOptions& options);

// Benchmarks the processor or a GPU of this machine, with its power if there is a sensor, and the
// power mode of a Jetson.
enum class MicrobenchTarget { kCpu, kCuda };
constexpr auto enum_names(MicrobenchTarget) {
  return named<MicrobenchTarget>(
      {{MicrobenchTarget::kCpu, "cpu"}, {MicrobenchTarget::kCuda, "cuda"}});
}
struct MachineBench {
  MicrobenchTarget target = MicrobenchTarget::kCpu;
  MicrobenchSummary summary;
  std::optional<PowerMode> mode;
  std::vector<std::string> remarks;  // reasons for missing power or mode
};
// Calls `progress` with the index of each point before measuring it.
MachineBench bench_machine(MicrobenchTarget target, int gpu, MicrobenchOptions options,
                           const std::function<void(std::size_t)>& progress);

}  // namespace ridgewatt::measure
