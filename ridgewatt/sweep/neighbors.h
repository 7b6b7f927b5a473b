// What the neighbors of a row along each knob say its value should be: the local model behind the
// data-quality check.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt {

// Rows that differ along one axis only, ascending in it.
class NeighborLines {
 public:
  explicit NeighborLines(const std::vector<Observation>& observations);

  // Axes that vary.
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
  // below and above, or the two nearest on one side; none of them more than two levels away.
  // Nothing where there are fewer than two.
  struct Deviation {
    double value = 0;
    std::size_t pattern = 0;  // the same for rows at one level with neighbors at the same levels
    double bend = 0;  // what the line is off by where the slope changes by one between the three
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

// Range of the slopes d ln(value) / d ln(knob) that physics allows. Time falls at most as the clock
// rises (-1 to 0), power rises at most with its cube (0 to 3: f V^2, voltage following the clock).
inline constexpr double kTimeSlopes = 1, kPowerSlopes = 3;

// Robust deviation of every row of `value` from its neighbors over all axes, as quality.h
// describes; 0 where a row has no neighbors. What a change of slope within `slopes` could do alone
// is not a deviation, unless at least eight rows at the same levels show what it usually does.
std::vector<double> neighbor_deviations(const NeighborLines& lines,
                                        const std::vector<double>& value,
                                        const std::vector<bool>& trusted, double slopes);

}  // namespace ridgewatt
