#include "ridgewatt/llm/stored_type.h"

namespace ridgewatt::llm {

std::span<const StoredTypeFacts> stored_types() {
  return kStoredTypes.rows;
}

const StoredTypeFacts& facts_of(StoredType type) {
  return kStoredTypes[type];
}

std::optional<StoredType> stored_type_of_gguf(std::uint32_t id) {
  for (const auto& facts : kStoredTypes) {
    if (facts.gguf_id >= 0 && static_cast<std::uint32_t>(facts.gguf_id) == id) return facts.id;
  }
  return std::nullopt;
}

std::optional<StoredType> stored_type_of_safetensors(std::string_view dtype) {
  for (const auto& facts : kStoredTypes) {
    if (!facts.safetensors.empty() && facts.safetensors == dtype) return facts.id;
  }
  return std::nullopt;
}

double stored_bytes(StoredType type, std::int64_t elements) {
  const StoredTypeFacts& facts = facts_of(type);
  const std::int64_t blocks = (elements + facts.elements - 1) / facts.elements;
  return static_cast<double>(blocks) * facts.bytes;
}

}  // namespace ridgewatt::llm
