// The time of one kernel in TensorFlow Lite with XNNPACK on a processor. Constants are from runs of
// single operators in TensorFlow Lite 2.9 on an x86-64 processor with AVX2.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "ridgewatt/twin/cpu/cpu_timing.h"
#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/workload/kernel_fusion.h"

namespace ridgewatt::twin {
namespace {

using C = CpuParam;
using workload::KernelCost;
using workload::OpClass;

constexpr double kLiteColumns = 16;  // output channels that the kernels compute together
constexpr double kLiteRows = 5;      // the same for output positions

constexpr std::string_view kExponential = "Sigmoid|Tanh|Softmax";

// Operations at the peak per element of the result.
double lite_operations(const KernelCost& kernel) {
  constexpr double kPerExponential = 30, kPerPlace = 3;
  if (kernel.op_class == OpClass::kPooling) return kPerPlace * kernel.window;
  return workload::is_among(kernel.op, kExponential) ? kPerExponential : 0;
}

Work lite_vector(const CpuTwin& twin, const CpuRates& rates, const KernelCost& kernel) {
  constexpr std::string_view kTwoPasses = "BatchNormalization|HardSigmoid";  // MUL and ADD
  const double passes = workload::is_among(kernel.op, kTwoPasses) ? 2 : 1;
  const double bytes_per_s = twin[C::kTfliteActivations] * mixed_bandwidth(rates);
  return {twin[C::kTfliteOperator] * lite_operations(kernel) * kernel.output_elements /
              rates.flop_per_s,
          passes * kernel.traffic_bytes() / bytes_per_s};
}

// How much more a contraction computes than its multiply-accumulates.
double lite_overhead(const KernelCost& kernel) {
  const double rows = kernel.output_elements / std::max(kernel.output_channels, 1.0);
  const double taken = rows > 1 ? padded(rows, kLiteRows) : 1;  // a single row has its own kernel
  double overhead = taken * padded(kernel.output_channels, kLiteColumns);
  if (kernel.window > 1) {
    constexpr double kPerTap = 0.4;  // additional channels that each position of the window costs
    const double channels = std::max(kernel.reduction_length / kernel.window, 1.0);
    overhead *= 1 + kPerTap / channels;
  }
  return overhead;
}

double lite_depthwise_overhead(const KernelCost& kernel) {
  constexpr double kChannels = 8;     // computed together
  constexpr double kMostWindow = 25;  // XNNPACK has kernels for windows up to 5x5
  constexpr double kWithoutKernel = 15;
  return padded(kernel.groups, kChannels) * (kernel.window > kMostWindow ? kWithoutKernel : 1);
}

}  // namespace

bool tflite_shares(const KernelCost& kernel) {
  return workload::contraction_of(kernel.op_class) != workload::Contraction::kNone ||
         workload::is_among(kernel.op, kExponential) ||
         workload::is_among(kernel.op, "MaxPool|AveragePool");
}

Work tflite_work(const CpuTwin& twin, const CpuRates& rates, double weights_bytes,
                 const KernelCost& kernel) {
  const auto contraction = workload::contraction_of(kernel.op_class);
  if (contraction == workload::Contraction::kNone) return lite_vector(twin, rates, kernel);
  const bool depthwise = kernel.groups > 1 && kernel.output_channels <= 1;
  const C share = depthwise                                        ? C::kTfliteDepthwise
                  : contraction == workload::Contraction::kProduct ? C::kTfliteProduct
                                                                   : C::kTfliteConvolution;
  const double overhead = depthwise ? lite_depthwise_overhead(kernel) : lite_overhead(kernel);
  const double compute_s = overhead * 2 * kernel.macs / (twin[share] * rates.flop_per_s);
  const double weights_s = kernel.weight_bytes /
                           (twin[C::kTfliteWeights] * stored_bandwidth(twin, rates, weights_bytes));
  const double moved_s = (kernel.traffic_bytes() - kernel.weight_bytes) /
                         (twin[C::kTfliteActivations] * mixed_bandwidth(rates));
  // Sums wait for each other, not for data, so computing and reading overlap in part.
  const double both_s = std::hypot(compute_s, weights_s + moved_s);
  const double computing = both_s > 0 ? compute_s / both_s : 0;
  return {both_s * computing * computing, both_s * (1 - computing * computing)};
}

}  // namespace ridgewatt::twin
