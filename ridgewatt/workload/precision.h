// The precisions in which a workload computes, and their names. Text is parsed once, where it is
// read; inside a precision is a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgewatt {

enum class Precision : std::uint8_t {
  kStored,  // as the model stores its weights
  kFp32,
  kFp16,
  kBf16,
  kInt8,
  // What is common for the kind of workload. Inference: INT8 weights, FP16 activations and
  // arithmetic. Training: automatic mixed precision, FP16 with FP32 master weights and optimizer
  // state (Micikevicius et al., 2018).
  kMixed,
};

// "stored", "fp32", "fp16", "bf16", "int8", "mixed".
std::string_view precision_name(Precision precision);
// All names, "stored, fp32, ...": for help and messages.
std::string precision_names();
// Throws UsageError, which lists the names.
Precision parse_precision(std::string_view name);

}  // namespace ridgewatt
