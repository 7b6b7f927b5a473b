// The fit of board effects (campaign/board_effects.h) for one quantity. A table of boards and
// points, which may have gaps, is fitted robustly by
//   value = level(point) + offset(board) + slope(board) (level(point) - mean level) + noise
// All values are natural logarithms.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "ridgewatt/campaign/board_effects.h"

namespace ridgewatt::campaign {

// With fewer degrees of freedom, the noise counts as unknown.
inline constexpr double kLeastDegrees = 0.9;

struct Cell {
  std::size_t board = 0, point = 0;
  double value = 0;
};

struct TwoWayFit {
  std::vector<double> level;     // by point
  Eigen::VectorXd offset;        // by board; the mean over ordinary boards is 0
  Eigen::VectorXd slope;         // by board; the mean over ordinary boards is 0
  Eigen::MatrixXd covariance;    // of offsets and slopes, relative to these means
  std::vector<char> aside;       // by cell: whether it was left out of the fit
  std::vector<double> residual;  // by cell
  std::vector<double> spread;    // by board: noise relative to the other boards, at least 1
  std::vector<char> outlier;     // by board
  double mean_level = 0;
  double noise = 0;    // standard deviation of a point on a board with ordinary noise
  double degrees = 0;  // degrees of freedom of the noise; below kLeastDegrees: unknown

  double x(std::size_t point) const { return level[point] - mean_level; }
};

// Returns the start of the fit. It is robust against a minority of wrong points and boards:
// alternating medians over boards and points (Tukey's median polish), and medians of pairwise
// slopes (Theil and Sen).
TwoWayFit robust_start(const std::vector<Cell>& cells, std::size_t boards, std::size_t points);

// Fits the table. Requires at least two boards, a cell for every board and every point, and a
// connected table.
TwoWayFit fit_two_way(const std::vector<Cell>& cells, std::size_t boards, std::size_t points,
                      const EffectOptions& options);

}  // namespace ridgewatt::campaign
