#include "ridgewatt/workload/data_type.h"

namespace ridgewatt::workload {
namespace {

enum class Family : std::uint8_t { kOther, kSigned, kUnsigned, kFloating };

struct TypeFacts {
  std::string_view name;
  int bits;
  Family family;
};

// In the order of the enumeration.
constexpr TypeFacts kFacts[kDataTypeCount] = {
    {"undefined", 0, Family::kOther},
    {"float32", 32, Family::kFloating},
    {"uint8", 8, Family::kUnsigned},
    {"int8", 8, Family::kSigned},
    {"uint16", 16, Family::kUnsigned},
    {"int16", 16, Family::kSigned},
    {"int32", 32, Family::kSigned},
    {"int64", 64, Family::kSigned},
    {"string", 0, Family::kOther},
    {"bool", 8, Family::kOther},
    {"float16", 16, Family::kFloating},
    {"float64", 64, Family::kFloating},
    {"uint32", 32, Family::kUnsigned},
    {"uint64", 64, Family::kUnsigned},
    {"complex64", 64, Family::kOther},
    {"complex128", 128, Family::kOther},
    {"bfloat16", 16, Family::kFloating},
    {"float8e4m3fn", 8, Family::kFloating},
    {"float8e4m3fnuz", 8, Family::kFloating},
    {"float8e5m2", 8, Family::kFloating},
    {"float8e5m2fnuz", 8, Family::kFloating},
    {"uint4", 4, Family::kUnsigned},
    {"int4", 4, Family::kSigned},
    {"float4e2m1", 4, Family::kFloating},
    {"float8e8m0", 8, Family::kFloating},
    {"uint2", 2, Family::kUnsigned},
    {"int2", 2, Family::kSigned},
};

const TypeFacts& facts(DataType type) {
  return kFacts[static_cast<int>(type)];
}

}  // namespace

std::string_view data_type_name(DataType type) {
  return facts(type).name;
}
int data_type_bits(DataType type) {
  return facts(type).bits;
}

std::optional<DataType> data_type_from_number(std::int64_t number) {
  if (number < 0 || number >= kDataTypeCount) return std::nullopt;
  return static_cast<DataType>(number);
}

bool is_integer(DataType type) {
  return facts(type).family == Family::kSigned || facts(type).family == Family::kUnsigned;
}
bool is_floating(DataType type) {
  return facts(type).family == Family::kFloating;
}
bool is_signed_integer(DataType type) {
  return facts(type).family == Family::kSigned;
}

}  // namespace ridgewatt::workload
