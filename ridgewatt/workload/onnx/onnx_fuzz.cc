// Fuzz target: reading, inferring and costing any bytes ends in a cost or in an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/onnx_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  using namespace ridgewatt::workload;
  try {
    LoadOptions load_options;
    load_options.max_nodes = 2000;
    Model model = load_model_from_memory(
        std::string_view(reinterpret_cast<const char*>(data), size), "fuzz", load_options);
    workload_cost(model);
    CostOptions other;
    other.batch = 3;
    other.kind = WorkloadKind::kTraining;
    workload_cost(model, other);
    other.kind = WorkloadKind::kInference;
    for (const Runtime runtime : {Runtime::kTensorRt, Runtime::kOnnxRuntime}) {
      other.runtime = runtime;
      workload_cost(model, other);
    }
  } catch (const Error&) {  // refused
    return 0;
  }
  return 0;
}
