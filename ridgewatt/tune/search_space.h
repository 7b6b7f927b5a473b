// The operating points from which a search may choose: power modes times batch sizes, each with its
// position on the lattice of knob levels. Strategies use only this space, neither a board nor a
// sweep.
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
  // The axes, numbered as in PointAxis.
  static constexpr std::size_t kAxes = kPointAxes.size();
  static constexpr std::size_t kBatchAxis = static_cast<std::size_t>(PointAxis::kBatch);
  // Index of the level on each axis; 0 if the axis is absent.
  using Position = std::array<int, kAxes>;

  // Combines every mode with every batch. If `batches` is empty, the batch is not a dimension.
  // Throws UsageError if the space is empty.
  SearchSpace(const KnobSpace& modes, std::vector<int> batches);
  // Takes exactly these points, without duplicates. Throws UsageError if there are none.
  explicit SearchSpace(std::vector<OperatingPoint> points);

  std::size_t size() const { return points_.size(); }
  const std::vector<OperatingPoint>& points() const { return points_; }  // sorted
  const OperatingPoint& operator[](std::size_t index) const { return points_[index]; }
  const Position& position(std::size_t index) const { return positions_[index]; }
  // Values of an axis in SI units (cores, Hz, samples), ascending. With at most one value, the axis
  // is fixed.
  const std::vector<double>& levels(std::size_t axis) const { return levels_[axis]; }
  const std::vector<double>& levels(PointAxis axis) const {
    return levels_[static_cast<std::size_t>(axis)];
  }
  // Index of the highest level; 0 if the axis is absent.
  int last_level(std::size_t axis) const;
  std::vector<std::size_t> free_axes() const;  // axes with more than one level
  std::vector<int> batches() const;

  std::optional<std::size_t> find(const OperatingPoint& point) const;
  // Returns the point nearest to a position. The distance on each axis counts as a share of its
  // range. `allowed` restricts the choice to points with a nonzero flag; an empty span allows all.
  // Returns empty if no point is allowed.
  std::optional<std::size_t> nearest(const Position& wanted,
                                     std::span<const char> allowed = {}) const;
  // Returns position `n` of a space-filling sequence: the lowest corner, the highest corner, then
  // Halton's sequence (Halton 1960) over the levels of the axes.
  Position space_filling(std::size_t n) const;
  // Index of the point with the highest levels and the largest batch: MAXN if the grid is complete.
  std::size_t top() const;

 private:
  void index_positions();

  std::vector<OperatingPoint> points_;
  std::vector<Position> positions_;
  std::array<std::vector<double>, kAxes> levels_;
};

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
