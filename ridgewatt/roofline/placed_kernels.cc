#include "ridgewatt/roofline/placed_kernels.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt::roofline {
namespace {

using workload::Precision;

bool multiplies(workload::OpClass op_class) {
  return op_class == workload::OpClass::kConv || op_class == workload::OpClass::kGemm;
}

// Returns the peak rate of contractions in a precision.
double contraction_peak(const MicrobenchFit& fit, Precision precision) {
  const auto peak = [&](RoofQuantity quantity) {
    const MeasuredValue* measured = fit.ceilings.find(quantity);
    return measured == nullptr ? 0 : measured->value;
  };
  const Arithmetic arithmetic = workload::arithmetic_of(precision);
  if (arithmetic == Arithmetic::kFp32) return peak(RoofQuantity::kFp32);
  double found = 0;
  if (arithmetic == Arithmetic::kFp16) {
    found = std::max(peak(RoofQuantity::kFp16), peak(RoofQuantity::kTensorFp16));
  }
  if (found > 0) return found;
  throw NotSupportedError(
      fmt::format("the peak rate of {} was not measured on this machine", name_of(precision)), "",
      "use fp32, or fp16 on a GPU");
}

}  // namespace

std::vector<PlacedKernel> place_kernels(const workload::WorkloadCost& cost,
                                        const MicrobenchFit& fit) {
  const double fp32 = fit.ceilings.find(RoofQuantity::kFp32)->value;
  const double bytes_per_s = fit.ceilings.find(RoofQuantity::kBandwidth)->value;
  std::vector<PlacedKernel> placed;
  for (std::size_t i = 0; i < cost.kernels.size(); ++i) {
    const workload::KernelCost& kernel = cost.kernels[i];
    const Precision precision =
        kernel.precision == Precision::kStored ? cost.arithmetic : kernel.precision;
    const bool quantized = kernel.work_int_op > 0 && kernel.macs > 0 && multiplies(kernel.op_class);
    PlacedKernel place{
        .kernel = i, .work_flop = kernel.work_flop, .traffic_bytes = kernel.traffic_bytes()};
    place.peak_flop_per_s = multiplies(kernel.op_class)
                                ? contraction_peak(fit, quantized ? Precision::kInt8 : precision)
                                : fp32;
    const double compute_s = place.work_flop / place.peak_flop_per_s;
    const double memory_s = place.traffic_bytes / bytes_per_s;
    place.least_s = std::max(compute_s, memory_s);
    place.compute_bound = compute_s >= memory_s;
    if (place.has_place()) place.attainable_flop_per_s = place.work_flop / place.least_s;
    if (fit.energy) {
      place.least_j = place.work_flop * fit.roofline.energy_per_flop_j +
                      place.traffic_bytes * fit.roofline.energy_per_byte_j +
                      place.least_s * fit.roofline.static_power_w;
    }
    placed.push_back(place);
  }
  return placed;
}

}  // namespace ridgewatt::roofline
