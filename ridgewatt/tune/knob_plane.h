// One quantity as a plane over the knobs: the gradient of everything that was profiled, which the
// descents (GMD) follow with the profiles that bisection leaves. Relative least squares with a
// little ridge.
#pragma once

#include <Eigen/Dense>

#include "ridgewatt/tune/search_space.h"

namespace ridgewatt {

class KnobPlane {
 public:
  // A constant, the four knobs, and one more for the caller (the batch).
  static constexpr Eigen::Index kTerms = SearchSpace::kAxes + 1;
  using Row = Eigen::Matrix<double, kTerms, 1>;

  // For times the knobs are reciprocals, since each holds up its own share of the work; for powers
  // they are shares of their highest level. The last term is 0.
  static Row time_row(const SearchSpace& space, std::size_t index);
  static Row power_row(const SearchSpace& space, std::size_t index);
  // How much a point counts: more the nearer it is to the power budget. 1 without a budget.
  static double weight(double power_w, double budget_w);

  void add(const Row& row, double value, double weight);
  void fit();
  // A plane may fall below zero: kept above half of the least that was added.
  double at(const Row& row) const { return std::max(slopes_.dot(row), least_ / 2); }

 private:
  Eigen::Matrix<double, kTerms, kTerms> normal_ = Eigen::Matrix<double, kTerms, kTerms>::Zero();
  Row right_ = Row::Zero(), slopes_ = Row::Zero();
  double least_ = 0;
};

}  // namespace ridgewatt
