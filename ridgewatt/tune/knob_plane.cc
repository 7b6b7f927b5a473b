#include "ridgewatt/tune/knob_plane.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt {
namespace {

constexpr double kRidge = 3e-5;  // share of the mean diagonal
constexpr double kNear = 0.1;    // distance from the budget, of log W, that halves a weight

}  // namespace

KnobPlane::Row KnobPlane::power_row(const SearchSpace& space, std::size_t index) {
  Row row = Row::Zero();
  row[0] = 1;
  for (std::size_t k = 0; k < kKnobs.size(); ++k) {
    const double value = space[index].mode.get(kKnobs[k]);
    if (value > 0) row[static_cast<Eigen::Index>(k) + 1] = value / space.levels(k).back();
  }
  return row;
}

KnobPlane::Row KnobPlane::time_row(const SearchSpace& space, std::size_t index) {
  Row row = power_row(space, index);
  for (Eigen::Index term = 1; term < kTerms; ++term) {
    if (row[term] > 0) row[term] = 1 / row[term];
  }
  return row;
}

double KnobPlane::weight(double power_w, double budget_w) {
  if (!std::isfinite(budget_w)) return 1;
  return 1 / (kNear + std::abs(std::log(power_w / budget_w)));
}

void KnobPlane::add(const Row& row, double value, double weight) {
  normal_ += weight / (value * value) * row * row.transpose();
  right_ += weight / value * row;
  least_ = least_ == 0 ? value : std::min(least_, value);
}

void KnobPlane::fit() {
  const double mean_diagonal = normal_.trace() / static_cast<double>(kTerms);
  if (mean_diagonal <= 0) return;
  normal_.diagonal().array() += kRidge * mean_diagonal;
  slopes_ = normal_.ldlt().solve(right_);
}

}  // namespace ridgewatt
