// What is believed of each runtime before any measurement of it.
#pragma once

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/device/runtime.h"

namespace ridgewatt::twin {

// Medians, in the units of RuntimeParam. Those of pytorch-eager are of inference on boards whose
// eager twin is scaled, with a later release of PyTorch than the one that was swept. What is known:
// the interpreter of a traced graph skips Python; compiled and engine code enqueues in
// microseconds; engines choose among measured kernels; libraries are the same where PyTorch calls
// them.
struct RuntimePriors {
  Runtime id;
  double launch = 0, run = 0, caller = 0, thin_caller = 0, kernel = 0, graph = 0, traffic = 0;
  double fill = 0, short_macs = 0, narrow_columns = 0, on_chip = 0;
  double conv_fp32 = 0, conv_fp16 = 0, conv_int8 = 0;
  double product_fp32 = 0, product_fp16 = 0, product_int8 = 0;
  double depthwise = 0;
  bool window_on_chip = false;  // depthwise kernels read what they slide over once

  constexpr bool complete() const {
    if (is_on_cpu(id)) return true;
    for (const double prior : {launch, run, caller, thin_caller, kernel, graph, traffic, fill,
                               short_macs, narrow_columns, on_chip, conv_fp32, conv_fp16, conv_int8,
                               product_fp32, product_fp16, product_int8, depthwise}) {
      if (!(prior > 0)) return false;
    }
    return true;
  }
};

inline constexpr auto kRuntimePriors = enum_rows<RuntimePriors>({
    {.id = Runtime::kPytorchEager,
     .launch = 1,
     .run = 1,
     .caller = 1,
     .thin_caller = 0.15,
     .kernel = 1,
     .graph = 0.6,
     .traffic = 1,
     .fill = 1,
     .short_macs = 64,
     .narrow_columns = 16,
     .on_chip = 0.5,
     .conv_fp32 = 1,
     .conv_fp16 = 1,
     .conv_int8 = 1,
     .product_fp32 = 1,
     .product_fp16 = 1,
     .product_int8 = 1,
     .depthwise = 1,
     .window_on_chip = false},
    {.id = Runtime::kTorchscript,
     .launch = 0.6,
     .run = 1,
     .caller = 1,
     .thin_caller = 0.15,
     .kernel = 1,
     .graph = 0.6,
     .traffic = 1,
     .fill = 1,
     .short_macs = 64,
     .narrow_columns = 16,
     .on_chip = 0.5,
     .conv_fp32 = 1,
     .conv_fp16 = 0.8,
     .conv_int8 = 0.6,
     .product_fp32 = 1,
     .product_fp16 = 0.7,
     .product_int8 = 0.6,
     .depthwise = 1,
     .window_on_chip = false},
    {.id = Runtime::kTorchCompile,
     .launch = 0.4,
     .run = 1,
     .caller = 1,
     .thin_caller = 0.15,
     .kernel = 0.8,
     .graph = 0.6,
     .traffic = 0.9,
     .fill = 1,
     .short_macs = 64,
     .narrow_columns = 16,
     .on_chip = 0.5,
     .conv_fp32 = 1,
     .conv_fp16 = 0.8,
     .conv_int8 = 0.6,
     .product_fp32 = 1,
     .product_fp16 = 0.7,
     .product_int8 = 0.6,
     .depthwise = 1,
     .window_on_chip = false},
    {.id = Runtime::kOnnxRuntime,
     .launch = 0.25,
     .run = 0.5,
     .caller = 1.5,
     .thin_caller = 0.15,
     .kernel = 0.8,
     .graph = 0.6,
     .traffic = 0.9,
     .fill = 1,
     .short_macs = 64,
     .narrow_columns = 16,
     .on_chip = 0.5,
     .conv_fp32 = 1,
     .conv_fp16 = 0.8,
     .conv_int8 = 0.6,
     .product_fp32 = 0.8,
     .product_fp16 = 0.7,
     .product_int8 = 0.6,
     .depthwise = 1,
     .window_on_chip = false},
    {.id = Runtime::kTensorRt,
     .launch = 0.06,
     .run = 0.15,
     .caller = 1.5,
     .thin_caller = 0.15,
     .kernel = 0.5,
     .graph = 0.6,
     .traffic = 0.8,
     .fill = 0.7,
     .short_macs = 64,
     .narrow_columns = 16,
     .on_chip = 0.5,
     .conv_fp32 = 1,
     .conv_fp16 = 0.9,
     .conv_int8 = 0.7,
     .product_fp32 = 0.8,
     .product_fp16 = 0.7,
     .product_int8 = 0.6,
     .depthwise = 1.2,
     .window_on_chip = true},
    // Its twin has its own parameters (twin/cpu_twin.h).
    {.id = Runtime::kOnnxRuntimeCpu},
});

// Of one parameter, by Runtime.
consteval auto priors_of(double RuntimePriors::*parameter) {
  std::array<double, kRuntimePriors.size()> priors{};
  for (std::size_t i = 0; i < priors.size(); ++i) priors[i] = kRuntimePriors.rows[i].*parameter;
  return priors;
}

}  // namespace ridgewatt::twin
