// The precisions in which a workload computes, and their properties. Names are parsed only at
// input. Inside the program a precision is a value of the enum.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/device/arithmetic.h"
#include "ridgewatt/device/runtime.h"

#pragma GCC visibility push(default)

namespace ridgewatt::workload {

enum class Precision : std::uint8_t {
  kStored,  // as the model stores its weights
  kFp32,    // contractions in the FP32 of the runtime (may be TF32)
  kTf32,    // FP32 data, all contractions in TF32
  kFp16,
  kBf16,
  kInt8,
  kFp8,
  kFp4,
  // The usual mix for the kind of workload. Inference: INT8 weights, FP16 activations and
  // arithmetic. Training: automatic mixed precision, FP16 with FP32 master weights and optimizer
  // state (Micikevicius et al., 2018).
  kMixed,
};

// Bits per stored number; 0: as in the model.
struct PrecisionBits {
  int parameters;
  int activations;
  // Training also keeps a copy of the parameters and the optimizer state with this many bits.
  int master = 0;
};

struct PrecisionRow {
  Precision id;
  std::string_view name;
  Arithmetic arithmetic;  // of contractions; narrower weights are widened when read
  PrecisionBits inference;
  PrecisionBits training;
  std::array<std::string_view, 4> words = {};  // other names that users type
};
inline constexpr auto kPrecisionRows = enum_rows<PrecisionRow>(
    {{Precision::kStored, "stored", Arithmetic::kFp32, {0, 0}, {0, 0}},
     {Precision::kFp32,
      "fp32",
      Arithmetic::kFp32,
      {32, 32},
      {32, 32},
      {"float32", "f32", "float", "single"}},
     {Precision::kTf32, "tf32", Arithmetic::kTf32, {32, 32}, {32, 32}},
     {Precision::kFp16, "fp16", Arithmetic::kFp16, {16, 16}, {16, 16}, {"float16", "f16", "half"}},
     {Precision::kBf16, "bf16", Arithmetic::kBf16, {16, 16}, {16, 16}, {"bfloat16"}},
     {Precision::kInt8, "int8", Arithmetic::kInt8, {8, 8}, {8, 8}},
     {Precision::kFp8, "fp8", Arithmetic::kFp8, {8, 8}, {8, 8}},
     {Precision::kFp4, "fp4", Arithmetic::kFp4, {4, 4}, {4, 4}, {"float4", "nvfp4"}},
     {Precision::kMixed, "mixed", Arithmetic::kFp16, {8, 16}, {16, 16, 32}, {"amp"}}});
constexpr auto enum_names(Precision) {
  return names_of(kPrecisionRows);
}
constexpr auto& enum_words(Precision) {  // base/suggest.h
  return kPrecisionRows;
}

constexpr Arithmetic arithmetic_of(Precision precision) {
  return kPrecisionRows[precision].arithmetic;
}
constexpr const ArithmeticRow& arithmetic_row(Precision precision) {
  return kArithmeticRows[arithmetic_of(precision)];
}
// Bits of the operands of contractions if they have less than 16 bits, else 0.
constexpr int narrow_bits(Precision precision) {
  const int bits = arithmetic_row(precision).bits;
  return bits < 16 ? bits : 0;
}
// True if the runtime supports the precision for inference.
constexpr bool computes_in(Runtime runtime, Precision precision) {
  const int bits = kPrecisionRows[precision].inference.parameters;
  return kRuntimeRows[runtime].narrow || bits == 0 || bits >= 16;
}

// The precisions usually used with a runtime. PyTorch: FP32. Exported graphs: also FP16. Engines:
// also INT8.
std::span<const Precision> usual_precisions(Runtime runtime);

}  // namespace ridgewatt::workload

#pragma GCC visibility pop
