// GMD: gradient descent in several dimensions, as Fulcrum publishes it for concurrent training and
// inference: begin with the largest batch, rule batches out with one profile of the top mode, then
// follow the knob whose slope |change of time / change of power| is largest, of the workload with
// the higher power. Not published and chosen here: batches that cannot be gathered in time are
// ruled out by arithmetic; a limit other than power that is broken counts as "too slow"; profiles
// that are left go to neighbours of the best point, one knob up, or one up and another down, or the
// next batch.
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/schedule/plan_search.h"

namespace ridgewatt {
namespace {

constexpr double kPowerNoiseW = 1;  // published: a smaller change of power is noise

using Position = SearchSpace::Position;

struct Range {
  std::size_t axis = 0;
  int low = 0;
  int high = -1;
  double slope = 0;
  bool empty() const { return low > high; }
};

// Time and power of the workload with the higher power.
double leading_time_s(const Candidate& c) {
  return c.train_power_w >= c.infer_power_w ? c.train_time_s : c.infer_time_s;
}

double slope(const Candidate& a, const Candidate& b) {
  const double power = std::abs(a.peak_power_w() - b.peak_power_w());
  return power < kPowerNoiseW ? 0 : std::abs(leading_time_s(a) - leading_time_s(b)) / power;
}

class Descent {
 public:
  explicit Descent(PlanSearch& search) : search_(search), points_(search.space().points()) {
    for (const std::size_t axis : points_.free_axes()) {
      if (axis != SearchSpace::kBatchAxis) axes_.push_back(axis);
    }
  }

  // Whether the top mode meets the latency bound at this batch level.
  bool batch_fits(int level) {
    Position top{};
    for (const std::size_t axis : axes_) top[axis] = last(axis);
    top[SearchSpace::kBatchAxis] = level;
    const Candidate* seen = look(top);
    return seen != nullptr && fast_enough(*seen);
  }

  void descend(int batch_level) {
    for (const std::size_t axis : axes_) at_[axis] = last(axis) / 2;
    at_[SearchSpace::kBatchAxis] = batch_level;
    hopeless_ = false;
    here_ = look(at_);
    if (here_ == nullptr || hopeless_) return;
    std::vector<Range> ranges = probe_ends();
    while (search_.left() > 0 && !hopeless_ && follow_steepest(ranges)) {
    }
  }

  // Spends what is left around the best point.
  void improve() {
    while (search_.left() > 0 && search_.best() && try_neighbour()) {
    }
  }

 private:
  int last(std::size_t axis) const { return static_cast<int>(points_.levels(axis).size()) - 1; }
  bool over_power(const Candidate& c) const {
    return c.peak_power_w() > search_.problem().max_power_w;
  }

  const Candidate* look(const Position& position) {
    const auto index = points_.nearest(position, search_.allowed());
    const Candidate* seen = index ? search_.profile(*index) : nullptr;
    // Too much power and too slow at once: less power would be slower still, so not this batch.
    if (seen != nullptr && over_power(*seen) && !fast_enough(*seen)) hopeless_ = true;
    return seen;
  }

  bool fast_enough(const Candidate& candidate) const {
    PlanProblem any_power = search_.problem();
    any_power.max_power_w = std::numeric_limits<double>::infinity();
    return plan_with(candidate, any_power).feasible;
  }

  std::vector<Range> probe_ends() {
    const bool down = over_power(*here_);
    std::vector<Range> ranges;
    for (const std::size_t axis : axes_) {
      Range range{axis, down ? 0 : at_[axis] + 1, down ? at_[axis] - 1 : last(axis), 0};
      Position end = at_;
      end[axis] = down ? 0 : last(axis);
      if (const Candidate* seen = look(end)) range.slope = slope(*here_, *seen);
      ranges.push_back(range);
    }
    return ranges;
  }

  bool follow_steepest(std::vector<Range>& ranges) {
    Range* steepest = nullptr;
    for (auto& range : ranges) {
      if (!range.empty() && (steepest == nullptr || range.slope > steepest->slope)) {
        steepest = &range;
      }
    }
    if (steepest == nullptr) return false;
    Position candidate = at_;
    const int middle = (steepest->low + steepest->high + 1) / 2;
    candidate[steepest->axis] = middle;
    const Candidate* seen = look(candidate);
    if (seen == nullptr) return false;
    steepest->slope = slope(*here_, *seen);
    const bool over = over_power(*seen);
    (over ? steepest->high : steepest->low) = over ? middle - 1 : middle + 1;
    const bool faster = leading_time_s(*seen) < leading_time_s(*here_);
    if (over_power(*here_) || (!over && faster)) {
      at_ = candidate;
      here_ = seen;
    }
    return true;
  }

  bool try_point(const Position& position) {
    for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
      if (position[axis] < 0 || position[axis] > std::max(last(axis), 0)) return false;
    }
    const auto index = points_.nearest(position, search_.allowed());
    if (!index || points_.position(*index) != position || search_.seen(*index)) return false;
    return search_.profile(*index) != nullptr;
  }

  bool try_neighbour() {
    const Candidate& best = search_.best()->candidate;
    const Position at = points_.position(*points_.find({best.mode, best.batch}));
    for (const std::size_t up : axes_) {
      Position position = at;
      ++position[up];
      if (try_point(position)) return true;
    }
    for (const std::size_t up : axes_) {
      for (const std::size_t down : axes_) {
        Position position = at;
        ++position[up];
        --position[down];
        if (up != down && try_point(position)) return true;
      }
    }
    for (const int step : {1, -1}) {
      Position position = at;
      position[SearchSpace::kBatchAxis] += step;
      if (try_point(position)) return true;
    }
    return false;
  }

  PlanSearch& search_;
  const SearchSpace& points_;
  std::vector<std::size_t> axes_;
  Position at_{};
  const Candidate* here_ = nullptr;
  bool hopeless_ = false;  // this batch
};

}  // namespace

void plan_search_gmd(PlanSearch& search) {
  Descent descent(search);
  const auto batches = search.space().points().batches();
  for (int level = static_cast<int>(batches.size()) - 1; level >= 0 && search.left() > 0; --level) {
    if (!search.batch_possible(batches[static_cast<std::size_t>(level)])) continue;
    if (search.space().has_inference() && !descent.batch_fits(level)) continue;
    descent.descend(level);
    if (search.best()) break;
  }
  descent.improve();
}

}  // namespace ridgewatt
