// A prior as a table: the distribution of each model parameter before any sample, and the reason.
//
//   constexpr PriorRow kPriors[] = {{kLevel, "level", "ln s", 0, 3, "moved to the samples"}, ..};
//   static_assert(complete(kPriors, kParameters));
//
// Normal distributions in the unit of the row ("ln x": of the logarithm of x, where 0.7 is a factor
// of two in either direction).
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ridgewatt {

struct PriorRow {
  std::size_t parameter = 0;  // its place in the model
  std::string_view key, unit;
  double mean = 0, deviation = 0;
  std::string_view why;
};

// One row for each of `count` parameters, in their order, each with a width and a reason.
constexpr bool complete(std::span<const PriorRow> rows, std::size_t count) {
  if (rows.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i].parameter != i || !(rows[i].deviation > 0) || rows[i].why.empty()) return false;
  }
  return true;
}

}  // namespace ridgewatt
