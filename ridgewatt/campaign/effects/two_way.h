// The statistics of board effects, of one quantity: a table boards x points with gaps, of which
//   value = level(point) + offset(board) + slope(board) (level(point) - mean level) + noise
// is fitted robustly. Everything is in natural logarithms.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "ridgewatt/campaign/board_effects.h"

namespace ridgewatt::campaign {

// With fewer degrees of freedom the noise is not known.
inline constexpr double kLeastDegrees = 0.9;

struct Cell {
  std::size_t board = 0, point = 0;
  double value = 0;
};

struct TwoWayFit {
  std::vector<double> level;     // by point
  Eigen::VectorXd offset;        // by board; their mean over ordinary boards is 0
  Eigen::VectorXd slope;         // the same
  Eigen::MatrixXd covariance;    // of (offsets, slopes), about those means
  std::vector<char> aside;       // by cell: was left out
  std::vector<double> residual;  // by cell
  std::vector<double> spread;    // by board: its noise over that of the others, at least 1
  std::vector<char> outlier;     // by board
  double mean_level = 0;
  double noise = 0;    // of a point of a board that is as steady as the others
  double degrees = 0;  // of freedom of the noise; below kLeastDegrees: not known

  double x(std::size_t point) const { return level[point] - mean_level; }
};

// What the fit begins with, past any minority of wrong points and boards: medians over boards and
// points in turn (Tukey's median polish), slopes by the median of pairwise slopes (Theil and Sen).
TwoWayFit robust_start(const std::vector<Cell>& cells, std::size_t boards, std::size_t points);

// Every board and every point has a cell and the table is connected. At least two boards.
TwoWayFit fit_two_way(const std::vector<Cell>& cells, std::size_t boards, std::size_t points,
                      const EffectOptions& options);

}  // namespace ridgewatt::campaign
