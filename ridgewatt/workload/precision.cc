#include "ridgewatt/workload/precision.h"

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

struct PrecisionName {
  Precision precision;
  std::string_view name;
};

constexpr PrecisionName kPrecisionNames[] = {
    {Precision::kStored, "stored"}, {Precision::kFp32, "fp32"}, {Precision::kFp16, "fp16"},
    {Precision::kBf16, "bf16"},     {Precision::kInt8, "int8"}, {Precision::kMixed, "mixed"}};

}  // namespace

std::string_view precision_name(Precision precision) {
  for (const auto& entry : kPrecisionNames) {
    if (entry.precision == precision) return entry.name;
  }
  return "";
}

std::string precision_names() {
  std::string names;
  for (const auto& entry : kPrecisionNames) {
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  }
  return names;
}

Precision parse_precision(std::string_view name) {
  for (const auto& entry : kPrecisionNames) {
    if (entry.name == name) return entry.precision;
  }
  throw UsageError("unknown precision", "'" + escape_terminal(name) + "'",
                   "one of " + precision_names());
}

}  // namespace ridgewatt
