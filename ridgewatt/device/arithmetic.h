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
  // Numbers that one FP32 lane processes at a time, for example 2 with half2 and 4 with dp4a.
  int lanes;
  // Key of its rate per SM and clock cycle in the [gpu] table of a board file. FP32: cores_per_sm.
  std::string_view board_key;
  constexpr bool complete() const { return bits > 0 && lanes > 0 && !board_key.empty(); }
};
inline constexpr auto kArithmeticRows =
    enum_rows<ArithmeticRow>({{Arithmetic::kFp32, "fp32", 32, true, 1, "cores_per_sm"},
                              {Arithmetic::kTf32, "tf32", 32, true, 1, "tf32_flop_per_sm_cycle"},
                              {Arithmetic::kFp16, "fp16", 16, true, 2, "fp16_flop_per_sm_cycle"},
                              {Arithmetic::kBf16, "bf16", 16, true, 2, "bf16_flop_per_sm_cycle"},
                              {Arithmetic::kInt8, "int8", 8, false, 4, "int8_op_per_sm_cycle"},
                              {Arithmetic::kFp8, "fp8", 8, true, 1, "fp8_flop_per_sm_cycle"},
                              {Arithmetic::kFp4, "fp4", 4, true, 1, "fp4_flop_per_sm_cycle"}});
inline constexpr auto kArithmetics = members_of(kArithmeticRows);
constexpr auto enum_names(Arithmetic) {
  return names_of(kArithmeticRows);
}

}  // namespace ridgewatt

#pragma GCC visibility pop
