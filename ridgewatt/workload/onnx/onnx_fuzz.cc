// Fuzz target: reading and inferring any bytes ends in a model or in an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/infer.h"
#include "ridgewatt/workload/onnx_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  try {
    workload::LoadOptions load_options;
    load_options.max_nodes = 2000;
    workload::Model model = workload::load_model_from_memory(
        std::string_view(reinterpret_cast<const char*>(data), size), "fuzz", load_options);
    workload::infer(model);
    workload::InferOptions options;
    options.batch = 3;
    workload::infer(model, options);
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
