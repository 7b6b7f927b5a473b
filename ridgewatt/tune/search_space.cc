#include "ridgewatt/tune/search_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"

namespace ridgewatt::tune {
namespace {

double halton(std::size_t index, int base) {
  double result = 0, fraction = 1;
  for (std::size_t i = index; i > 0; i /= static_cast<std::size_t>(base)) {
    fraction /= base;
    result += fraction * static_cast<double>(i % static_cast<std::size_t>(base));
  }
  return result;
}

}  // namespace
namespace {

std::vector<OperatingPoint> product(const KnobSpace& modes, std::vector<int> batches) {
  if (batches.empty()) batches.push_back(0);
  std::vector<OperatingPoint> points;
  points.reserve(modes.size() * batches.size());
  for (const auto& mode : modes.modes()) {
    for (const int batch : batches) points.push_back({mode, batch});
  }
  return points;
}

}  // namespace

SearchSpace::SearchSpace(const KnobSpace& modes, std::vector<int> batches)
    : SearchSpace(product(modes, std::move(batches))) {}

SearchSpace::SearchSpace(std::vector<OperatingPoint> points) : points_(std::move(points)) {
  if (points_.empty()) throw UsageError("there are no operating points to choose from");
  if (!std::is_sorted(points_.begin(), points_.end())) std::sort(points_.begin(), points_.end());
  points_.erase(std::unique(points_.begin(), points_.end()), points_.end());
  index_positions();
}

void SearchSpace::index_positions() {
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    auto& levels = levels_[axis];
    // Insertion is cheap: there are few levels, however many points there are.
    for (const auto& point : points_) {
      const double value = axis_value(point, kPointAxes[axis]);
      const auto at = std::lower_bound(levels.begin(), levels.end(), value);
      if (value > 0 && (at == levels.end() || *at != value)) levels.insert(at, value);
    }
  }
  positions_.resize(points_.size());
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    const auto& levels = levels_[axis];
    double last = -1;
    int level = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double value = axis_value(points_[i], kPointAxes[axis]);
      if (value != last) {
        const auto found = std::lower_bound(levels.begin(), levels.end(), value);
        level = static_cast<int>(found - levels.begin());
        last = value;
      }
      positions_[i][axis] = level;
    }
  }
}

int SearchSpace::last_level(std::size_t axis) const {
  return std::max(0, static_cast<int>(levels_[axis].size()) - 1);
}

std::vector<std::size_t> SearchSpace::free_axes() const {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    if (levels_[axis].size() > 1) axes.push_back(axis);
  }
  return axes;
}

std::vector<int> SearchSpace::batches() const {
  std::vector<int> batches;
  for (const double level : levels_[kBatchAxis]) batches.push_back(static_cast<int>(level));
  return batches;
}

std::optional<std::size_t> SearchSpace::find(const OperatingPoint& point) const {
  const auto found = std::lower_bound(points_.begin(), points_.end(), point);
  if (found == points_.end() || *found != point) return std::nullopt;
  return static_cast<std::size_t>(found - points_.begin());
}

std::optional<std::size_t> SearchSpace::nearest(const Position& wanted,
                                                std::span<const char> allowed) const {
  std::array<double, kAxes> weight{};
  for (const std::size_t axis : free_axes()) {
    weight[axis] = 1.0 / static_cast<double>(levels_[axis].size() - 1);
  }
  std::optional<std::size_t> best;
  double best_distance = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (!allowed.empty() && !allowed[i]) continue;
    double distance = 0;
    for (std::size_t axis = 0; axis < kAxes; ++axis) {
      distance += weight[axis] * std::abs(positions_[i][axis] - wanted[axis]);
    }
    if (distance < best_distance) best_distance = distance, best = i;
  }
  return best;
}

SearchSpace::Position SearchSpace::space_filling(std::size_t n) const {
  static constexpr std::array<int, kAxes> kBases = {2, 3, 5, 7, 11};
  Position position{};
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    const auto levels = static_cast<double>(std::max<std::size_t>(levels_[axis].size(), 1));
    const double share = n == 0 ? 0.0 : n == 1 ? 0.999 : halton(n, kBases[axis]);
    position[axis] = static_cast<int>(share * levels);
  }
  return position;
}

std::size_t SearchSpace::top() const {
  Position most{};
  for (std::size_t axis = 0; axis < kAxes; ++axis) {
    most[axis] = last_level(axis);
  }
  return *nearest(most);
}

}  // namespace ridgewatt::tune
