// Numbers with a noun: counted(1, "core") is "1 core", counted(2, "core") is "2 cores".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgewatt {

inline std::string counted(std::int64_t number, std::string_view noun) {
  return std::to_string(number) + " " + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace ridgewatt
