// A table of priors: the distribution of each model parameter before any sample, and its reason.
//
//   constexpr PriorRow kPriors[] = {{kLevel, "level", "ln s", 0, 3, "moved to the samples"}, ..};
//   static_assert(complete(kPriors, kParameters));
//
// The distributions are normal in the unit of the row. "ln x" is the logarithm of x, so a deviation
// of 0.7 means a factor of two in either direction.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace ridgewatt {

struct PriorRow {
  std::size_t parameter = 0;  // index in the model
  std::string_view key, unit;
  double mean = 0, deviation = 0;
  std::string_view why;
};

// Whether there is one row for each of `count` parameters, in order, each with a positive deviation
// and a reason.
constexpr bool complete(std::span<const PriorRow> rows, std::size_t count) {
  if (rows.size() != count) return false;
  for (std::size_t i = 0; i < count; ++i) {
    if (rows[i].parameter != i || !(rows[i].deviation > 0) || rows[i].why.empty()) return false;
  }
  return true;
}

}  // namespace ridgewatt
