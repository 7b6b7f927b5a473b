// Element types of tensors, numbered as in the ONNX format.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ridgewatt::workload {

enum class DataType : std::uint8_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
};
inline constexpr int kDataTypeCount = 27;

// "float32", "int64", "uint4" ...; "undefined" for the unknown type.
std::string_view data_type_name(DataType type);
// Bits of one stored element: 4 for int4. 0 for strings and the unknown type.
int data_type_bits(DataType type);
// Returns the type with this number in the ONNX format; empty if there is none.
std::optional<DataType> data_type_from_number(std::int64_t number);

bool is_integer(DataType type);  // signed or unsigned, not bool
bool is_floating(DataType type);
bool is_signed_integer(DataType type);

}  // namespace ridgewatt::workload
