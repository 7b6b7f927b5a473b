// Decompositions of dense matrices. Only this module compiles them, because each file that
// instantiates a decomposition takes seconds to compile.
//
//   const EigenPairs pairs = symmetric_eigen(covariance);
//   const Eigen::MatrixXd root = pairs.vectors * pairs.values.cwiseSqrt().asDiagonal();
#pragma once

#include <Eigen/Core>

namespace ridgewatt {

struct EigenPairs {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // one column per eigenvector
};
// Decomposes a symmetric matrix; only its lower triangle is read.
EigenPairs symmetric_eigen(const Eigen::MatrixXd& matrix);

// Both functions use the LDL' decomposition of a symmetric matrix. If it is singular, the result is
// not finite.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);
Eigen::MatrixXd symmetric_inverse(const Eigen::MatrixXd& matrix);

struct LeastSquares {
  Eigen::VectorXd x;
  Eigen::Index rank = 0;
};
// Returns the x that minimizes |a x - b|; the shortest one if there are several.
LeastSquares least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix);

}  // namespace ridgewatt
