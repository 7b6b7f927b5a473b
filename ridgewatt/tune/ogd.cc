// Online gradient descent on the knob lattice: the position is continuous, each step measures two
// points on either side along a random direction of the knobs (simultaneous perturbation, Spall
// 1992) and moves against the estimated gradient of log objective plus a penalty on broken limits.
#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/random.h"
#include "ridgewatt/tune/strategy.h"

namespace ridgewatt {
namespace {

constexpr double kPenalty = 10;  // of a limit broken by 100 %
constexpr double kReach = 0.15;  // half distance of the two points, share of a knob's range
constexpr double kStep = 0.15;   // first step, share of a knob's range

using Shares = std::array<double, SearchSpace::kAxes>;

std::size_t at(const SearchSpace& space, const Shares& shares) {
  SearchSpace::Position position{};
  for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
    const auto last = static_cast<double>(std::max<std::size_t>(space.levels(axis).size(), 1) - 1);
    position[axis] = static_cast<int>(std::lround(std::clamp(shares[axis], 0.0, 1.0) * last));
  }
  return *space.nearest(position);
}

}  // namespace

void search_ogd(Search& search, std::uint64_t seed) {
  Random random(seed);
  const SearchSpace& space = search.space();
  const auto axes = space.free_axes();
  const auto loss = [&](const Shares& shares) -> std::optional<double> {
    const auto seen = search.profile(at(space, shares), "either side of the current position");
    if (!seen) return std::nullopt;
    const double excess = std::max(0.0, judge(search.goal(), *seen).excess);
    return std::log(objective_value(search.goal(), *seen)) + kPenalty * excess;
  };
  Shares position;
  position.fill(0.5);
  for (int step = 1; search.left() > 0 && !axes.empty(); ++step) {
    Shares direction{}, ahead = position, behind = position;
    for (const std::size_t axis : axes) {
      direction[axis] = random.uniform() < 0.5 ? -1 : 1;
      ahead[axis] = std::clamp(position[axis] + kReach * direction[axis], 0.0, 1.0);
      behind[axis] = std::clamp(position[axis] - kReach * direction[axis], 0.0, 1.0);
    }
    const auto up = loss(ahead);
    const auto down = loss(behind);
    if (!up || !down) continue;
    const double gradient = std::clamp((*up - *down) / (2 * kReach), -1.0, 1.0);
    for (const std::size_t axis : axes) {
      position[axis] -= kStep / std::sqrt(static_cast<double>(step)) * gradient * direction[axis];
      position[axis] = std::clamp(position[axis], 0.0, 1.0);
    }
  }
}

}  // namespace ridgewatt
