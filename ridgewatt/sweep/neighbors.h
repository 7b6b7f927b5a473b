// Predicts the value of a row from its neighbors along each knob: the local model of the
// data-quality check.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt {

// Rows that differ along one axis only, in ascending order.
class NeighborLines {
 public:
  explicit NeighborLines(const std::vector<Observation>& observations);

  // The axes that vary.
  const std::vector<PointAxis>& axes() const { return varying_; }
  // The rows on the line of `row` along axes()[d]: [begin, end) of order(d), and its own position
  // there.
  struct Place {
    std::size_t begin = 0, end = 0, position = 0;
    std::size_t level_begin = 0, level_end = 0;  // of the rows at its own level
  };
  const Place& place(std::size_t d, std::size_t row) const { return places_[d][row]; }
  const std::vector<std::size_t>& order(std::size_t d) const { return orders_[d]; }
  // Natural logarithm of axes()[d] of a row.
  double log_value(std::size_t d, std::size_t row) const { return log_values_[d][row]; }
  // Index of the level of axes()[d] of a row among the levels that occur.
  std::size_t level(std::size_t d, std::size_t row) const { return levels_[d][row]; }
  std::size_t level_count(std::size_t d) const { return level_counts_[d]; }

  // `value` of a row minus the line through the nearest trusted rows along axes()[d]: the rows
  // below and above, or the two nearest on one side, at most two levels away. Empty if there are
  // fewer than two.
  struct Deviation {
    double value = 0;
    std::size_t pattern = 0;  // equal for rows at one level with neighbors at the same levels
    double bend = 0;          // line's error if the slope changes by one among row and neighbors
  };
  std::optional<Deviation> deviation(std::size_t d, std::size_t row,
                                     const std::vector<double>& value,
                                     const std::vector<bool>& trusted) const;

 private:
  std::vector<PointAxis> varying_;
  std::vector<std::vector<std::size_t>> orders_;
  std::vector<std::vector<Place>> places_;
  std::vector<std::vector<double>> log_values_;
  std::vector<std::vector<std::size_t>> levels_;
  std::vector<std::size_t> level_counts_;
};

// The physically possible slopes d ln(value) / d ln(knob). Time falls at most in proportion to the
// clock (-1 to 0). Power rises at most with its cube (0 to 3: f V^2, with the voltage following the
// clock).
inline constexpr double kTimeSlopes = 1, kPowerSlopes = 3;

// Robust deviation of every row of `value` from its neighbors over all axes (see quality.h); 0 if a
// row has no neighbors. A deviation that a change of slope within `slopes` can explain does not
// count, unless at least eight rows at the same levels show the usual change.
std::vector<double> neighbor_deviations(const NeighborLines& lines,
                                        const std::vector<double>& value,
                                        const std::vector<bool>& trusted, double slopes);

}  // namespace ridgewatt
