// An ordered set of power modes from which a mode can be chosen: all combinations of a board's knob
// tables, or the modes of a sweep. Search strategies and predictors use this class and do not
// depend on boards.
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
  // Values of each knob in SI units (cores, Hz). Empty: the knob is absent.
  using Levels = KnobArray<std::vector<double>>;

  KnobSpace() = default;
  // All combinations, with the last knob changing fastest. Levels are sorted and made unique.
  explicit KnobSpace(Levels levels);
  // Contains these modes, sorted and without duplicates. The levels are the values that occur in
  // them. Throws UsageError without modes.
  explicit KnobSpace(std::vector<PowerMode> modes);

  std::size_t size() const { return modes_.size(); }
  bool empty() const { return modes_.empty(); }
  // For a temporary space, as in `for (.. : knob_space(board).modes())`, the following functions
  // return copies, because a reference would dangle.
  const std::vector<PowerMode>& modes() const& { return modes_; }
  std::vector<PowerMode> modes() && { return std::move(modes_); }
  const PowerMode& operator[](std::size_t index) const& { return modes_[index]; }
  PowerMode operator[](std::size_t index) && { return modes_[index]; }
  // Returns the values of a knob in ascending order; empty if it is absent.
  const std::vector<double>& levels(Knob knob) const&;
  std::vector<double> levels(Knob knob) && { return std::as_const(*this).levels(knob); }
  // Returns the index of the mode; absent if the space does not contain exactly this mode.
  std::optional<std::size_t> find(const PowerMode& mode) const;
  // Returns the last mode. In a complete grid it has the highest value of each knob (MAXN). The
  // space must not be empty.
  const PowerMode& top() const& { return modes_.back(); }
  PowerMode top() && { return modes_.back(); }
  // Returns the mode nearest to `wanted`. Distance is the number of levels, summed over the knobs
  // of `wanted`. The space must not be empty.
  const PowerMode& nearest(const PowerMode& wanted) const&;
  PowerMode nearest(const PowerMode& wanted) && { return std::as_const(*this).nearest(wanted); }

 private:
  Levels levels_;
  std::vector<PowerMode> modes_;  // sorted
};

}  // namespace ridgewatt

#pragma GCC visibility pop
