// Pareto fronts for two costs, both to be minimized.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace ridgewatt::predict {

// Indices of the points that no other point beats in both costs, in ascending order of `first`
// (descending `second`). Of equal points, only the one with the lowest index. Points that are not
// finite are never on the front. O(n log n). Throws UsageError if the sizes differ.
std::vector<std::size_t> pareto_front(std::span<const double> first,
                                      std::span<const double> second);

// The number of points with lower costs than point `index` in both costs, and which of these points
// has the smallest product of the costs. Throws UsageError if the sizes differ.
struct Dominance {
  std::size_t points = 0;
  std::optional<std::size_t> best;
};
Dominance dominance(std::span<const double> first, std::span<const double> second,
                    std::size_t index);

}  // namespace ridgewatt::predict
