// Fits the measured ceilings and the energy roofline of a power mode to microbenchmark points: time
// and power of FMA chains and of streams with swept arithmetic intensity.
//
//   const auto file = read_microbench("points.csv");
//   for (const auto& fit : fit_microbench_modes(file.points)) use(fit.ceilings, fit.energy);
//
// File format (CSV), one row per point; the knob columns and the power may be absent:
//   cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,work_flop,traffic_bytes,time_ms,power_w
// `ridgewatt microbench` adds `kernel` (without it a point is of the intensity sweep), `target` and
// `device`. The energy roofline is fitted to the triad and the intensity sweep, which are FP32 and
// move data.
//
// A ceiling is the highest rate that was measured. Its interval is that of the robust mean
// rate of the points near it; repeated points give the width, otherwise it is 2 %.
// Energy is linear in the unknowns (Choi et al. 2013):  E = W eps_f + Q eps_m + pi0 T,
// solved by non-negative least squares weighted by 1/E, with robust weights.
// Peaks are the robust mean of W/T over compute-bound and of Q/T over memory-bound points.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/device/measured_roof.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/roofline/energy_roofline.h"

namespace ridgewatt::roofline {

// What a microbenchmark runs: multiply-adds, a stream through memory, multiply-adds over a stream,
// tensor cores, an empty kernel, nothing at all.
enum class MicrobenchKernel {
  kFmaFp32,
  kFmaFp64,
  kFmaFp16,
  kTriad,
  kIntensity,
  kTensorFp16,
  kLaunch,
  kIdle
};
constexpr auto enum_names(MicrobenchKernel) {
  return named<MicrobenchKernel>({{MicrobenchKernel::kFmaFp32, "fma_fp32"},
                                  {MicrobenchKernel::kFmaFp64, "fma_fp64"},
                                  {MicrobenchKernel::kFmaFp16, "fma_fp16"},
                                  {MicrobenchKernel::kTriad, "triad"},
                                  {MicrobenchKernel::kIntensity, "intensity"},
                                  {MicrobenchKernel::kTensorFp16, "tensor_fp16"},
                                  {MicrobenchKernel::kLaunch, "launch"},
                                  {MicrobenchKernel::kIdle, "idle"}});
}

struct MicrobenchPoint {
  PowerMode mode;
  MicrobenchKernel kernel = MicrobenchKernel::kIntensity;
  double work_flop = 0;
  double traffic_bytes = 0;
  double time_s = 0;
  std::optional<double> power_w;  // nothing: not measured
  double intensity() const { return work_flop / traffic_bytes; }
  // FP32 work over data: a point of the roofline.
  bool streams() const {
    return kernel == MicrobenchKernel::kTriad || kernel == MicrobenchKernel::kIntensity;
  }
};

struct MicrobenchFile {
  std::vector<MicrobenchPoint> points;
  RoofTarget target = RoofTarget::kGpu;  // where the file does not say it
  std::string machine;                   // empty: not said
};
// Throws InputError naming file, line and column, on units that cannot be meant, and on points of
// several targets.
MicrobenchFile read_microbench(const std::string& path);

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

// Results that need power measurements.
struct MicrobenchEnergy {
  FittedValue energy_per_flop_j;
  FittedValue energy_per_byte_j;
  FittedValue static_power_w;
  // eta B_eps / B_tau: at most 1 means that finishing fast inside this mode spends least.
  FittedValue race_to_halt_ratio;
  double mape = 0;  // over points that are no outliers
  // True only if the whole interval is at most 1.
  bool race_to_halt_holds() const { return race_to_halt_ratio.hi <= 1; }
};

struct MicrobenchFit {
  PowerMode mode;
  EnergyRoofline roofline;  // energies and static power are 0 where `energy` is absent
  FittedValue peak_flop_per_s;
  FittedValue bandwidth_bytes_per_s;
  std::optional<MicrobenchEnergy> energy;  // empty: too little power was measured, see notices
  MeasuredRoof ceilings;                   // and everything else that was measured for the mode
  std::size_t points = 0;                  // that the roofline was fitted to
  std::vector<std::size_t> outliers;       // indices of the streaming points
  double time_mape = 0;                    // over points that are no outliers
  std::vector<std::string> notices;
};

// The ceilings of the points of one mode. Throws UsageError if the points do not determine both
// peak and bandwidth: without kernels of their own for these, the sweep must cover both sides of
// the ridge.
MeasuredRoof measured_ceilings(std::span<const MicrobenchPoint> points,
                               const MicrobenchFitOptions& options = {});

// Fits the points of one mode. Throws UsageError as above, and if there is neither a peak with a
// triad nor a sweep of at least 6 points.
MicrobenchFit fit_microbench(std::span<const MicrobenchPoint> points,
                             const MicrobenchFitOptions& options = {});
// One fit per mode that occurs, in ascending order of modes.
std::vector<MicrobenchFit> fit_microbench_modes(std::span<const MicrobenchPoint> points,
                                                const MicrobenchFitOptions& options = {});

}  // namespace ridgewatt::roofline
