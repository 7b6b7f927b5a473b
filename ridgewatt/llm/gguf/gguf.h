// Parses the header of a GGUF file: keys, values and the list of tensors. Unneeded values, such as
// the vocabulary, are skipped, so that a header of many MB uses little memory. Format: ggml's page
// gguf.md, versions 1 to 3, little-endian.
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

// Strings up to 4 KiB, and arrays of up to 4,096 integers or booleans, are stored.
using GgufValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>>;

struct GgufTensor {
  std::string name;
  std::vector<std::int64_t> shape;  // outermost dimension first
  StoredType type = StoredType::kF32;
  std::uint64_t offset = 0;  // from the beginning of the data
  double bytes = 0;
};

struct GgufHeader {
  std::uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> values;
  std::vector<GgufTensor> tensors;
  std::uint64_t header_bytes = 0;  // offset of the data in the file

  std::optional<std::int64_t> integer(std::string_view key) const;
  std::string text(std::string_view key) const;  // empty if there is none
  // An array, or a number as an array with one element; empty if there is none.
  std::vector<std::int64_t> integers(std::string_view key) const;
};

// Throws InputError if the header is truncated, has invalid sizes or duplicate names, or has
// tensors that overlap or extend beyond the file. `file` is the name in messages.
GgufHeader parse_gguf(std::string_view bytes, const std::string& file);

}  // namespace ridgewatt::llm
