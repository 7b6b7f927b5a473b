// How the numbers of a language model are stored: the types of GGUF (ggml's, with their ids) and of
// safetensors, with elements and bytes per block.
//
//   stored_bytes(StoredType::kQ4K, 4096 * 4096);  // 144 bytes for each 256 elements
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ridgewatt/base/enum_rows.h"
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
  // The type that llama.cpp uses if the length of a row is not a multiple of the block.
  StoredType instead = StoredType::kF16;
  // The format in which some engines multiply the numbers directly; FP16: they are always widened.
  Arithmetic arithmetic = Arithmetic::kFp16;
  int packed = 1;  // number of 4-bit weights in one element of a packed checkpoint

  constexpr double bits() const { return 8.0 * bytes / elements; }
  constexpr bool complete() const { return !name.empty() && elements > 0 && bytes > 0; }
};

// Sources of the blocks: ggml's documentation and ggml-common.h; safetensors' format page.
inline constexpr auto kStoredTypes = enum_rows<StoredTypeFacts>({
    {StoredType::kF32, "F32", 0, 1, 4, "F32"},
    {StoredType::kF16, "F16", 1, 1, 2, "F16"},
    {StoredType::kBf16, "BF16", 30, 1, 2, "BF16"},
    {StoredType::kF64, "F64", 28, 1, 8, "F64"},
    {StoredType::kI8, "I8", 24, 1, 1, "I8", StoredType::kF16, Arithmetic::kInt8},
    {StoredType::kI16, "I16", 25, 1, 2, "I16"},
    {StoredType::kI32, "I32", 26, 1, 4, "I32", StoredType::kF16, Arithmetic::kFp16, 8},
    {StoredType::kI64, "I64", 27, 1, 8, "I64"},
    {StoredType::kU8, "U8", -1, 1, 1, "U8", StoredType::kF16, Arithmetic::kFp16, 2},
    {StoredType::kU16, "U16", -1, 1, 2, "U16"},
    {StoredType::kU32, "U32", -1, 1, 4, "U32"},
    {StoredType::kU64, "U64", -1, 1, 8, "U64"},
    {StoredType::kBool, "BOOL", -1, 1, 1, "BOOL"},
    {StoredType::kC64, "C64", -1, 1, 8, "C64"},
    {StoredType::kF8E4m3, "F8_E4M3", -1, 1, 1, "F8_E4M3", StoredType::kF16, Arithmetic::kFp8},
    {StoredType::kF8E5m2, "F8_E5M2", -1, 1, 1, "F8_E5M2", StoredType::kF16, Arithmetic::kFp8},
    {StoredType::kF8E8m0, "F8_E8M0", -1, 1, 1, "F8_E8M0"},
    {StoredType::kF6E2m3, "F6_E2M3", -1, 4, 3, "F6_E2M3"},
    {StoredType::kF6E3m2, "F6_E3M2", -1, 4, 3, "F6_E3M2"},
    {StoredType::kF4, "F4", -1, 2, 1, "F4", StoredType::kF16, Arithmetic::kFp4},
    {StoredType::kQ40, "Q4_0", 2, 32, 18},
    {StoredType::kQ41, "Q4_1", 3, 32, 20},
    {StoredType::kQ50, "Q5_0", 6, 32, 22},
    {StoredType::kQ51, "Q5_1", 7, 32, 24},
    {StoredType::kQ80, "Q8_0", 8, 32, 34},
    {StoredType::kQ81, "Q8_1", 9, 32, 36},
    {StoredType::kQ2K, "Q2_K", 10, 256, 84, "", StoredType::kQ40},
    {StoredType::kQ3K, "Q3_K", 11, 256, 110, "", StoredType::kQ40},
    {StoredType::kQ4K, "Q4_K", 12, 256, 144, "", StoredType::kQ50},
    {StoredType::kQ5K, "Q5_K", 13, 256, 176, "", StoredType::kQ51},
    {StoredType::kQ6K, "Q6_K", 14, 256, 210, "", StoredType::kQ80},
    {StoredType::kQ8K, "Q8_K", 15, 256, 292},
    {StoredType::kIq2Xxs, "IQ2_XXS", 16, 256, 66},
    {StoredType::kIq2Xs, "IQ2_XS", 17, 256, 74},
    {StoredType::kIq3Xxs, "IQ3_XXS", 18, 256, 98},
    {StoredType::kIq1S, "IQ1_S", 19, 256, 50},
    {StoredType::kIq4Nl, "IQ4_NL", 20, 32, 18},
    {StoredType::kIq3S, "IQ3_S", 21, 256, 110},
    {StoredType::kIq2S, "IQ2_S", 22, 256, 82},
    {StoredType::kIq4Xs, "IQ4_XS", 23, 256, 136, "", StoredType::kIq4Nl},
    {StoredType::kIq1M, "IQ1_M", 29, 256, 56},
    {StoredType::kTq10, "TQ1_0", 34, 256, 54},
    {StoredType::kTq20, "TQ2_0", 35, 256, 66},
    {StoredType::kMxfp4, "MXFP4", 39, 32, 17},
    {StoredType::kNvfp4, "NVFP4", 40, 64, 36},
});

std::span<const StoredTypeFacts> stored_types();
const StoredTypeFacts& facts_of(StoredType type);
std::optional<StoredType> stored_type_of_gguf(std::uint32_t id);
std::optional<StoredType> stored_type_of_safetensors(std::string_view dtype);

// Bytes of `elements` numbers; a partial last block counts as a whole one.
double stored_bytes(StoredType type, std::int64_t elements);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
