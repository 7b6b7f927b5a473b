#include "ridgewatt/numerics/dense.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace ridgewatt {

EigenPairs symmetric_eigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right) {
  return matrix.ldlt().solve(right);
}

Eigen::MatrixXd symmetric_inverse(const Eigen::MatrixXd& matrix) {
  return matrix.ldlt().solve(Eigen::MatrixXd::Identity(matrix.rows(), matrix.cols()));
}

LeastSquares least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> decomposition(a);
  return {decomposition.solve(b), decomposition.rank()};
}

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& matrix) {
  return matrix.completeOrthogonalDecomposition().pseudoInverse();
}

}  // namespace ridgewatt
