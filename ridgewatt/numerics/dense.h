// Decompositions of dense matrices. They are compiled only in this module, since each file that
// instantiates one takes seconds to compile.
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

// Both use the LDL' decomposition of a symmetric matrix. For a singular matrix the result is not
// finite.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);
Eigen::MatrixXd symmetric_inverse(const Eigen::MatrixXd& matrix);

struct LeastSquares {
  Eigen::VectorXd x;
  Eigen::Index rank = 0;
};
// The x that minimizes |a x - b|; if there are several, the shortest.
LeastSquares least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix);

}  // namespace ridgewatt
