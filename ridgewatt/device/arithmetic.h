// The number formats in which a GPU computes, with their properties.
#pragma once

#include <string_view>

#include "ridgewatt/base/enum_rows.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// In TF32, tensor cores multiply FP32 numbers with a shortened significand.
enum class Arithmetic { kFp32, kTf32, kFp16, kBf16, kInt8, kFp8, kFp4 };

struct ArithmeticRow {
  Arithmetic id;
  std::string_view name;
  int bits;     // size of a stored number
  bool floats;  // false: integers
  // Numbers that one FP32 lane processes at once, for example 2 with half2 and 4 with dp4a.
  int lanes;
  constexpr bool complete() const { return bits > 0 && lanes > 0; }
};
inline constexpr auto kArithmeticRows =
    enum_rows<ArithmeticRow>({{Arithmetic::kFp32, "fp32", 32, true, 1},
                              {Arithmetic::kTf32, "tf32", 32, true, 1},
                              {Arithmetic::kFp16, "fp16", 16, true, 2},
                              {Arithmetic::kBf16, "bf16", 16, true, 2},
                              {Arithmetic::kInt8, "int8", 8, false, 4},
                              {Arithmetic::kFp8, "fp8", 8, true, 1},
                              {Arithmetic::kFp4, "fp4", 4, true, 1}});
inline constexpr auto kArithmetics = members_of(kArithmeticRows);
constexpr auto enum_names(Arithmetic) {
  return names_of(kArithmeticRows);
}

}  // namespace ridgewatt

#pragma GCC visibility pop
