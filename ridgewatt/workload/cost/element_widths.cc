#include "ridgewatt/workload/element_widths.h"

namespace ridgewatt::workload {

int ElementWidths::bits(DataType type, bool parameter) const {
  const int chosen = parameter ? parameter_bits : activation_bits;
  return chosen > 0 && is_floating(type) ? chosen : data_type_bits(type);
}

ElementWidths element_widths(Precision precision, WorkloadKind kind) {
  const PrecisionRow& row = kPrecisionRows[precision];
  const PrecisionBits& bits = kind == WorkloadKind::kTraining ? row.training : row.inference;
  return {bits.parameters, bits.activations, bits.master};
}

Precision precision_of(DataType type) {
  if (type == DataType::kFloat16) return Precision::kFp16;
  if (type == DataType::kBfloat16) return Precision::kBf16;
  const bool byte = is_integer(type) && data_type_bits(type) == 8;
  return byte ? Precision::kInt8 : Precision::kFp32;
}

}  // namespace ridgewatt::workload
