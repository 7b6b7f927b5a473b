#include "ridgewatt/workload/precision.h"

#include "ridgewatt/base/error.h"

namespace ridgewatt {

int ElementWidths::bits(DataType type, bool parameter) const {
  const int chosen = parameter ? parameter_bits : activation_bits;
  return chosen > 0 && is_floating(type) ? chosen : data_type_bits(type);
}

ElementWidths parse_precision(std::string_view name, WorkloadKind kind) {
  if (name == "stored") return {};
  if (name == "fp32") return {"fp32", 32, 32};
  if (name == "fp16") return {"fp16", 16, 16};
  if (name == "bf16") return {"bf16", 16, 16};
  if (name == "int8") return {"int8", 8, 8};
  if (name == "mixed") {
    return kind == WorkloadKind::kTraining ? ElementWidths{"mixed", 16, 16, 32}
                                           : ElementWidths{"mixed", 8, 16};
  }
  throw UsageError("unknown precision", std::string(name),
                   "one of stored, fp32, fp16, bf16, int8, mixed");
}

std::string stored_precision_name(DataType parameters) {
  switch (parameters) {
    case DataType::kFloat16:
      return "fp16";
    case DataType::kBfloat16:
      return "bf16";
    case DataType::kInt8:
    case DataType::kUint8:
      return "int8";
    default:
      return "fp32";
  }
}

}  // namespace ridgewatt
