#include "ridgewatt/workload/runtimes/fusion_rules.h"

#include <fmt/format.h>

#include <array>

#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/precision.h"

namespace ridgewatt::workload {

// Each function is defined in the file of its runtime.
using RuntimeRulesOf = const RuntimeRules&();
RuntimeRulesOf tensorrt_rules, onnxruntime_rules, onnxruntime_cpu_rules, torch_compile_rules,
    torchscript_rules, tflite_cpu_rules;

namespace {

const RuntimeRules& eager_rules() {
  static constexpr RuntimeRules kNone;  // every operator is a kernel
  return kNone;
}

constexpr std::array kWide = {Precision::kFp32};
constexpr std::array kWideAndHalf = {Precision::kFp32, Precision::kFp16};
constexpr std::array kWideHalfAndInt8 = {Precision::kFp32, Precision::kFp16, Precision::kInt8};

struct RuntimeRulesRow {
  Runtime id;
  RuntimeRulesOf* rules;
  std::span<const Precision> usual;  // precisions in which the runtime is commonly used
  constexpr bool complete() const { return !usual.empty(); }
};
constexpr auto kRuntimeRulesRows =
    enum_rows<RuntimeRulesRow>({{Runtime::kPytorchEager, eager_rules, kWideAndHalf},
                                {Runtime::kTorchscript, torchscript_rules, kWideAndHalf},
                                {Runtime::kTorchCompile, torch_compile_rules, kWideAndHalf},
                                {Runtime::kOnnxRuntime, onnxruntime_rules, kWideAndHalf},
                                {Runtime::kTensorRt, tensorrt_rules, kWideHalfAndInt8},
                                {Runtime::kOnnxRuntimeCpu, onnxruntime_cpu_rules, kWide},
                                {Runtime::kTfliteCpu, tflite_cpu_rules, kWide}});

}  // namespace

const RuntimeRules& runtime_rules(Runtime runtime) {
  return kRuntimeRulesRows[runtime].rules();
}

void refuse_unmodelled(const WorkloadCost& cost, Runtime runtime) {
  const std::string_view modelled = runtime_rules(runtime).modelled;
  if (modelled.empty()) return;
  const auto refuse = [&](std::string_view what) {
    throw NotSupportedError(fmt::format("{} in {} is not modelled", what, name_of(runtime)),
                            cost.name, "use another model, or --runtime onnxruntime-cpu");
  };
  for (const KernelCost& kernel : cost.kernels) {
    if (!is_among(kernel.op, modelled)) refuse("operator " + kernel.op);
    const bool product = contraction_of(kernel.op_class) == Contraction::kProduct;
    if (product && !(kernel.weight_bytes > 0)) refuse("a product of two computed tensors");
    if (kernel.groups > 1 && kernel.output_channels > 1) refuse("a convolution in groups");
  }
}

std::span<const Precision> usual_precisions(Runtime runtime) {
  return kRuntimeRulesRows[runtime].usual;
}

bool is_among(std::string_view op, std::string_view ops) {
  while (!ops.empty()) {
    const std::size_t bar = ops.find('|');
    if (ops.substr(0, bar) == op) return true;
    if (bar == std::string_view::npos) return false;
    ops.remove_prefix(bar + 1);
  }
  return false;
}

}  // namespace ridgewatt::workload
