#include "ridgewatt/numerics/dense.h"

#include <gtest/gtest.h>

namespace ridgewatt {
namespace {

// Computed by hand: the matrix 2 1 / 1 2 has the eigenvalues 1 and 3, with eigenvectors (1, -1) and
// (1, 1).
TEST(Dense, EigenvaluesAndInverseOfASymmetricMatrix) {
  Eigen::MatrixXd matrix(2, 2);
  matrix << 2, 7, 1, 2;  // the upper triangle is not read
  const EigenPairs pairs = symmetric_eigen(matrix);
  EXPECT_NEAR(pairs.values[0], 1, 1e-12);
  EXPECT_NEAR(pairs.values[1], 3, 1e-12);
  EXPECT_NEAR(pairs.vectors(0, 0), -pairs.vectors(1, 0), 1e-12);
  EXPECT_NEAR(pairs.vectors(0, 1), pairs.vectors(1, 1), 1e-12);
  const Eigen::MatrixXd inverse = symmetric_inverse(matrix);
  EXPECT_NEAR(inverse(0, 0), 2.0 / 3, 1e-12);
  EXPECT_NEAR(inverse(1, 0), -1.0 / 3, 1e-12);
  const Eigen::VectorXd x = solve_symmetric(matrix, Eigen::Vector2d(3, 0));
  EXPECT_NEAR(x[0], 2, 1e-12);
  EXPECT_NEAR(x[1], -1, 1e-12);
}

// A line through (0, 1), (1, 3), (2, 5), and one equation with two unknowns, for which the shortest
// solution is expected.
TEST(Dense, LeastSquares) {
  Eigen::MatrixXd a(3, 2);
  a << 1, 0, 1, 1, 1, 2;
  const LeastSquares line = least_squares(a, Eigen::Vector3d(1, 3, 5));
  EXPECT_EQ(line.rank, 2);
  EXPECT_NEAR(line.x[0], 1, 1e-12);
  EXPECT_NEAR(line.x[1], 2, 1e-12);
  Eigen::MatrixXd row(1, 2);
  row << 3, 4;
  const LeastSquares shortest = least_squares(row, Eigen::VectorXd::Constant(1, 25));
  EXPECT_EQ(shortest.rank, 1);
  EXPECT_NEAR(shortest.x[0], 3, 1e-12);
  EXPECT_NEAR(shortest.x[1], 4, 1e-12);
  EXPECT_NEAR(pseudo_inverse(row)(1, 0), 4.0 / 25, 1e-12);
}

}  // namespace
}  // namespace ridgewatt
