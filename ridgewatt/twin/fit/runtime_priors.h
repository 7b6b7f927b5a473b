// Priors of the parameters of each runtime: the assumed values before any measurement.
#pragma once

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/device/runtime.h"

namespace ridgewatt::twin {

// Medians, in the units of RuntimeParam. The row of pytorch-eager applies to inference on boards
// whose twin is scaled, where PyTorch is newer than in the sweeps of the fit. The medians reflect
// the following. TorchScript interprets a traced graph without Python. Compiled code and engines
// enqueue kernels in microseconds. Engines choose the fastest of several measured kernels. The
// other runtimes use the libraries that PyTorch uses.
struct RuntimePriors {
  Runtime id;
  double launch = 0, run = 0, caller = 0, thin_caller = 0, kernel = 0, graph = 0, traffic = 0;
  double fill = 0, short_macs = 0, narrow_columns = 0, on_chip = 0;
  double conv_fp32 = 0, conv_fp16 = 0, conv_int8 = 0;
  double product_fp32 = 0, product_fp16 = 0, product_int8 = 0;
  double depthwise = 0;
  bool window_on_chip = false;  // depthwise kernels read each input element from memory once

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
    // Its twin has parameters of its own (twin/cpu_twin.h).
    {.id = Runtime::kOnnxRuntimeCpu},
});

// Returns the priors of one parameter, indexed by Runtime.
consteval auto priors_of(double RuntimePriors::*parameter) {
  std::array<double, kRuntimePriors.size()> priors{};
  for (std::size_t i = 0; i < priors.size(); ++i) priors[i] = kRuntimePriors.rows[i].*parameter;
  return priors;
}

}  // namespace ridgewatt::twin
