// The precisions in which a workload computes, and their names. Text is parsed once, where it is
// read; inside a precision is a value.
#pragma once

#include <cstdint>

#include "ridgewatt/base/enum_names.h"

namespace ridgewatt::workload {

enum class Precision : std::uint8_t {
  kStored,  // as the model stores its weights
  kFp32,    // products and convolutions as the runtime's own FP32: in TF32 where it uses that
  kTf32,    // FP32 data, all contractions in TF32
  kFp16,
  kBf16,
  kInt8,
  kFp8,
  kFp4,
  // What is common for the kind of workload. Inference: INT8 weights, FP16 activations and
  // arithmetic. Training: automatic mixed precision, FP16 with FP32 master weights and optimizer
  // state (Micikevicius et al., 2018).
  kMixed,
};

constexpr auto enum_names(Precision) {
  return named<Precision>({{Precision::kStored, "stored"},
                           {Precision::kFp32, "fp32"},
                           {Precision::kTf32, "tf32"},
                           {Precision::kFp16, "fp16"},
                           {Precision::kBf16, "bf16"},
                           {Precision::kInt8, "int8"},
                           {Precision::kFp8, "fp8"},
                           {Precision::kFp4, "fp4"},
                           {Precision::kMixed, "mixed"}});
}

}  // namespace ridgewatt::workload
