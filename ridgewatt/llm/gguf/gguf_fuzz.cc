// Fuzz target: any bytes as a GGUF file give a language model or an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/gguf/gguf.h"
#include "ridgewatt/llm/gguf/gguf_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  try {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const auto model = llm::model_of_gguf({llm::parse_gguf(bytes, "fuzz")}, "fuzz");
    llm::kv_bytes(model.description, llm::StoredType::kF16, 4096);
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
