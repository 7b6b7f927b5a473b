// A linear model of a quantity over the knobs. The descents (GMD) use it to choose points after
// bisection. Fitted by least squares of relative errors with a small ridge penalty.
#pragma once

#include <Eigen/Core>

#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::tune {

class KnobPlane {
 public:
  // kReciprocals: a time as a sum of terms, each inversely proportional to one knob. kShares: a
  // power that is linear in the knobs. kPowerLaw: a quantity whose logarithm is linear in the
  // logarithms of the knobs.
  enum class Shape { kReciprocals, kShares, kPowerLaw };
  // A constant, the four knobs, and one term for use by the caller (the batch).
  static constexpr Eigen::Index kTerms = SearchSpace::kAxes + 1;
  using Row = Eigen::Matrix<double, kTerms, 1>;

  explicit KnobPlane(Shape shape) : shape_(shape) {}

  // Row of a point. Knobs are divided by their highest level; the last term is 0.
  static Row row(Shape shape, const SearchSpace& space, std::size_t index);
  // Weight of a point, larger near the power budget. Constant 1 without a budget.
  static double weight(double power_w, double budget_w);

  void add(const Row& row, double value, double weight);
  void fit();
  // Value of the fitted model.
  double at(const Row& row) const;

 private:
  Shape shape_;
  Eigen::Matrix<double, kTerms, kTerms> normal_ = Eigen::Matrix<double, kTerms, kTerms>::Zero();
  Row right_ = Row::Zero(), slopes_ = Row::Zero();
  double least_ = 0;
};

}  // namespace ridgewatt::tune
