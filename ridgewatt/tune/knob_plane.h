// A plane over the knobs that approximates a quantity: the gradient of all profiles, which the
// descents (GMD) follow with the profiles that remain after bisection. Least squares of relative
// errors with a small ridge.
#pragma once

#include <Eigen/Core>

#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::tune {

class KnobPlane {
 public:
  // kReciprocals: a time, as the sum of shares that each knob limits. kShares: a power, linear in
  // the knobs. kPowerLaw: its logarithm over the logarithms of the knobs.
  enum class Shape { kReciprocals, kShares, kPowerLaw };
  // A constant, the four knobs, and one term for the caller (the batch).
  static constexpr Eigen::Index kTerms = SearchSpace::kAxes + 1;
  using Row = Eigen::Matrix<double, kTerms, 1>;

  explicit KnobPlane(Shape shape) : shape_(shape) {}

  // Knobs count as shares of their highest level; the last term is 0.
  static Row row(Shape shape, const SearchSpace& space, std::size_t index);
  // The weight of a point: larger near the power budget. 1 without a budget.
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
