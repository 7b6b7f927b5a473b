// The header of a GGUF file: keys, values and the list of tensors. What is not needed of it (the
// vocabulary) is walked over and not kept, so that a header of many MB costs no memory.
// Format: ggml's page gguf.md, versions 1 to 3, little-endian.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "ridgewatt/llm/stored_type.h"

namespace ridgewatt::llm {

// Strings of at most 4 KiB and arrays of at most 4,096 whole numbers or truth values are kept.
using GgufValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;

struct GgufTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // outermost first
  StoredType type = StoredType::kF32;
  std::uint64_t offset = 0;  // in the data
  double bytes = 0;
};

struct GgufHeader {
  std::uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> values;
  std::vector<GgufTensor> tensors;
  std::uint64_t header_bytes = 0;  // where the data begins

  std::optional<std::int64_t> integer(std::string_view key) const;
  std::string text(std::string_view key) const;  // empty where there is none
  // An array, or a number as an array of one; empty where there is none.
  std::vector<std::int64_t> integers(std::string_view key) const;
};

// InputError with the fault where the header is cut off, lies about sizes, names something twice,
// or has tensors that overlap or reach beyond the file. `file` names it.
GgufHeader parse_gguf(std::string_view bytes, const std::string& file);

}  // namespace ridgewatt::llm
