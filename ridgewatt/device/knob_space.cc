#include "ridgewatt/device/knob_space.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

void sort_unique(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// Returns the index of `value` in the sorted levels, interpolated between two levels.
double position(const std::vector<double>& levels, double value) {
  if (levels.size() < 2) return 0;
  const auto above = std::lower_bound(levels.begin(), levels.end(), value);
  if (above == levels.begin()) return (value - levels[0]) / (levels[1] - levels[0]);
  if (above == levels.end()) return static_cast<double>(levels.size() - 1);
  const auto i = static_cast<std::size_t>(above - levels.begin());
  return static_cast<double>(i) - (levels[i] - value) / (levels[i] - levels[i - 1]);
}

}  // namespace

KnobSpace::KnobSpace(Levels levels) : levels_(std::move(levels)) {
  modes_.emplace_back();
  for (const Knob knob : kKnobs) {
    auto& values = levels_[knob];
    sort_unique(values);
    if (values.empty()) continue;
    std::vector<PowerMode> extended;
    extended.reserve(modes_.size() * values.size());
    for (const auto& mode : modes_) {
      for (const double value : values) {
        extended.push_back(mode);
        extended.back().set(knob, value);
      }
    }
    modes_ = std::move(extended);
  }
}

KnobSpace::KnobSpace(std::vector<PowerMode> modes) : modes_(std::move(modes)) {
  if (modes_.empty()) throw UsageError("there are no power modes to choose from");
  if (!std::is_sorted(modes_.begin(), modes_.end())) std::sort(modes_.begin(), modes_.end());
  modes_.erase(std::unique(modes_.begin(), modes_.end()), modes_.end());
  for (const Knob knob : kKnobs) {
    auto& values = levels_[knob];
    for (const auto& mode : modes_) {
      const double value = mode.get(knob);
      // Adjacent modes often have the same value. Skipping these makes the list to sort short.
      if (value > 0 && (values.empty() || values.back() != value)) values.push_back(value);
    }
    sort_unique(values);
  }
}

const std::vector<double>& KnobSpace::levels(Knob knob) const& {
  return levels_[knob];
}

std::optional<std::size_t> KnobSpace::find(const PowerMode& mode) const {
  const auto found = std::lower_bound(modes_.begin(), modes_.end(), mode);
  if (found == modes_.end() || *found != mode) return std::nullopt;
  return static_cast<std::size_t>(found - modes_.begin());
}

const PowerMode& KnobSpace::nearest(const PowerMode& wanted) const& {
  KnobArray<double> aim{};
  for (const Knob knob : kKnobs) aim[knob] = position(levels(knob), wanted.get(knob));
  const PowerMode* best = &modes_.front();
  double best_distance = std::numeric_limits<double>::infinity();
  for (const auto& mode : modes_) {
    double distance = 0;
    for (const Knob knob : kKnobs) {
      if (!wanted.has(knob)) continue;
      distance += std::abs(position(levels(knob), mode.get(knob)) - aim[knob]);
    }
    if (distance < best_distance) best_distance = distance, best = &mode;
  }
  return *best;
}

}  // namespace ridgewatt
