// GMD: gradient descent in several dimensions, as Fulcrum publishes it. Profile the middle mode,
// then each knob at the end that leads toward the power budget; follow the knob with the largest
// slope |change of time / change of power|, halving its range. What is not published is chosen
// here: the objective stands for time; any broken limit other than power or energy counts as "too
// slow"; while over the budget the knob with the least slope is followed, which gives up least
// time for a watt (on the common modes of ResNet-18 7.4 instead of 12.0 % mean penalty); two fifths
// of the budget go where the gradient of all that was profiled points (6.0 instead of 7.4 %).
#include <algorithm>
#include <cmath>
#include <limits>

#include "ridgewatt/tune/knob_plane.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt {
namespace {

constexpr double kPowerNoiseW = 1;  // published: a smaller change of power is noise

using Position = SearchSpace::Position;

struct Range {
  int low = 0;
  int high = -1;
  double slope = 0;
  bool empty() const { return low > high; }
};

class Descent {
 public:
  Descent(Search& search, int batch_level) : search_(search), space_(search.space()) {
    for (const std::size_t axis : space_.free_axes()) {
      if (axis != SearchSpace::kBatchAxis) axes_.push_back(axis);
    }
    for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
      current_[axis] = (static_cast<int>(space_.levels(axis).size()) - 1) / 2;
      current_[axis] = std::max(current_[axis], 0);
    }
    current_[SearchSpace::kBatchAxis] = batch_level;
  }

  void run() {
    const int keep = search_.left() * 2 / 5;  // for the gradient
    if (!move_to(current_, "middle mode")) return;
    probe_ends();
    while (search_.left() > keep && follow_steepest()) {
    }
    while (search_.left() > 0 && search_.best() && try_gradient()) {
    }
  }

 private:
  // Whether the point draws too much power (or energy): lower knobs are wanted.
  static bool too_much(const Search& search, const Observation& seen) {
    const Verdict verdict = judge(search.goal(), seen);
    return verdict.feasibility == Feasibility::kInfeasible &&
           (verdict.limit == "power" || verdict.limit == "energy");
  }

  std::optional<Observation> look(const Position& position, const char* reason) {
    const auto index = space_.nearest(position);
    if (!index) return std::nullopt;
    if (search_.tried(*index)) {
      for (const auto& seen : search_.seen()) {
        if (seen.point == space_[*index]) return seen;
      }
    }
    return search_.profile(*index, reason);
  }

  bool move_to(const Position& position, const char* reason) {
    const auto seen = look(position, reason);
    if (!seen) return false;
    current_ = position;
    here_ = *seen;
    return true;
  }

  double slope(const Observation& a, const Observation& b) const {
    const double power = std::abs(a.power_w - b.power_w);
    if (power < kPowerNoiseW) return 0;
    return std::abs(objective_value(search_.goal(), a) - objective_value(search_.goal(), b)) /
           power;
  }

  void probe_ends() {
    const bool down = too_much(search_, here_);
    for (const std::size_t axis : axes_) {
      Range range;
      const int last = static_cast<int>(space_.levels(axis).size()) - 1;
      range.low = down ? 0 : current_[axis] + 1;
      range.high = down ? current_[axis] - 1 : last;
      Position end = current_;
      end[axis] = down ? 0 : last;
      if (const auto seen = look(end, "end of one knob")) range.slope = slope(here_, *seen);
      ranges_.push_back(range);
    }
  }

  // Upward the knob that saves the most time per watt; downward the one that loses the least.
  double merit(const Range& range) const {
    if (!too_much(search_, here_)) return range.slope;
    return range.slope > 0 ? 1 / range.slope : 0;
  }

  // Halves the range of the knob to follow; false when all ranges are used up.
  bool follow_steepest() {
    std::size_t knob = ranges_.size();
    for (std::size_t k = 0; k < ranges_.size(); ++k) {
      if (ranges_[k].empty()) continue;
      if (knob == ranges_.size() || merit(ranges_[k]) > merit(ranges_[knob])) knob = k;
    }
    if (knob == ranges_.size()) return false;
    Range& range = ranges_[knob];
    Position candidate = current_;
    const int middle = (range.low + range.high + 1) / 2;
    candidate[axes_[knob]] = middle;
    const auto seen = look(candidate, "middle of the steepest knob's range");
    if (!seen) return false;
    range.slope = slope(here_, *seen);
    const bool over = too_much(search_, *seen);
    if (over) {
      range.high = middle - 1;
    } else {
      range.low = middle + 1;
    }
    // Over budget everywhere so far: go down. Else stay on the best mode within the budget.
    const bool was_over = too_much(search_, here_);
    const bool better =
        objective_value(search_.goal(), *seen) < objective_value(search_.goal(), here_);
    if (was_over || (!over && better)) {
      current_ = candidate;
      here_ = *seen;
    }
    return true;
  }

  // The untried mode, at the batch of this descent, that the gradient of everything profiled says
  // is best; what breaks a limit ranks behind, by how little it breaks it.
  bool try_gradient() {
    KnobPlane time(KnobPlane::Shape::kReciprocals), power(KnobPlane::Shape::kShares);
    const auto time_row = [&](std::size_t i) {
      return KnobPlane::row(KnobPlane::Shape::kReciprocals, space_, i);
    };
    const auto power_row = [&](std::size_t i) {
      return KnobPlane::row(KnobPlane::Shape::kShares, space_, i);
    };
    const double budget_w = search_.goal().limits.power_w;
    for (const auto& seen : search_.seen()) {
      const std::size_t index = *space_.find(seen.point);
      if (space_.position(index)[SearchSpace::kBatchAxis] != batch_level()) continue;
      const double weight = KnobPlane::weight(seen.power_w, budget_w);
      time.add(time_row(index), seen.time_s, weight);
      power.add(power_row(index), seen.power_w, weight);
    }
    time.fit();
    power.fit();
    std::optional<std::size_t> next;
    double least_excess = 0, least_value = 0;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (search_.tried(i) || space_.position(i)[SearchSpace::kBatchAxis] != batch_level())
        continue;
      const Observation guess{space_[i], time.at(time_row(i)), power.at(power_row(i))};
      const double excess = std::max(0.0, judge(search_.goal(), guess).excess);
      const double value = objective_value(search_.goal(), guess);
      if (next && std::pair(excess, value) >= std::pair(least_excess, least_value)) continue;
      next = i, least_excess = excess, least_value = value;
    }
    return next && search_.profile(*next, "where the gradient points").has_value();
  }
  int batch_level() const { return current_[SearchSpace::kBatchAxis]; }

  Search& search_;
  const SearchSpace& space_;
  std::vector<std::size_t> axes_;
  Position current_{};
  Observation here_;
  std::vector<Range> ranges_;
};

}  // namespace

void search_gmd(Search& search) {
  // Batch is a further dimension: the smallest first, larger only while no answer was found.
  const int batches =
      std::max(1, static_cast<int>(search.space().levels(SearchSpace::kBatchAxis).size()));
  for (int level = 0; level < batches && search.left() > 0; ++level) {
    Descent(search, level).run();
    if (search.best()) return;
  }
}

}  // namespace ridgewatt
