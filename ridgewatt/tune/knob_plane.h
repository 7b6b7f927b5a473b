// A quantity as a plane over the knobs: the gradient of everything that was profiled, which the
// descents (GMD) follow with the profiles that bisection leaves. Least squares of relative errors
// with a little ridge.
#pragma once

#include <Eigen/Core>

#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::tune {

class KnobPlane {
 public:
  // kReciprocals: a time, the sum of shares that each knob holds up. kShares: a power, linear in
  // the knobs. kPowerLaw: its logarithm over those of the knobs.
  enum class Shape { kReciprocals, kShares, kPowerLaw };
  // A constant, the four knobs, and one more for the caller (the batch).
  static constexpr Eigen::Index kTerms = SearchSpace::kAxes + 1;
  using Row = Eigen::Matrix<double, kTerms, 1>;

  explicit KnobPlane(Shape shape) : shape_(shape) {}

  // Knobs count as shares of their highest level; the last term is 0.
  static Row row(Shape shape, const SearchSpace& space, std::size_t index);
  // How much a point counts: more the nearer it is to the power budget. 1 without a budget.
  static double weight(double power_w, double budget_w);

  void add(const Row& row, double value, double weight);
  void fit();
  double at(const Row& row) const;

 private:
  Shape shape_;
  Eigen::Matrix<double, kTerms, kTerms> normal_ = Eigen::Matrix<double, kTerms, kTerms>::Zero();
  Row right_ = Row::Zero(), slopes_ = Row::Zero();
  double least_ = 0;
};

}  // namespace ridgewatt::tune
