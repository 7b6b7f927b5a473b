// The operating points that a search may choose from: power modes times minibatch sizes, each with
// its position on the lattice of knob levels. Strategies see this and never a board or a sweep.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::tune {

class SearchSpace {
 public:
  // Axes are the PointAxis of the same number.
  static constexpr std::size_t kAxes = kPointAxes.size();
  static constexpr std::size_t kBatchAxis = static_cast<std::size_t>(PointAxis::kBatch);
  // Level of each axis; 0 where the axis is absent.
  using Position = std::array<int, kAxes>;

  // Every mode with every batch; no batch: batch is not a dimension. Throws UsageError when empty.
  SearchSpace(const KnobSpace& modes, std::vector<int> batches);
  // Exactly these points (duplicates dropped). Throws UsageError when empty.
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
  // Position of the highest level; 0 where the axis is absent.
  int last_level(std::size_t axis) const;
  std::vector<std::size_t> free_axes() const;  // axes with more than one level
  std::vector<int> batches() const;

  std::optional<std::size_t> find(const OperatingPoint& point) const;
  // The point nearest to a position, by distance in shares of each axis. `allowed` (one flag a
  // point, or empty for all) narrows the choice; nothing when it allows none.
  std::optional<std::size_t> nearest(const Position& wanted,
                                     std::span<const char> allowed = {}) const;
  // Position n of a space-filling sequence: the lowest corner, the highest, then Halton's sequence
  // (Halton 1960) over the levels of the axes.
  Position space_filling(std::size_t n) const;
  // The mode with the most of everything at the largest batch: MAXN where the grid is full.
  std::size_t top() const;

 private:
  void index_positions();

  std::vector<OperatingPoint> points_;
  std::vector<Position> positions_;
  std::array<std::vector<double>, kAxes> levels_;
};

}  // namespace ridgewatt::tune
