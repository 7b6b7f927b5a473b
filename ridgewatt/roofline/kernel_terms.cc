#include "ridgewatt/roofline/kernel_terms.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

using P = TwinParam;

// Ratio by which reduced precision speeds an operator class up: by peaks, not validated.
double fp_speedup(const Twin& twin, const WorkloadCost& cost, OpClass op_class) {
  if (cost.precision != "fp16" && cost.precision != "bf16") return 1;
  switch (op_class) {
    case OpClass::kConv:
      return twin.conv_fp16_speedup;
    case OpClass::kGemm:
    case OpClass::kRecurrent:
    case OpClass::kAttention:
      return twin.gemm_fp16_speedup;
    default:
      return 1;
  }
}

double int_speedup(const Twin& twin, OpClass op_class) {
  return op_class == OpClass::kConv ? twin.conv_int8_speedup : twin.gemm_int8_speedup;
}

struct ClassFactors {
  double rate = 1;     // share of the FP32 peak
  double traffic = 1;  // bytes moved over bytes counted
};

ClassFactors class_factors(const Twin& t, const KernelCost& kernel) {
  const bool backward = kernel.phase == Phase::kBackward;
  const double window = std::max(kernel.window, 1.0);
  switch (kernel.op_class) {
    case OpClass::kConv: {
      // Beyond 3x3 the further reads stay in the cache.
      const double window_share = (std::min(window, 9.0) - 1) / 8;
      const double reads =
          1 + window_share * t[backward ? P::kConvBackwardWindowTraffic : P::kConvWindowTraffic];
      return {t[P::kConvRate] * (backward ? t[P::kConvBackwardRatio] : 1),
              t[P::kConvTraffic] * (backward ? t[P::kConvBackwardTraffic] : 1) * reads};
    }
    case OpClass::kDepthwiseConv: {
      if (backward) {
        return {t[P::kDepthwiseRate] * t[P::kDepthwiseBackwardRatio],
                t[P::kConvTraffic] * t[P::kConvBackwardTraffic] * t[P::kDepthwiseBackwardTraffic]};
      }
      return {t[P::kDepthwiseRate], t[P::kConvTraffic] * t[P::kDepthwiseTraffic] *
                                        (1 + t[P::kDepthwiseWindowTraffic] * (window - 1) / 8)};
    }
    case OpClass::kGemm:
    case OpClass::kRecurrent:
    case OpClass::kAttention:
      return {t[P::kGemmRate], t[P::kConvTraffic]};
    default:
      return {t[P::kVectorRate], t[P::kVectorTraffic]};
  }
}

double launch_ratio(const Twin& t, Phase phase) {
  switch (phase) {
    case Phase::kBackward:
      return t[P::kLaunchBackwardRatio];
    case Phase::kOptimizer:
      return t[P::kLaunchOptimizerRatio];
    case Phase::kForward:
      break;
  }
  return 1;
}

}  // namespace

KernelTerms::KernelTerms(const Twin& twin, const WorkloadCost& cost) {
  double launched = 0;
  for (const auto& kernel : cost.kernels) {
    const auto [rate, traffic] = class_factors(twin, kernel);
    const double speedup = fp_speedup(twin, cost, kernel.op_class);
    const double fill =
        kernel.output_elements > 0 ? 1 + twin[P::kFillElements] / kernel.output_elements : 1;
    const double flop =
        kernel.work_flop / speedup + kernel.work_int_op / int_speedup(twin, kernel.op_class);
    const double cycles = flop / (rate * twin.flop_per_cycle) * fill;
    const double bytes = kernel.traffic_bytes() * traffic;
    if (!(cycles >= 0) || !(bytes >= 0) || !std::isfinite(cycles + bytes) || kernel.launches < 0) {
      throw UsageError("the cost of a kernel is not known", kernel.name,
                       "bind every symbolic dimension of the model");
    }
    compute_cycles.push_back(cycles);
    traffic_bytes.push_back(bytes);
    energy_flop.push_back(flop);
    launches.push_back(kernel.launches * launch_ratio(twin, kernel.phase));
    launched += launches.back();
    launches_until.push_back(launched);
    fixed_cycles.push_back(kernel.launches * twin[P::kKernelCycles]);
    total_energy_flop += flop;
    total_traffic_bytes += bytes;
  }
}

}  // namespace ridgewatt
