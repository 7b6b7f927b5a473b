#include "ridgewatt/tune/knob_plane.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

namespace ridgewatt::tune {
namespace {

constexpr double kRidge = 3e-5;  // share of the mean diagonal
constexpr double kNear = 0.1;    // distance of log W from the budget that halves a weight

}  // namespace

KnobPlane::Row KnobPlane::row(Shape shape, const SearchSpace& space, std::size_t index) {
  Row row = Row::Zero();
  row[0] = 1;
  for (std::size_t k = 0; k < kKnobs.size(); ++k) {
    const double value = space[index].mode.get(kKnobs[k]);
    if (value <= 0) continue;
    const double share = value / space.levels(k).back();
    row[static_cast<Eigen::Index>(k) + 1] = shape == Shape::kReciprocals ? 1 / share
                                            : shape == Shape::kShares    ? share
                                                                         : std::log(share);
  }
  return row;
}

double KnobPlane::weight(double power_w, double budget_w) {
  if (!std::isfinite(budget_w)) return 1;
  return 1 / (kNear + std::abs(std::log(power_w / budget_w)));
}

void KnobPlane::add(const Row& row, double value, double weight) {
  // A difference of logarithms is already a relative error.
  const double scale = shape_ == Shape::kPowerLaw ? 1 : 1 / value;
  const double target = shape_ == Shape::kPowerLaw ? std::log(value) : 1;
  normal_ += weight * scale * scale * row * row.transpose();
  right_ += weight * scale * target * row;
  least_ = least_ == 0 ? value : std::min(least_, value);
}

void KnobPlane::fit() {
  const double mean_diagonal = normal_.trace() / static_cast<double>(kTerms);
  if (mean_diagonal <= 0) return;
  normal_.diagonal().array() += kRidge * mean_diagonal;
  slopes_ = normal_.ldlt().solve(right_);
}

double KnobPlane::at(const Row& row) const {
  const double value = slopes_.dot(row);
  // A linear sum may be negative, so keep it above half of the least value that was added.
  return shape_ == Shape::kPowerLaw ? std::exp(value) : std::max(value, least_ / 2);
}

}  // namespace ridgewatt::tune
