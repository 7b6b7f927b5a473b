// The rooflines that a board and its twin have in one power mode: the bridge from the fitted model
// to the closed forms. Each class of kernels has two roofs at a precision:
//
//   ceiling  upper bound: the board's microbenchmark results if its file has them; else the data
//            sheet's rate of the unit that the class runs in, and the highest published triad of
//            the memory (the data sheet's where none is known)
//   reached  what the twin was fitted to: what kernels of the class attain in the framework
//
// A kernel's intensity is its work over the twin's modelled traffic; its rate is its work divided
// by the time that it takes on the GPU, without launches.
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

// Kernels that run in the same unit and reach a like rate.
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

// The reached roof. Static power here is all power that is independent of work while a kernel runs:
// every domain's static and clock power, the busy GPU's and the launching thread's.
// NotSupportedError where the board has no rate of the precision.
roofline::EnergyRoofline twin_roofline(const Twin& twin, const PowerMode& mode,
                                       RoofClass roof = RoofClass::kConvolution,
                                       workload::Precision precision = workload::Precision::kFp32);

// Factor by which Winograd's algorithm reduces the multiplications of a 3x3 window, in tiles of 2x2
// (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, CVPR 2016, section 4.1:
// 2.25).
inline constexpr double kWinograd = 2.25;

// What no kernel of a class passes, all SMs on.
struct RoofCeiling {
  Arithmetic arithmetic = Arithmetic::kFp32;  // of the unit that the class runs in
  double flop_per_s = 0;
  double bandwidth_bytes_per_s = 0;
  double attainable_flop_per_s(double intensity) const;
  double time_balance() const { return flop_per_s / bandwidth_bytes_per_s; }
};
// FP32 convolutions run in TF32 where the GPU has it; depthwise and vector kernels on the FP32
// pipes in any precision. Where convolutions run on pipes, not on tensor cores, their counted
// operations may pass the pipes' peak by kWinograd. NotSupportedError as above.
RoofCeiling roof_ceiling(const Board& board, const PowerMode& mode, RoofClass roof,
                         workload::Precision precision = workload::Precision::kFp32);

// Where a kernel lies in a mode.
struct LayerPoint {
  std::size_t kernel = 0;  // index in WorkloadCost::kernels
  RoofClass roof = RoofClass::kVector;
  double work_flop = 0;
  double traffic_bytes = 0;  // modelled
  double counted_bytes = 0;  // operands read and results written: W / Q by counts
  double gpu_s = 0;          // time on the GPU; longer than modelled where the power cap binds
  double gpu_compute_s = 0, gpu_memory_s = 0;  // its parts as modelled
  double gpu_overhead_s = 0;                   // what a kernel takes in addition to its work
  double launch_s = 0;                         // CPU time of its launches
  double time_s = 0;   // its share of the minibatch: launches where they decide, else the GPU
  double power_w = 0;  // of the board while the kernel runs
  double ceiling_flop_per_s = 0, reached_flop_per_s = 0;  // what the roofs allow at its intensity

  bool has_place() const { return work_flop > 0 && traffic_bytes > 0 && gpu_s > 0; }
  double intensity() const { return work_flop / traffic_bytes; }
  double flop_per_s() const { return work_flop / gpu_s; }
  // What most of the GPU time goes to: compute, memory, or kLaunch for a kernel's time outside its
  // work.
  Cause bound() const;
};
inline constexpr double kNoCap = std::numeric_limits<double>::infinity();
// Every kernel of the workload, in order of execution. UsageError when the mode's static power is
// not below the cap.
std::vector<LayerPoint> place_layers(const Board& board, const Estimator& estimator,
                                     const PowerMode& mode, double power_cap_w = kNoCap);
// Share of the GPU time that each class takes, by RoofClass.
std::array<double, kRoofClasses.size()> roof_shares(std::span<const LayerPoint> layers);

// eta B_eps / B_tau of the reached roof with its 90 % interval, by sampling the twin's parameters
// within their deviations (independently, so the interval is on the wide side).
roofline::FittedValue twin_race_to_halt(const Twin& twin, const PowerMode& mode,
                                        RoofClass roof = RoofClass::kConvolution,
                                        std::uint64_t seed = 1);
// The same of many modes: the parameters are sampled once for all.
std::vector<roofline::FittedValue> twin_race_to_halt(
    const Twin& twin, std::span<const PowerMode> modes, RoofClass roof = RoofClass::kConvolution,
    std::uint64_t seed = 1, workload::Precision precision = workload::Precision::kFp32);

}  // namespace ridgewatt::twin
