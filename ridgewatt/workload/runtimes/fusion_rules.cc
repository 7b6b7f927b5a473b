#include "ridgewatt/workload/runtimes/fusion_rules.h"

namespace ridgewatt::workload {

const RuntimeRules& runtime_rules(Runtime runtime) {
  static constexpr RuntimeRules kNone;  // eager: every operator is a kernel
  switch (runtime) {
    case Runtime::kTensorRt:
      return tensorrt_rules();
    case Runtime::kOnnxRuntime:
      return onnxruntime_rules();
    case Runtime::kTorchCompile:
      return torch_compile_rules();
    case Runtime::kTorchscript:
      return torchscript_rules();
    case Runtime::kPytorchEager:
      break;
  }
  return kNone;
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
