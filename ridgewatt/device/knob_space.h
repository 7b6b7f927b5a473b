// The power modes that can be chosen from: the full grid of a board's knob tables, or the modes of
// a sweep. Strategies and predictors see only this, not a board.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "ridgewatt/device/power_mode.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

class KnobSpace {
 public:
  // Levels of each knob in SI (cores, Hz); an empty list is an absent knob.
  using Levels = KnobArray<std::vector<double>>;

  KnobSpace() = default;
  // Every combination, last knob fastest. Levels are sorted and made unique.
  explicit KnobSpace(Levels levels);
  // Exactly these modes (duplicates dropped), sorted; levels are the values that occur.
  explicit KnobSpace(std::vector<PowerMode> modes);

  std::size_t size() const { return modes_.size(); }
  bool empty() const { return modes_.empty(); }
  // For a temporary space (`for (.. : knob_space(board).modes())`) these return copies, because a
  // reference would dangle.
  const std::vector<PowerMode>& modes() const& { return modes_; }
  std::vector<PowerMode> modes() && { return std::move(modes_); }
  const PowerMode& operator[](std::size_t index) const& { return modes_[index]; }
  PowerMode operator[](std::size_t index) && { return modes_[index]; }
  // Ascending values of a knob; empty when absent.
  const std::vector<double>& levels(Knob knob) const&;
  std::vector<double> levels(Knob knob) && { return std::as_const(*this).levels(knob); }
  // Position of a mode, if the space contains exactly this mode.
  std::optional<std::size_t> find(const PowerMode& mode) const;
  // The mode with the highest value of each knob (MAXN if the grid is complete).
  const PowerMode& top() const& { return modes_.back(); }
  PowerMode top() && { return modes_.back(); }
  // The mode nearest to `wanted`, by distance in levels summed over knobs.
  const PowerMode& nearest(const PowerMode& wanted) const&;
  PowerMode nearest(const PowerMode& wanted) && { return std::as_const(*this).nearest(wanted); }

 private:
  Levels levels_;
  std::vector<PowerMode> modes_;  // sorted
};

}  // namespace ridgewatt

#pragma GCC visibility pop
