#include "ridgewatt/twin/estimate/kernel_terms.h"

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/twin_roofline.h"

namespace ridgewatt::twin {
namespace {

using P = TwinParam;

constexpr double kPipeRate = 2;  // rate of half precision in the pipes over their FP32 rate

struct ClassFactors {
  double rate = 1;     // share of the FP32 peak
  double traffic = 1;  // bytes moved over bytes counted in the graph
};

ClassFactors class_factors(const Twin& t, const workload::KernelCost& kernel) {
  const bool backward = kernel.phase == workload::Phase::kBackward;
  const double window = std::max(kernel.window, 1.0);
  switch (workload::contraction_of(kernel.op_class)) {
    case workload::Contraction::kConvolution: {
      // Windows larger than 3x3 read the additional values from the cache.
      const double window_share = (std::min(window, 9.0) - 1) / 8;
      const double reads =
          1 + window_share * t[backward ? P::kConvBackwardWindowTraffic : P::kConvWindowTraffic];
      return {t[P::kConvRate] * (backward ? t[P::kConvBackwardRatio] : 1),
              t[P::kConvTraffic] * (backward ? t[P::kConvBackwardTraffic] : 1) * reads};
    }
    case workload::Contraction::kDepthwise: {
      if (backward) {
        return {t[P::kDepthwiseRate] * t[P::kDepthwiseBackwardRatio],
                t[P::kConvTraffic] * t[P::kConvBackwardTraffic] * t[P::kDepthwiseBackwardTraffic]};
      }
      return {t[P::kDepthwiseRate], t[P::kConvTraffic] * t[P::kDepthwiseTraffic] *
                                        (1 + t[P::kDepthwiseWindowTraffic] * (window - 1) / 8)};
    }
    case workload::Contraction::kProduct:
      // A product reads no window. Eager twins use kConvTraffic, because their sweeps do not show
      // the traffic of products.
      return {t[P::kGemmRate], t[t.changed_by ? P::kVectorTraffic : P::kConvTraffic]};
    case workload::Contraction::kNone:
      break;
  }
  return {t[P::kVectorRate], t[P::kVectorTraffic]};
}

double launch_ratio(const Twin& t, workload::Phase phase) {
  switch (phase) {
    case workload::Phase::kBackward:
      return t[P::kLaunchBackwardRatio];
    case workload::Phase::kOptimizer:
      return t[P::kLaunchOptimizerRatio];
    case workload::Phase::kForward:
      break;
  }
  return 1;
}

}  // namespace

double arithmetic_speedup(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class) {
  switch (workload::contraction_of(op_class)) {
    case workload::Contraction::kConvolution:
      return twin.speedup(arithmetic).conv;
    case workload::Contraction::kProduct:
      return twin.speedup(arithmetic).product;
    case workload::Contraction::kDepthwise:
    case workload::Contraction::kNone:
      break;
  }
  return 1;
}

double runtime_gain(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class) {
  if (!twin.changed_by) return 1;
  const auto& gain = twin.gains[static_cast<std::size_t>(arithmetic)];
  switch (workload::contraction_of(op_class)) {
    case workload::Contraction::kConvolution:
      return gain.conv;
    case workload::Contraction::kDepthwise:
      return kArithmeticRows[arithmetic].lanes;
    case workload::Contraction::kProduct:
      return op_class == workload::OpClass::kAttention ? gain.attention : gain.product;
    case workload::Contraction::kNone:
      break;
  }
  return 1;
}

double peak_over_fp32(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class) {
  const workload::Contraction contraction = workload::contraction_of(op_class);
  const auto peak = [&](Arithmetic of) {
    return twin.speedups[static_cast<std::size_t>(of)].product;
  };
  const double pipes = kArithmeticRows[arithmetic].lanes;
  if (contraction == workload::Contraction::kNone ||
      contraction == workload::Contraction::kDepthwise) {
    return pipes;
  }
  const double units = arithmetic == Arithmetic::kFp32
                           ? std::max(1.0, peak(Arithmetic::kTf32))  // runtimes use TF32 for FP32
                           : peak(arithmetic);
  const bool tensor_cores = units > kPipeRate;
  const bool winograd = contraction == workload::Contraction::kConvolution && !tensor_cores;
  return std::max(1.0, units) * (winograd ? kWinograd : 1);
}

namespace {

// Peak of the unit that multiplies in this arithmetic, over that of the FP32 pipes.
double unit_over_fp32(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class) {
  const auto peak = [&](Arithmetic of) {
    return twin.speedups[static_cast<std::size_t>(of)].product;
  };
  const bool tf32 = arithmetic == Arithmetic::kFp32 &&
                    workload::contraction_of(op_class) == workload::Contraction::kConvolution;
  return std::max(peak(arithmetic), tf32 ? peak(Arithmetic::kTf32) : 0);
}

// Additional work of a dense contraction, as a share of its own: filling and emptying the pipeline
// of its main loop, and columns of tiles outside the result. Both are times outside the tensor
// cores, counted in multiply-accumulates of FP16. TF32 and pipes do fewer of these in the same
// time.
double idle_share(const Twin& twin, const workload::KernelCost& kernel, Arithmetic arithmetic) {
  constexpr double kTensorRate = 8;  // FP16 rate of Orin's tensor cores over the pipes' FP32 rate
  const bool tiles = workload::kOpClassRows[kernel.op_class].tiles;
  // Fused attention keeps both products on chip. Its time outside the tensor cores is its softmax.
  const bool fused = kernel.op_class == workload::OpClass::kAttention;
  if (!tiles || fused || !(kernel.reduction_length > 0)) return 0;
  const double unit = unit_over_fp32(twin, arithmetic, kernel.op_class);
  // Rate of FP16 in the unit, over the FP32 rate of the pipes.
  const double fp16 = unit > kPipeRate
                          ? twin.speedups[static_cast<std::size_t>(Arithmetic::kFp16)].product
                          : kTensorRate;
  const double share = fp16 > 0 ? std::min(1.0, unit / fp16) : 1;
  const double filling = twin.short_macs / kernel.reduction_length;
  const double columns =
      kernel.output_channels > 0 ? twin.narrow_columns / kernel.output_channels : 0;
  return share * (filling + (1 + filling) * columns);
}

// Operations of fused attention other than multiply-accumulates.
double softmax_flop(const workload::KernelCost& kernel) {
  if (kernel.op_class != workload::OpClass::kAttention) return 0;
  const double others = kernel.work_flop + kernel.work_int_op - 2 * kernel.macs;
  return std::clamp(others, 0.0, kernel.work_flop);
}

// Orin's GPUs have 256 KiB of L2 cache and 256 FLOP per cycle per multiprocessor.
double cache_bytes(const Twin& twin) {
  return twin.flop_per_cycle * 1024;
}

// Bytes that reach memory if the L2 cache keeps `share` of the bytes that fit. Data that stays in
// this cache between two kernels is not transferred.
double past_cache_bytes(const Twin& twin, double bytes, double share) {
  return bytes * (1 - share / (1 + bytes / cache_bytes(twin)));
}

// The share of the weights that every minibatch reads from memory, because the cache cannot keep
// them until the next minibatch.
double read_share_of_weights(const Twin& twin, const workload::WorkloadCost& cost) {
  double bytes = 0;
  for (const auto& kernel : cost.kernels) bytes += kernel.weight_bytes;
  return bytes > 0 ? std::max(0.0, 1 - cache_bytes(twin) / bytes) : 0;
}

double activation_bytes(const Twin& twin, const workload::KernelCost& kernel) {
  const double bytes = kernel.traffic_bytes() - kernel.weight_bytes;
  return twin.on_chip_share == 0 ? bytes : past_cache_bytes(twin, bytes, twin.on_chip_share);
}

}  // namespace

KernelTerms::KernelTerms(const Twin& twin, const workload::WorkloadCost& cost) {
  const Arithmetic usual = workload::arithmetic_of(cost.arithmetic);
  twin.speedup(usual);  // throws if the board has no such rate
  const double read_share = read_share_of_weights(twin, cost);
  for (auto* of_kernels : {&compute_cycles, &traffic_bytes, &energy_flop, &launches,
                           &launches_until, &fixed_cycles, &least_cycles, &least_bytes}) {
    of_kernels->reserve(cost.kernels.size());
  }
  double launched = 0;
  for (const auto& kernel : cost.kernels) {
    const auto [rate, traffic] = class_factors(twin, kernel);
    const double fill =
        kernel.output_elements > 0 ? 1 + twin[P::kFillElements] / kernel.output_elements : 1;
    const Arithmetic own = kernel.precision == workload::Precision::kStored
                               ? usual
                               : workload::arithmetic_of(kernel.precision);
    double flop = 0;        // FP32 equivalents by the ratio of peaks, for the energy
    double timed_flop = 0;  // at the rates that the runtime reaches, for the time
    double least_flop = 0;  // at the peaks of the units, for the lower bound
    const auto add = [&](double work, Arithmetic arithmetic) {
      if (work == 0) return;
      least_flop += work / peak_over_fp32(twin, arithmetic, kernel.op_class);
      const double fp32_flop = work / arithmetic_speedup(twin, arithmetic, kernel.op_class);
      flop += fp32_flop;
      timed_flop += (1 + idle_share(twin, kernel, arithmetic)) * fp32_flop /
                    runtime_gain(twin, arithmetic, kernel.op_class);
    };
    const double softmax = softmax_flop(kernel);
    add(kernel.work_flop - softmax, own);
    add(kernel.work_int_op, Arithmetic::kInt8);
    // The pipes compute the softmax while tensor cores multiply. Without these, they do both.
    const double softmax_timed = softmax * rate / twin[P::kVectorRate];
    const bool tensor_cores = unit_over_fp32(twin, own, kernel.op_class) > kPipeRate;
    flop += softmax;
    timed_flop = tensor_cores ? std::max(timed_flop, softmax_timed) : timed_flop + softmax_timed;
    const double cycles = timed_flop / (rate * twin.flop_per_cycle) * fill;
    const double least_weight_bytes = read_share * kernel.weight_bytes;
    const double bytes = std::max(traffic * kernel.weight_bytes, least_weight_bytes) +
                         traffic * activation_bytes(twin, kernel);
    if (!(cycles >= 0) || !(bytes >= 0) || !std::isfinite(cycles + bytes) || kernel.launches < 0) {
      throw UsageError("the cost of a kernel is not known", kernel.name,
                       "set every symbolic dimension of the model with --dim");
    }
    compute_cycles.push_back(cycles);
    traffic_bytes.push_back(bytes);
    energy_flop.push_back(flop);
    launches.push_back(kernel.launches * launch_ratio(twin, kernel.phase));
    launched += launches.back();
    launches_until.push_back(launched);
    fixed_cycles.push_back(kernel.launches * twin[P::kKernelCycles]);
    least_cycles.push_back(least_flop / twin.flop_per_cycle);
    const double activations = kernel.traffic_bytes() - kernel.weight_bytes;
    least_bytes.push_back(least_weight_bytes + past_cache_bytes(twin, activations, 1));
    total_energy_flop += flop;
    total_traffic_bytes += bytes;
  }
}

}  // namespace ridgewatt::twin
