// Decompositions of dense matrices. They are compiled once, in this module, because each file that
// instantiates one takes seconds to compile.
//
//   const EigenPairs pairs = symmetric_eigen(covariance);
//   const Eigen::MatrixXd root = pairs.vectors * pairs.values.cwiseSqrt().asDiagonal();
#pragma once

#include <Eigen/Core>

namespace ridgewatt {

struct EigenPairs {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // one per column
};
// Of a symmetric matrix; only its lower triangle is read.
EigenPairs symmetric_eigen(const Eigen::MatrixXd& matrix);

// Cholesky decomposition with a diagonal (LDL'). A singular matrix gives numbers that are not
// finite.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);
Eigen::MatrixXd symmetric_inverse(const Eigen::MatrixXd& matrix);

struct LeastSquares {
  Eigen::VectorXd x;
  Eigen::Index rank = 0;
};
// The x with the smallest |a x - b|; if several qualify, the shortest.
LeastSquares least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix);

}  // namespace ridgewatt
