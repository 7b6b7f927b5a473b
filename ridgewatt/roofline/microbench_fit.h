// Fits the ceilings and the energy roofline of a power mode to microbenchmarks: time and power of
// FMA chains and of streams with varied arithmetic intensity.
//
//   const auto file = read_microbench("points.csv");
//   for (const auto& fit : fit_microbench_modes(file.points)) use(fit.ceilings, fit.energy);
//
// File format: CSV, one row per point. The knob columns and the power are optional.
//   cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,work_flop,traffic_bytes,time_ms,power_w
// `ridgewatt microbench` adds the columns `kernel` (default: the intensity sweep), `target` and
// `device`. The energy roofline is fitted to the triad and the intensity sweep, which compute in
// FP32 and move data.
//
// A ceiling is the highest measured rate. Its interval is the interval of the robust mean rate of
// the points near it. Its width follows from the scatter of repeated points; without repeats, a
// scatter of 2 % is assumed. Energy is linear in the unknowns (Choi et al. 2013), E = W eps_f + Q
// eps_m + pi0 T, and is fitted by non-negative least squares, weighted by 1/E and robust weights.
// Peaks are the robust mean of W/T over compute-bound points and of Q/T over memory-bound points.
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

// The kernel of a microbenchmark: multiply-adds (kFma*), a stream through memory (kTriad),
// multiply-adds on a stream (kIntensity), tensor cores, an empty kernel (kLaunch), or nothing
// (kIdle).
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
  std::optional<double> power_w;  // absent: not measured
  double intensity() const { return work_flop / traffic_bytes; }
  // True if the point does FP32 work on data from memory. Such points determine the roofline.
  bool streams() const {
    return kernel == MicrobenchKernel::kTriad || kernel == MicrobenchKernel::kIntensity;
  }
};

struct MicrobenchFile {
  std::vector<MicrobenchPoint> points;
  RoofTarget target = RoofTarget::kGpu;  // the default, if the file does not state it
  std::string machine;                   // empty: not stated
};
// Throws InputError, with file, line and column, for values that are implausible in their unit, and
// for points of several targets.
MicrobenchFile read_microbench(const std::string& path);

struct MicrobenchFitOptions {
  double confidence = 0.9;    // probability of the intervals
  double outlier_sigmas = 4;  // deviation above which a point is an outlier

  void check() const;  // throws UsageError with field, value and constraint
};

struct FittedValue {
  double value = 0;
  double lo = 0;
  double hi = 0;
};

// Results that require power measurements.
struct MicrobenchEnergy {
  FittedValue energy_per_flop_j;
  FittedValue energy_per_byte_j;
  FittedValue static_power_w;
  // The race-to-halt ratio eta B_eps / B_tau. At most 1: the fastest execution in this mode uses
  // the least energy.
  FittedValue race_to_halt_ratio;
  double mape = 0;  // mean absolute percentage error of the energy, without outliers
  // True only if the whole interval is at most 1.
  bool race_to_halt_holds() const { return race_to_halt_ratio.hi <= 1; }
};

struct MicrobenchFit {
  PowerMode mode;
  EnergyRoofline roofline;  // energies and static power are 0 if `energy` is absent
  FittedValue peak_flop_per_s;
  FittedValue bandwidth_bytes_per_s;
  std::optional<MicrobenchEnergy> energy;  // absent: too few power measurements, see `notices`
  MeasuredRoof ceilings;                   // all measured ceilings of the mode
  std::size_t points = 0;                  // number of points in the fit of the roofline
  // Indices into the points of the triad and the intensity sweep.
  std::vector<std::size_t> outliers;
  double time_mape = 0;  // mean absolute percentage error of the time, without outliers
  std::vector<std::string> notices;
};

// Returns the ceilings of points of one mode. Throws UsageError if the points do not determine both
// peak and bandwidth. Without separate kernels for peak and bandwidth, the sweep must cover both
// sides of the ridge.
MeasuredRoof measured_ceilings(std::span<const MicrobenchPoint> points,
                               const MicrobenchFitOptions& options = {});

// Fits the points of one mode. Throws UsageError for the reasons of measured_ceilings(), and if the
// points contain neither a peak and a triad nor a sweep of at least 6 points.
MicrobenchFit fit_microbench(std::span<const MicrobenchPoint> points,
                             const MicrobenchFitOptions& options = {});
// Returns one fit per mode, in ascending order of modes.
std::vector<MicrobenchFit> fit_microbench_modes(std::span<const MicrobenchPoint> points,
                                                const MicrobenchFitOptions& options = {});

}  // namespace ridgewatt::roofline
