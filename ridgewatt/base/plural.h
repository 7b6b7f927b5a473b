// Numbers with a noun: counted(1, "core") is "1 core", counted(2, "core") is "2 cores". Handles
// plurals such as "batches" and "entries".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgewatt {

inline std::string counted(std::int64_t number, std::string_view noun) {
  const std::string text = std::to_string(number) + " " + std::string(noun);
  if (number == 1) return text;
  if (noun.ends_with("ch")) return text + "es";
  return noun.ends_with("ry") ? text.substr(0, text.size() - 1) + "ies" : text + "s";
}

}  // namespace ridgewatt
