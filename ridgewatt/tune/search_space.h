// The operating points that a search may choose from: power modes times minibatch sizes, each with
// its position on the lattice of knob levels. Strategies see only this, not a board or a sweep.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/sweep/point_axis.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

class SearchSpace {
 public:
  // Axes are the PointAxis of the same number.
  static constexpr std::size_t kAxes = kPointAxes.size();
  static constexpr std::size_t kBatchAxis = static_cast<std::size_t>(PointAxis::kBatch);
  // Level of each axis; 0 if the axis is absent.
  using Position = std::array<int, kAxes>;

  // Every mode with every batch; no batch: the batch is not a dimension. Throws UsageError if
  // empty.
  SearchSpace(const KnobSpace& modes, std::vector<int> batches);
  // Exactly these points (duplicates removed). Throws UsageError if empty.
  explicit SearchSpace(std::vector<OperatingPoint> points);

  std::size_t size() const { return points_.size(); }
  const std::vector<OperatingPoint>& points() const { return points_; }  // sorted
  const OperatingPoint& operator[](std::size_t index) const { return points_[index]; }
  const Position& position(std::size_t index) const { return positions_[index]; }
  // Ascending values of an axis in SI (cores, Hz, samples); one value or none: the axis is fixed.
  const std::vector<double>& levels(std::size_t axis) const { return levels_[axis]; }
  const std::vector<double>& levels(PointAxis axis) const {
    return levels_[static_cast<std::size_t>(axis)];
  }
  // Position of the highest level; 0 if the axis is absent.
  int last_level(std::size_t axis) const;
  std::vector<std::size_t> free_axes() const;  // axes with more than one level
  std::vector<int> batches() const;

  std::optional<std::size_t> find(const OperatingPoint& point) const;
  // The point nearest to a position, by distance in shares of each axis. `allowed` (one flag per
  // point, or empty for all) restricts the choice; the result is empty if it allows none.
  std::optional<std::size_t> nearest(const Position& wanted,
                                     std::span<const char> allowed = {}) const;
  // Position n of a space-filling sequence: the lowest corner, the highest, then Halton's sequence
  // (Halton 1960) over the levels of the axes.
  Position space_filling(std::size_t n) const;
  // The mode with the highest levels at the largest batch: MAXN if the grid is complete.
  std::size_t top() const;

 private:
  void index_positions();

  std::vector<OperatingPoint> points_;
  std::vector<Position> positions_;
  std::array<std::vector<double>, kAxes> levels_;
};

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
