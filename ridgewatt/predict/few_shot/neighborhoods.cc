#include "ridgewatt/predict/few_shot/neighborhoods.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace ridgewatt::predict {

Neighborhoods::Neighborhoods(const FeatureMatrix& x,
                             const Eigen::Matrix<double, kFeatures, 1>& lengths,
                             std::size_t cell_points, std::size_t nearest_points)
    : scale_(lengths.cwiseInverse().transpose()) {
  number_points(x);
  std::vector<Eigen::Index> points(first_rows_.size());
  scaled_.resize(static_cast<Eigen::Index>(points.size()), kFeatures);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = static_cast<Eigen::Index>(i);
    scaled_.row(points[i]) = x.row(first_rows_[i]).cwiseProduct(scale_);
  }
  if (!points.empty()) add_node(points, cell_points);
  for (auto& cell : cells_) cell.nearest = nearest(cell, nearest_points);
}

void Neighborhoods::number_points(const FeatureMatrix& x) {
  std::map<std::array<double, kFeatures>, Eigen::Index> known;
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    std::array<double, kFeatures> key;
    for (int f = 0; f < kFeatures; ++f) key[static_cast<std::size_t>(f)] = x(row, f);
    const auto [point, fresh] = known.emplace(key, static_cast<Eigen::Index>(first_rows_.size()));
    if (fresh) first_rows_.push_back(row);
    point_of_row_.push_back(point->second);
  }
}

// Splits the points along the feature with the largest extent, between two different values that
// are as close to the median as possible.
std::size_t Neighborhoods::add_node(std::span<Eigen::Index> points, std::size_t cell_points) {
  const std::size_t index = nodes_.size();
  nodes_.emplace_back();
  Eigen::Index feature = 0;
  const FeatureMatrix own =
      scaled_(std::vector<Eigen::Index>(points.begin(), points.end()), Eigen::all);
  const double extent = (own.colwise().maxCoeff() - own.colwise().minCoeff()).maxCoeff(&feature);
  if (points.size() <= cell_points || !(extent > 0)) {
    nodes_[index].cell = static_cast<std::ptrdiff_t>(cells_.size());
    cells_.emplace_back().members.assign(points.begin(), points.end());
    std::sort(cells_.back().members.begin(), cells_.back().members.end());
    return index;
  }
  const auto value = [&](Eigen::Index point) { return scaled_(point, feature); };
  std::sort(points.begin(), points.end(), [&](Eigen::Index a, Eigen::Index b) {
    return std::pair(value(a), a) < std::pair(value(b), b);
  });
  const std::size_t half = points.size() / 2;
  std::size_t cut = 0;
  for (std::size_t step = 0; cut == 0; ++step) {
    for (const std::size_t at : {half + step, half - std::min(step, half)}) {
      if (at > 0 && at < points.size() && value(points[at - 1]) < value(points[at])) {
        cut = at;
        break;
      }
    }
  }
  const double middle = (value(points[cut - 1]) + value(points[cut])) / 2;
  const std::size_t below = add_node(points.first(cut), cell_points);
  const std::size_t other = add_node(points.subspan(cut), cell_points);
  nodes_[index].feature = static_cast<int>(feature);
  nodes_[index].value = middle;
  nodes_[index].below = below, nodes_[index].other = other;
  return index;
}

std::vector<Eigen::Index> Neighborhoods::nearest(const Cell& cell, std::size_t count) const {
  const FeatureMatrix own = scaled_(cell.members, Eigen::all);
  const Eigen::Matrix<double, 1, kFeatures> middle =
      (own.colwise().maxCoeff() + own.colwise().minCoeff()) / 2;
  const Eigen::VectorXd distance = (scaled_.rowwise() - middle).rowwise().squaredNorm();
  std::vector<Eigen::Index> points(static_cast<std::size_t>(scaled_.rows()));
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<Eigen::Index>(i);
  if (points.size() > count) {
    const auto end = points.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(points.begin(), end, points.end(), [&](Eigen::Index a, Eigen::Index b) {
      return std::pair(distance[a], a) < std::pair(distance[b], b);
    });
    points.erase(end, points.end());
    // All members of the cell, whatever its shape.
    points.insert(points.end(), cell.members.begin(), cell.members.end());
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
  }
  return points;
}

std::vector<std::vector<Eigen::Index>> Neighborhoods::rows_by_cell(const FeatureMatrix& x) const {
  std::vector<std::vector<Eigen::Index>> rows(cells_.size());
  for (Eigen::Index row = 0; row < x.rows(); ++row) {
    std::size_t at = 0;
    while (nodes_[at].cell < 0) {
      const Node& node = nodes_[at];
      at = x(row, node.feature) * scale_[node.feature] < node.value ? node.below : node.other;
    }
    rows[static_cast<std::size_t>(nodes_[at].cell)].push_back(row);
  }
  return rows;
}

}  // namespace ridgewatt::predict
