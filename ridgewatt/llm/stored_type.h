// How the numbers of a language model are stored: the types of GGUF (ggml's, with their ids) and of
// safetensors, with elements and bytes per block.
//
//   stored_bytes(StoredType::kQ4K, 4096 * 4096);  // 144 bytes for each 256 elements
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ridgewatt/device/arithmetic.h"

#pragma GCC visibility push(default)

namespace ridgewatt::llm {

enum class StoredType {
  kF32,
  kF16,
  kBf16,
  kF64,
  kI8,
  kI16,
  kI32,
  kI64,
  kU8,
  kU16,
  kU32,
  kU64,
  kBool,
  kC64,
  kF8E4m3,
  kF8E5m2,
  kF8E8m0,
  kF6E2m3,
  kF6E3m2,
  kF4,
  kQ40,
  kQ41,
  kQ50,
  kQ51,
  kQ80,
  kQ81,
  kQ2K,
  kQ3K,
  kQ4K,
  kQ5K,
  kQ6K,
  kQ8K,
  kIq2Xxs,
  kIq2Xs,
  kIq3Xxs,
  kIq1S,
  kIq4Nl,
  kIq3S,
  kIq2S,
  kIq4Xs,
  kIq1M,
  kTq10,
  kTq20,
  kMxfp4,
  kNvfp4,
};

struct StoredTypeFacts {
  StoredType id;
  std::string_view name;  // "Q4_K", "F8_E4M3"
  int gguf_id;            // -1: not in GGUF
  int elements;           // per block
  int bytes;              // per block
  // Name in safetensors; empty: none.
  std::string_view safetensors = {};
  // The type that llama.cpp uses if a row is not a multiple of the block.
  StoredType instead = StoredType::kF16;
  // The format in which some engines multiply it without widening; FP16: it is always widened.
  Arithmetic arithmetic = Arithmetic::kFp16;
  int packed = 1;  // 4-bit weights in one element of a packed checkpoint

  constexpr double bits() const { return 8.0 * bytes / elements; }
  constexpr bool complete() const { return !name.empty() && elements > 0 && bytes > 0; }
};

// All types. Blocks: ggml's documentation and ggml-common.h; safetensors' format page.
std::span<const StoredTypeFacts> stored_types();
const StoredTypeFacts& facts_of(StoredType type);
std::optional<StoredType> stored_type_of_gguf(std::uint32_t id);
std::optional<StoredType> stored_type_of_safetensors(std::string_view dtype);

// Bytes of `elements` numbers; a partial last block counts as a whole one.
double stored_bytes(StoredType type, std::int64_t elements);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
