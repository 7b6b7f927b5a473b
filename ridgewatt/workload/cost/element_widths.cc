#include "ridgewatt/workload/element_widths.h"

namespace ridgewatt::workload {

int ElementWidths::bits(DataType type, bool parameter) const {
  const int chosen = parameter ? parameter_bits : activation_bits;
  return chosen > 0 && is_floating(type) ? chosen : data_type_bits(type);
}

ElementWidths element_widths(Precision precision, WorkloadKind kind) {
  switch (precision) {
    case Precision::kStored:
      return {};
    case Precision::kFp32:
    case Precision::kTf32:
      return {32, 32};
    case Precision::kFp16:
    case Precision::kBf16:
      return {16, 16};
    case Precision::kInt8:
    case Precision::kFp8:
      return {8, 8};
    case Precision::kFp4:
      return {4, 4};
    case Precision::kMixed:
      return kind == WorkloadKind::kTraining ? ElementWidths{16, 16, 32} : ElementWidths{8, 16};
  }
  return {};
}

Precision precision_of(DataType type) {
  switch (type) {
    case DataType::kFloat16:
      return Precision::kFp16;
    case DataType::kBfloat16:
      return Precision::kBf16;
    case DataType::kInt8:
    case DataType::kUint8:
      return Precision::kInt8;
    default:
      return Precision::kFp32;
  }
}

}  // namespace ridgewatt::workload
