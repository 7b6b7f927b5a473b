#include "ridgewatt/tune/bisection_descent.h"

#include <cmath>

namespace ridgewatt::tune {
namespace {

constexpr double kPowerNoiseW = 1;  // published: a smaller change of power is noise

double slope(const BisectionDescent::Sight& a, const BisectionDescent::Sight& b) {
  const double power_w = std::abs(a.power_w - b.power_w);
  return power_w < kPowerNoiseW ? 0 : std::abs(a.value - b.value) / power_w;
}

}  // namespace

BisectionDescent::BisectionDescent(const SearchSpace& space, const Position& start, Look look)
    : space_(space), look_(std::move(look)), at_(start) {}

bool BisectionDescent::start(std::string_view reason) {
  const auto seen = look_(at_, reason);
  if (seen) here_ = *seen;
  return seen.has_value();
}

void BisectionDescent::probe_ends() {
  const bool down = here_.over;
  for (const std::size_t axis : space_.free_axes()) {
    if (axis == SearchSpace::kBatchAxis) continue;
    const int last = space_.last_level(axis);
    KnobRange range{axis, down ? 0 : at_[axis] + 1, down ? at_[axis] - 1 : last};
    Position end = at_;
    end[axis] = down ? 0 : last;
    if (const auto seen = look_(end, "end of one knob")) range.slope = slope(here_, *seen);
    ranges_.push_back(range);
  }
}

// To go up, prefer the knob that saves the most time per watt. To go down, prefer the knob that
// loses the least.
double BisectionDescent::merit(const KnobRange& range) const {
  if (!here_.over) return range.slope;
  return range.slope > 0 ? 1 / range.slope : 0;
}

std::optional<BisectionDescent::Step> BisectionDescent::follow_steepest() {
  KnobRange* steepest = nullptr;
  for (auto& range : ranges_) {
    if (range.empty()) continue;
    if (steepest == nullptr || merit(range) > merit(*steepest)) steepest = &range;
  }
  if (steepest == nullptr) return std::nullopt;
  const int middle = (steepest->low + steepest->high + 1) / 2;
  Position there = at_;
  there[steepest->axis] = middle;
  const auto seen = look_(there, "middle of the steepest knob's range");
  if (!seen) return std::nullopt;
  steepest->slope = slope(here_, *seen);
  (seen->over ? steepest->high : steepest->low) = seen->over ? middle - 1 : middle + 1;
  // If every mode so far is over the budget, move to the new one. Otherwise stay at the best mode
  // within the budget.
  if (here_.over || (!seen->over && seen->value < here_.value)) {
    at_ = there;
    here_ = *seen;
  }
  return Step{there, *seen};
}

}  // namespace ridgewatt::tune
