// Fuzz target: any bytes as config.json or genai_config.json give a language model or an
// InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/config/folder.h"
#include "ridgewatt/llm/config/hf_config.h"
#include "ridgewatt/llm/footprint.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto json = llm::parse_config_json(bytes, "fuzz");
    const auto model = json.contains("model") ? llm::model_of_genai(json, 1e9, "folder/fuzz")
                                              : llm::model_of_config(json, {}, "folder/fuzz");
    llm::kv_bytes(model.description, llm::StoredType::kF16, 4096);
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
