// Neighborhoods for Gaussian processes that use only the nearest samples: the distinct points of
// many samples, divided into cells of neighbors by a k-d tree (Bentley 1975).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ridgewatt/predict/features.h"

namespace ridgewatt::predict {

class Neighborhoods {
 public:
  struct Cell {
    std::vector<Eigen::Index> members;  // points of the cell, ascending
    std::vector<Eigen::Index> nearest;  // points nearest to its center, ascending
  };

  // Distances use the columns divided by `lengths`. A cell has up to `cell_points` members.
  // `nearest` has its `nearest_points` nearest points, or all.
  Neighborhoods(const FeatureMatrix& x, const Eigen::Matrix<double, kFeatures, 1>& lengths,
                std::size_t cell_points, std::size_t nearest_points);

  // The point of each row of `x`. Equal rows are one point. Points are in the order of their first
  // row.
  const std::vector<Eigen::Index>& point_of_row() const { return point_of_row_; }
  const std::vector<Eigen::Index>& first_rows() const { return first_rows_; }
  const std::vector<Cell>& cells() const { return cells_; }
  // The rows of `x`, grouped by the cell that contains them.
  std::vector<std::vector<Eigen::Index>> rows_by_cell(const FeatureMatrix& x) const;

 private:
  // A leaf has a cell. In another node, rows with `feature` below `value` continue at node `below`,
  // others at node `other`.
  struct Node {
    int feature = 0;
    double value = 0;
    std::size_t below = 0, other = 0;
    std::ptrdiff_t cell = -1;
  };
  void number_points(const FeatureMatrix& x);
  std::size_t add_node(std::span<Eigen::Index> points, std::size_t cell_points);
  std::vector<Eigen::Index> nearest(const Cell& cell, std::size_t count) const;

  FeatureMatrix scaled_;  // of the points
  Eigen::Matrix<double, 1, kFeatures> scale_;
  std::vector<Eigen::Index> point_of_row_, first_rows_;
  std::vector<Node> nodes_;
  std::vector<Cell> cells_;
};

}  // namespace ridgewatt::predict
