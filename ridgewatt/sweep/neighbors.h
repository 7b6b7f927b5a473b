// Predicts the value of a sweep's row from its neighbors along each knob. The data-quality check
// (quality.h) uses it to find outliers.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt {

// The rows of a sweep, arranged in lines of rows that differ along one axis only.
class NeighborLines {
 public:
  explicit NeighborLines(const std::vector<Observation>& observations);

  // The axes with more than one value.
  const std::vector<PointAxis>& axes() const { return varying_; }
  // Position of a row on its line along axes()[d]. The line is [begin, end) of order(d), in
  // ascending order. The row is at `position`.
  struct Place {
    std::size_t begin = 0, end = 0, position = 0;
    // Range of the rows with the same value on the axis.
    std::size_t level_begin = 0, level_end = 0;
  };
  const Place& place(std::size_t d, std::size_t row) const { return places_[d][row]; }
  const std::vector<std::size_t>& order(std::size_t d) const { return orders_[d]; }
  // Index of a row's value on axes()[d] among the values that occur.
  std::size_t level(std::size_t d, std::size_t row) const { return levels_[d][row]; }
  std::size_t level_count(std::size_t d) const { return level_counts_[d]; }

  // Deviation of a row's `value` from the line through the nearest trusted rows along axes()[d]:
  // the nearest row on each side, or the two nearest rows on one side. All are at most two levels
  // away. Empty if there are fewer than two such rows.
  struct Deviation {
    double value = 0;
    std::size_t pattern = 0;  // equal if rows and their neighbors are at the same levels
    // Error of the line if the slope d ln(value) / d ln(knob) changes by 1 between row and
    // neighbors.
    double bend = 0;
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

// Ranges of the physically possible slopes d ln(value) / d ln(knob). Time falls at most in
// proportion to the clock (-1 to 0). Power rises at most with the cube of the clock (0 to 3: f V^2,
// with a voltage proportional to the clock).
inline constexpr double kTimeSlopes = 1, kPowerSlopes = 3;

// Returns the robust deviation of every row's `value` from its neighbors over all axes (see
// quality.h); 0 for a row without neighbors. A deviation that a change of slope within `slopes` can
// explain does not count, unless at least eight rows at the same levels show the usual change.
std::vector<double> neighbor_deviations(const NeighborLines& lines,
                                        const std::vector<double>& value,
                                        const std::vector<bool>& trusted, double slopes);

}  // namespace ridgewatt
