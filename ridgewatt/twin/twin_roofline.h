// Rooflines of a board and its twin in one power mode, and the position of each kernel relative to
// them. Each class of kernels has two roofs per precision:
//
//   ceiling  upper bound: the microbenchmark results of the board file, or else the data sheet's
//            rate of the unit in which the class runs and the highest published STREAM triad of
//            the memory (its data sheet's bandwidth if none is known)
//   reached  the rate that kernels of the class reach in the framework, from the fitted twin
//
// The intensity of a kernel is its work divided by its modelled traffic. Its rate is its work
// divided by its time on the GPU without launches.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/roofline/energy_roofline.h"
#include "ridgewatt/roofline/microbench_fit.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

// Kernels that run in the same unit and reach similar rates.
enum class RoofClass : std::size_t { kConvolution, kProduct, kDepthwise, kVector };
constexpr auto enum_names(RoofClass) {
  return named<RoofClass>({{RoofClass::kConvolution, "convolution"},
                           {RoofClass::kProduct, "product"},
                           {RoofClass::kDepthwise, "depthwise"},
                           {RoofClass::kVector, "vector"}});
}
inline constexpr std::array<RoofClass, count_of<RoofClass>()> kRoofClasses = {
    RoofClass::kConvolution, RoofClass::kProduct, RoofClass::kDepthwise, RoofClass::kVector};
RoofClass roof_class_of(workload::OpClass op_class);

// Returns the reached roof. Its static power is all power that does not depend on the work while a
// kernel runs: static and clock power of every domain, and the power of the busy GPU and of the
// launching thread. Throws NotSupportedError if the board has no rate for the precision.
roofline::EnergyRoofline twin_roofline(const Twin& twin, const PowerMode& mode,
                                       RoofClass roof = RoofClass::kConvolution,
                                       workload::Precision precision = workload::Precision::kFp32);

// Factor by which Winograd's algorithm reduces the multiplications of a 3x3 window, for tiles of
// 2x2 (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, CVPR 2016, section 4.1:
// 2.25).
inline constexpr double kWinograd = 2.25;

// Rates that no kernel of a class can exceed, with all SMs that the mode leaves on.
struct RoofCeiling {
  Arithmetic arithmetic = Arithmetic::kFp32;  // of the unit in which the class runs
  double flop_per_s = 0;
  double bandwidth_bytes_per_s = 0;
  double attainable_flop_per_s(double intensity) const;
  double time_balance() const { return flop_per_s / bandwidth_bytes_per_s; }
};
// FP32 convolutions run in TF32 if the GPU has TF32. Depthwise and vector kernels use the FP32
// pipes in any precision. If convolutions run on pipes instead of tensor cores, the ceiling is
// kWinograd times the peak of the pipes, because operations are counted for direct convolution.
// Throws NotSupportedError if the board has no rate for the precision.
RoofCeiling roof_ceiling(const Board& board, const PowerMode& mode, RoofClass roof,
                         workload::Precision precision = workload::Precision::kFp32);

// Position of a kernel relative to the roofs in a mode.
struct LayerPoint {
  std::size_t kernel = 0;  // index in WorkloadCost::kernels
  RoofClass roof = RoofClass::kVector;
  double work_flop = 0;      // with integer operations
  double traffic_bytes = 0;  // modelled
  double counted_bytes = 0;  // operands read and results written, without caches
  double gpu_s = 0;          // time on the GPU; longer than modelled if the power cap limits it
  double gpu_compute_s = 0, gpu_memory_s = 0;  // modelled parts of gpu_s
  double gpu_overhead_s = 0;                   // fixed time of the kernel in addition to its work
  double launch_s = 0;                         // CPU time of its launches
  // Part of the minibatch's time: the time of the launches where these are the bottleneck,
  // otherwise the GPU time. Includes the time that the power cap adds.
  double time_s = 0;
  double power_w = 0;                                     // of the board while the kernel runs
  double ceiling_flop_per_s = 0, reached_flop_per_s = 0;  // rates of the roofs at this intensity

  bool has_place() const { return work_flop > 0 && traffic_bytes > 0 && gpu_s > 0; }
  double intensity() const { return work_flop / traffic_bytes; }
  double flop_per_s() const { return work_flop / gpu_s; }
  // The largest part of the GPU time: compute, memory, or kLaunch for the fixed time.
  Cause bound() const;
};
inline constexpr double kNoCap = std::numeric_limits<double>::infinity();
// Returns every kernel of the workload in order of execution. Throws UsageError if the static power
// in the mode is not below `power_cap_w`.
std::vector<LayerPoint> place_layers(const Board& board, const Estimator& estimator,
                                     const PowerMode& mode, double power_cap_w = kNoCap);
// Share of the GPU time per class, indexed by RoofClass.
std::array<double, kRoofClasses.size()> roof_shares(std::span<const LayerPoint> layers);

// Returns the race-to-halt ratio eta B_eps / B_tau (EnergyRoofline::race_to_halt_ratio()) of the
// reached roof with its 90 % interval. The parameters of the twin are sampled independently within
// their deviations, so the interval tends to be too wide.
roofline::FittedValue twin_race_to_halt(const Twin& twin, const PowerMode& mode,
                                        RoofClass roof = RoofClass::kConvolution,
                                        std::uint64_t seed = 1);
// The same for many modes, with one set of samples for all modes.
std::vector<roofline::FittedValue> twin_race_to_halt(
    const Twin& twin, std::span<const PowerMode> modes, RoofClass roof = RoofClass::kConvolution,
    std::uint64_t seed = 1, workload::Precision precision = workload::Precision::kFp32);

}  // namespace ridgewatt::twin
