#include <algorithm>
#include <cmath>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/campaign/effects/two_way.h"

namespace ridgewatt::campaign {
namespace {

constexpr int kPolishRounds = 12;
constexpr std::size_t kPointsForSlope = 4;
constexpr double kLeastStep = 0.05;  // smallest difference in x for a slope between two points

double slope_by_pairs(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      if (std::abs(x[i] - x[j]) > kLeastStep) slopes.push_back((y[i] - y[j]) / (x[i] - x[j]));
    }
  }
  return slopes.size() < kPointsForSlope ? 0 : median(slopes);
}

class Polish {
 public:
  Polish(const std::vector<Cell>& cells, std::size_t boards, std::size_t points)
      : cells_(cells), of_board_(boards), of_point_(points) {
    fit_.level.assign(points, 0);
    fit_.offset = fit_.slope = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(boards));
    for (std::size_t c = 0; c < cells.size(); ++c) {
      of_board_[cells[c].board].push_back(c);
      of_point_[cells[c].point].push_back(c);
    }
  }

  TwoWayFit run() {
    for (int round = 0; round < kPolishRounds; ++round) {
      levels();
      if (round >= kPolishRounds / 3) slopes();
      offsets();
    }
    levels();
    for (const Cell& cell : cells_) fit_.residual.push_back(cell.value - without(cell, true));
    return std::move(fit_);
  }

 private:
  // Returns the contribution of the board to a cell, with or without the level of the point.
  double without(const Cell& cell, bool level) const {
    const auto b = static_cast<Eigen::Index>(cell.board);
    return fit_.offset[b] + fit_.slope[b] * fit_.x(cell.point) +
           (level ? fit_.level[cell.point] : 0);
  }
  void levels() {
    std::vector<double> level = fit_.level;
    for (std::size_t p = 0; p < of_point_.size(); ++p) {
      std::vector<double> values;
      for (const auto c : of_point_[p])
        values.push_back(cells_[c].value - without(cells_[c], false));
      level[p] = median(values);
    }
    fit_.level = level;
    fit_.mean_level = mean(level);
  }
  void slopes() {
    for (std::size_t b = 0; b < of_board_.size(); ++b) {
      std::vector<double> x, y;
      for (const auto c : of_board_[b]) {
        x.push_back(fit_.x(cells_[c].point));
        y.push_back(cells_[c].value - fit_.level[cells_[c].point]);
      }
      fit_.slope[static_cast<Eigen::Index>(b)] =
          x.size() < kPointsForSlope ? 0 : slope_by_pairs(x, y);
    }
    center(fit_.slope);
  }
  void offsets() {
    for (std::size_t b = 0; b < of_board_.size(); ++b) {
      const auto index = static_cast<Eigen::Index>(b);
      std::vector<double> values;
      for (const auto c : of_board_[b]) {
        values.push_back(cells_[c].value - fit_.level[cells_[c].point] -
                         fit_.slope[index] * fit_.x(cells_[c].point));
      }
      fit_.offset[index] = median(values);
    }
    center(fit_.offset);
  }
  static void center(Eigen::VectorXd& values) {
    values.array() -= median({values.data(), static_cast<std::size_t>(values.size())});
  }

  const std::vector<Cell>& cells_;
  std::vector<std::vector<std::size_t>> of_board_, of_point_;
  TwoWayFit fit_;
};

}  // namespace

TwoWayFit robust_start(const std::vector<Cell>& cells, std::size_t boards, std::size_t points) {
  return Polish(cells, boards, points).run();
}

}  // namespace ridgewatt::campaign
