// From microbenchmark points to the energy roofline of a power mode: FMA chains and streams with a
// swept arithmetic intensity, time and power of each.
//
// File format (CSV), one row per point; the knob columns may be absent:
//   cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,work_flop,traffic_bytes,time_ms,power_w
// Of a file of `ridgewatt microbench`, which has a column `kernel`, the triad and the intensity
// sweep count: they are FP32 and move data.
//
// Energy is linear in what is looked for (Choi et al. 2013):  E = W eps_f + Q eps_m + pi0 T,
// solved by non-negative least squares weighted by 1/E, with robust weights.
// Peaks are the robust mean of W/T over compute-bound and of Q/T over memory-bound points.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/roofline/energy_roofline.h"

namespace ridgewatt::roofline {

// What a microbenchmark runs: multiply-adds, a stream through memory, multiply-adds over a stream,
// tensor cores, an empty kernel.
enum class MicrobenchKernel {
  kFmaFp32,
  kFmaFp64,
  kFmaFp16,
  kTriad,
  kIntensity,
  kTensorFp16,
  kLaunch
};
constexpr auto enum_names(MicrobenchKernel) {
  return named<MicrobenchKernel>({{MicrobenchKernel::kFmaFp32, "fma_fp32"},
                                  {MicrobenchKernel::kFmaFp64, "fma_fp64"},
                                  {MicrobenchKernel::kFmaFp16, "fma_fp16"},
                                  {MicrobenchKernel::kTriad, "triad"},
                                  {MicrobenchKernel::kIntensity, "intensity"},
                                  {MicrobenchKernel::kTensorFp16, "tensor_fp16"},
                                  {MicrobenchKernel::kLaunch, "launch"}});
}

struct MicrobenchPoint {
  PowerMode mode;
  double work_flop = 0;
  double traffic_bytes = 0;
  double time_s = 0;
  double power_w = 0;
  double intensity() const { return work_flop / traffic_bytes; }
};

// Throws InputError naming file, line and column, and on units that cannot be meant.
std::vector<MicrobenchPoint> read_microbench(const std::string& path);

struct MicrobenchFitOptions {
  double confidence = 0.9;    // of the intervals
  double outlier_sigmas = 4;  // beyond which a point is listed as an outlier

  void check() const;  // UsageError with field, value and constraint
};

struct FittedValue {
  double value = 0;
  double lo = 0;
  double hi = 0;
};

struct MicrobenchFit {
  PowerMode mode;
  EnergyRoofline roofline;
  FittedValue peak_flop_per_s;
  FittedValue bandwidth_bytes_per_s;
  FittedValue energy_per_flop_j;
  FittedValue energy_per_byte_j;
  FittedValue static_power_w;
  // eta B_eps / B_tau: at most 1 means that finishing fast inside this mode spends least.
  FittedValue race_to_halt_ratio;
  // Only claimed where the whole interval is at most 1.
  bool race_to_halt_holds() const { return race_to_halt_ratio.hi <= 1; }
  std::size_t points = 0;
  std::vector<std::size_t> outliers;  // indices of the points given
  double time_mape = 0;               // over points that are no outliers
  double energy_mape = 0;
  std::vector<std::string> notices;
};

// Fits the points of one mode. UsageError: fewer than 6 points, or all on one side of the ridge.
MicrobenchFit fit_microbench(std::span<const MicrobenchPoint> points,
                             const MicrobenchFitOptions& options = {});
// One fit per mode that occurs, in ascending order of modes.
std::vector<MicrobenchFit> fit_microbench_modes(std::span<const MicrobenchPoint> points,
                                                const MicrobenchFitOptions& options = {});

}  // namespace ridgewatt::roofline
