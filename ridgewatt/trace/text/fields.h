// Reads fields of a JSON object that may be absent or have an unexpected type.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/io/json.h"

namespace ridgewatt::trace {

// Returns null if `object` is not an object or has no such field.
inline const Json* find_field(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(name));
  return found == object.end() ? nullptr : &*found;
}

// Returns NaN if the field is not a number.
inline double number_field(const Json& object, std::string_view name) {
  const Json* field = find_field(object, name);
  return field != nullptr && field->is_number() ? field->get<double>()
                                                : std::numeric_limits<double>::quiet_NaN();
}

// Returns "" if the field is not a string.
inline std::string text_field(const Json& object, std::string_view name) {
  const Json* field = find_field(object, name);
  return field != nullptr && field->is_string() ? field->get<std::string>() : std::string();
}

// Returns the number without its fraction, or `fallback` if `value` is not a number or exceeds
// 2^53.
inline std::int64_t whole_number(const Json& value, std::int64_t fallback) {
  constexpr double kMost = 9007199254740992.0;  // 2^53
  if (!value.is_number()) return fallback;
  const double number = value.get<double>();
  return std::abs(number) <= kMost ? static_cast<std::int64_t>(number) : fallback;
}

// Returns extents; an invalid one becomes -1. Empty if `array` is null or not an array.
inline std::vector<std::int64_t> whole_numbers(const Json* array) {
  std::vector<std::int64_t> numbers;
  if (array == nullptr || !array->is_array()) return numbers;
  for (const Json& value : *array) numbers.push_back(whole_number(value, -1));
  return numbers;
}

}  // namespace ridgewatt::trace
