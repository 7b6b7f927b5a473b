// Fuzz target: any bytes as a safetensors file, and as an index of shards, give tensors or an
// InputError.
#include "ridgewatt/llm/safetensors/safetensors.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ridgewatt;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    llm::parse_safetensors(bytes, "fuzz");
  } catch (const InputError&) {
  }
  try {
    llm::parse_safetensors_index(bytes, "fuzz");
  } catch (const InputError&) {
  }
  return 0;
}
