// Online gradient descent on the grid of knobs, from the highest clocks down (RPE report). Not
// published, chosen here: the first profiles lower one knob each. Then a time model (a sum of
// reciprocals of the knobs) and a power model (a power law) are fitted to all profiled points, with
// larger weights near the current position. They predict the objective and every limit. A step goes
// to the untried point within reach that is best by this prediction. The reach shrinks after a step
// without improvement.
#include <algorithm>
#include <cmath>

#include "ridgewatt/tune/knob_plane.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt::tune {
namespace {

constexpr double kProbe = 0.5;  // how far down the first probe of a knob goes, share of its range
constexpr double kReach = 0.5;  // reach of the first steps, share of each range
constexpr double kLeastReach = 0.1;
constexpr double kShrink = 0.7;
constexpr auto kTimeShape = KnobPlane::Shape::kReciprocals;
constexpr auto kPowerShape = KnobPlane::Shape::kPowerLaw;

class GradientDescent {
 public:
  explicit GradientDescent(Search& search)
      : search_(search), space_(search.space()), axes_(space_.free_axes()), here_(space_.top()) {}

  void run() {
    const auto top = search_.profile(here_, "highest clocks");
    if (top) standing_ = standing(*top);
    probe_knobs();
    while (search_.profiles_left() > 0 && step()) {
    }
  }

 private:
  // Excess over the limits first, then the objective. Smaller is better.
  using Standing = std::pair<double, double>;
  Standing standing(const Observation& seen) const {
    return {std::max(0.0, judge(search_.goal(), seen).excess),
            objective_value(search_.goal(), seen)};
  }

  bool move_to(std::size_t index, const char* reason) {
    const auto seen = search_.profile(index, reason);
    if (!seen || standing(*seen) >= standing_) return false;
    standing_ = standing(*seen);
    here_ = index;
    return true;
  }

  void probe_knobs() {
    const std::size_t start = here_;
    for (const std::size_t axis : axes_) {
      auto position = space_.position(start);
      const auto last = static_cast<double>(space_.levels(axis).size() - 1);
      position[axis] = static_cast<int>(std::lround((1 - kProbe) * last));
      const std::size_t index = *space_.nearest(position);
      if (search_.untried(index)) move_to(index, "one knob lowered");
    }
  }

  // The largest distance between two points over all knobs and the batch, as a share of the range.
  double distance(std::size_t a, std::size_t b) const {
    double most = 0;
    for (const std::size_t axis : axes_) {
      const auto last = static_cast<double>(space_.levels(axis).size() - 1);
      most = std::max(most, std::abs(space_.position(a)[axis] - space_.position(b)[axis]) / last);
    }
    return most;
  }

  double batch(std::size_t index) const { return std::max(space_[index].batch, 1); }
  // Time per sample: the samples of a batch share the kernel launches.
  KnobPlane::Row time_row(std::size_t index) const {
    KnobPlane::Row row = KnobPlane::row(kTimeShape, space_, index);
    row[KnobPlane::kTerms - 1] = 1 / batch(index);
    return row;
  }
  KnobPlane::Row power_row(std::size_t index) const {
    KnobPlane::Row row = KnobPlane::row(kPowerShape, space_, index);
    row[KnobPlane::kTerms - 1] = std::log(batch(index));
    return row;
  }

  bool step() {
    KnobPlane time(kTimeShape), power(kPowerShape);
    for (std::size_t n = 0; n < search_.seen().size(); ++n) {
      const Observation& seen = search_.seen()[n];
      const std::size_t index = search_.points_seen()[n];
      const double away = distance(index, here_) / kReach;
      const double weight = 1 / (0.05 + away * away);
      time.add(time_row(index), seen.time_s / batch(index), weight);
      power.add(power_row(index), seen.power_w, weight);
    }
    time.fit();
    power.fit();
    std::optional<std::size_t> next;
    Standing least;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (!search_.untried(i) || distance(i, here_) > reach_) continue;
      const Standing expected =
          standing({space_[i], batch(i) * time.at(time_row(i)), power.at(power_row(i))});
      if (!next || expected < least) next = i, least = expected;
    }
    if (!next && reach_ >= 1) return false;
    if (!next) {
      reach_ = 1;
    } else if (!move_to(*next, "where the gradient points")) {
      reach_ = std::max(kLeastReach, kShrink * reach_);
    }
    return true;
  }

  Search& search_;
  const SearchSpace& space_;
  std::vector<std::size_t> axes_;
  std::size_t here_;
  Standing standing_{Limits::kNone, Limits::kNone};
  double reach_ = kReach;
};

}  // namespace

void search_ogd(Search& search) {
  GradientDescent(search).run();
}

}  // namespace ridgewatt::tune
