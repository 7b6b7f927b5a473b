#include "ridgewatt/campaign/effects/two_way.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/numerics/dense.h"

namespace ridgewatt::campaign {
namespace {

using Eigen::Index;

constexpr int kMostRounds = 12;
constexpr double kSettled = 1e-10;
constexpr double kFalseAlarms = 0.01;     // probability of leaving out a correct cell, per table
constexpr double kMostAside = 1.0 / 3.0;  // of a board's points; beyond that the board is unsteady
constexpr double kUnsteady = 2.5;         // relative to the median noise of the boards
constexpr std::size_t kPointsForSpread = 4;
constexpr double kFarFromOthers = 3.5;  // in robust standard deviations over the boards
// At least two boards need this number of points; with fewer, slopes would absorb the noise.
constexpr std::size_t kPointsForSlopes = 4;
constexpr double kNoSlope = 1e-6;
constexpr double kLeastNoise = 1e-3;              // no measurement is more precise
constexpr double kAssumedNoise = 0.015;           // if the table cannot show the noise
constexpr double kQuartile = 0.6744897501960817;  // 75 % quantile, standard normal

class Fit {
 public:
  Fit(const std::vector<Cell>& cells, std::size_t boards, std::size_t points,
      const EffectOptions& options)
      : cells_(cells), options_(options), boards_(boards), points_(points) {
    std::vector<std::size_t> count(boards, 0);
    for (const Cell& cell : cells) ++count[cell.board];
    slopes_ = std::count_if(count.begin(), count.end(),
                            [](std::size_t one) { return one >= kPointsForSlopes; }) > 1;
    start();
  }

  TwoWayFit run() {
    for (int round = 0; round < kMostRounds; ++round) {
      const Eigen::VectorXd before = fit_.offset;
      const auto aside_before = fit_.aside;
      const auto outlier_before = fit_.outlier;
      solve();
      find_outliers();
      recenter();
      judge(false);
      const bool same = fit_.aside == aside_before && fit_.outlier == outlier_before;
      if (same && (fit_.offset - before).cwiseAbs().maxCoeff() < kSettled) break;
    }
    if (!slopes_) forget_slopes();
    return std::move(fit_);
  }

 private:
  double n() const { return static_cast<double>(cells_.size()); }

  void start() {
    fit_ = robust_start(cells_, boards_, points_);
    fit_.aside.assign(cells_.size(), 0);
    fit_.spread.assign(boards_, 1);
    fit_.outlier.assign(boards_, 0);
    // Medians fit as many cells exactly as there are parameters. Only the other cells show the
    // noise.
    const auto parameters = static_cast<double>(points_ + 2 * boards_) - 2;
    fit_.degrees = std::max(1.0, n() - parameters);
    std::vector<double> sizes;
    for (const double r : fit_.residual) sizes.push_back(std::abs(r));
    std::sort(sizes.begin(), sizes.end());
    const auto first = sizes.size() - static_cast<std::size_t>(fit_.degrees);
    fit_.noise = median(std::span(sizes).subspan(first)) / kQuartile;
    judge(true);
  }

  // Finds the cells that do not fit and the boards that are unsteady. The residual of a fitted cell
  // is smaller than its noise; that of a cell that was left out is larger.
  void judge(bool started) {
    const double degrees = std::max(1.0, fit_.degrees);
    const double taken = started ? 0 : std::clamp(1 - degrees / n(), 0.0, 0.9);
    const double bound = student_quantile(1 - kFalseAlarms / 2 / n(), degrees);
    std::vector<char> far(cells_.size(), 0);
    std::vector<std::size_t> count(boards_, 0), far_count(boards_, 0);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const double factor = std::sqrt(fit_.aside[c] != 0 ? 1 + taken : 1 - taken);
      const double limit = std::max(options_.least_outlier,
                                    bound * fit_.noise * fit_.spread[cells_[c].board] * factor);
      far[c] = std::abs(fit_.residual[c]) > limit ? 1 : 0;
      ++count[cells_[c].board];
      far_count[cells_[c].board] += static_cast<std::size_t>(far[c]);
    }
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      const auto b = cells_[c].board;
      const double most = std::max(1.0, std::floor(kMostAside * static_cast<double>(count[b])));
      if (static_cast<double>(far_count[b]) > most) far[c] = 0;
    }
    fit_.aside = far;
    judge_spread(1 - taken);
  }

  void judge_spread(double left) {
    std::vector<double> own(boards_, 0), count(boards_, 0), all;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (fit_.aside[c] != 0) continue;
      own[cells_[c].board] += fit_.residual[c] * fit_.residual[c];
      ++count[cells_[c].board];
    }
    for (std::size_t b = 0; b < boards_; ++b) {
      own[b] = count[b] > 0 ? std::sqrt(own[b] / count[b] / left) : 0;
      if (count[b] >= kPointsForSpread) all.push_back(own[b]);
    }
    fit_.spread.assign(boards_, 1);
    if (all.size() < 3) return;  // with two boards, it is unknown which one is unsteady
    const double usual = median(all);
    for (std::size_t b = 0; b < boards_; ++b) {
      const bool unsteady = count[b] >= kPointsForSpread && own[b] > kUnsteady * usual &&
                            own[b] > options_.least_outlier;
      if (unsteady) fit_.spread[b] = own[b] / std::max(usual, kLeastNoise);
    }
  }

  double weight(std::size_t c) const {
    const double spread = fit_.spread[cells_[c].board];
    return fit_.aside[c] != 0 ? 0 : 1 / (spread * spread);
  }

  // Solves for offsets and slopes, after subtracting the weighted mean over the boards at each
  // point.
  void solve() {
    const auto size = static_cast<Index>(2 * boards_);
    const auto half = static_cast<Index>(boards_);
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(size);
    std::vector<std::vector<std::size_t>> of_point(points_);
    std::size_t kept = 0, kept_points = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      if (fit_.aside[c] == 0) of_point[cells_[c].point].push_back(c);
    }
    for (std::size_t p = 0; p < points_; ++p) {
      kept += of_point[p].size();
      kept_points += of_point[p].empty() ? 0 : 1;
      add_point(p, of_point[p], information, right);
    }
    const double noise = std::max(fit_.noise, kLeastNoise);
    Eigen::MatrixXd with_prior = information;
    for (Index i = 0; i < size; ++i) {
      const double slope = slopes_ ? options_.slope_prior : kNoSlope;
      const double prior = (i < half ? options_.offset_prior : slope) / noise;
      with_prior(i, i) += 1 / (prior * prior);
    }
    const Eigen::MatrixXd inverse = symmetric_inverse(with_prior);
    const Eigen::VectorXd solution = inverse * right;
    fit_.offset = solution.head(half);
    fit_.slope = solution.tail(half);
    const double parameters = (inverse * information).trace();
    fit_.degrees = static_cast<double>(kept) - static_cast<double>(kept_points) - parameters;
    set_levels(of_point);
    set_noise();
    const double now = std::max(fit_.noise, kLeastNoise);
    fit_.covariance = now * now * inverse;
  }

  void add_point(std::size_t p, const std::vector<std::size_t>& cells, Eigen::MatrixXd& information,
                 Eigen::VectorXd& right) const {
    const auto half = static_cast<Index>(boards_);
    const double x = fit_.x(p);
    double sum = 0, mean = 0;
    for (const auto c : cells) {
      sum += weight(c);
      mean += weight(c) * cells_[c].value;
    }
    if (!(sum > 0)) return;
    mean /= sum;
    for (const auto c : cells) {
      const auto b = static_cast<Index>(cells_[c].board);
      const double deviation = weight(c) * (cells_[c].value - mean);
      right[b] += deviation;
      right[half + b] += x * deviation;
      for (const auto d : cells) {
        const auto e = static_cast<Index>(cells_[d].board);
        const double entry = (c == d ? weight(c) : 0) - weight(c) * weight(d) / sum;
        information(b, e) += entry;
        information(half + b, e) += x * entry;
        information(b, half + e) += x * entry;
        information(half + b, half + e) += x * x * entry;
      }
    }
  }

  double of_board(const Cell& cell) const {
    const auto b = static_cast<Index>(cell.board);
    return fit_.offset[b] + fit_.slope[b] * fit_.x(cell.point);
  }

  // The level of a point whose cells were all left out does not change.
  void set_levels(const std::vector<std::vector<std::size_t>>& of_point) {
    std::vector<double> level = fit_.level;
    for (std::size_t p = 0; p < points_; ++p) {
      double sum = 0, weights = 0;
      for (const auto c : of_point[p]) {
        sum += weight(c) * (cells_[c].value - of_board(cells_[c]));
        weights += weight(c);
      }
      if (weights > 0) level[p] = sum / weights;
    }
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      fit_.residual[c] = cells_[c].value - of_board(cells_[c]) - level[cells_[c].point];
    }
    fit_.level = level;
  }

  void set_noise() {
    double sum = 0;
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      sum += weight(c) * fit_.residual[c] * fit_.residual[c];
    }
    fit_.noise = fit_.degrees < kLeastDegrees ? kAssumedNoise : std::sqrt(sum / fit_.degrees);
  }

  // An outlier is farther from the median board than the largest published difference between
  // devices of one kind, even with its interval subtracted, and far compared with the spread of the
  // boards.
  void find_outliers() {
    const std::span<const double> offsets(fit_.offset.data(), boards_);
    const double middle = median(offsets);
    const double spread = median_absolute_deviation(offsets);
    const double quantile = student_quantile(0.95, std::max(1.0, fit_.degrees));
    for (std::size_t b = 0; b < boards_; ++b) {
      const double away = std::abs(offsets[b] - middle);
      const auto i = static_cast<Index>(b);
      const double deviation = contrast_deviation(i);
      const bool beyond = away - quantile * deviation > std::log1p(kLargestPublishedDifference);
      fit_.outlier[b] = boards_ > 2 && beyond && away > kFarFromOthers * spread ? 1 : 0;
    }
  }

  // Returns the standard deviation of a board's offset relative to the mean of all boards.
  double contrast_deviation(Index board) const {
    const auto half = static_cast<Index>(boards_);
    Eigen::VectorXd contrast = Eigen::VectorXd::Zero(2 * half);
    contrast.head(half).setConstant(-1 / static_cast<double>(boards_));
    contrast[board] += 1;
    return std::sqrt(std::max(0.0, contrast.dot(fit_.covariance * contrast)));
  }

  // Makes offsets and slopes relative to the mean of the ordinary boards, and adapts the levels.
  void recenter() {
    const auto half = static_cast<Index>(boards_);
    Eigen::VectorXd ordinary(half);
    for (Index b = 0; b < half; ++b)
      ordinary[b] = fit_.outlier[static_cast<std::size_t>(b)] ? 0 : 1;
    ordinary /= ordinary.sum();
    const double offset = ordinary.dot(fit_.offset), slope = ordinary.dot(fit_.slope);
    for (std::size_t p = 0; p < points_; ++p) fit_.level[p] += offset + slope * fit_.x(p);
    fit_.mean_level = mean(fit_.level);
    fit_.offset.array() -= offset;
    fit_.slope.array() -= slope;
    Eigen::MatrixXd about = Eigen::MatrixXd::Identity(2 * half, 2 * half);
    about.topLeftCorner(half, half).rowwise() -= ordinary.transpose();
    about.bottomRightCorner(half, half).rowwise() -= ordinary.transpose();
    fit_.covariance = about * fit_.covariance * about.transpose();
  }

  // Slopes were fixed at 0 in the fit, so they keep their prior variance.
  void forget_slopes() {
    const auto half = static_cast<Index>(boards_);
    fit_.slope.setZero();
    fit_.covariance.topRightCorner(half, half).setZero();
    fit_.covariance.bottomLeftCorner(half, half).setZero();
    fit_.covariance.bottomRightCorner(half, half) =
        options_.slope_prior * options_.slope_prior * Eigen::MatrixXd::Identity(half, half);
  }

  const std::vector<Cell>& cells_;
  const EffectOptions& options_;
  std::size_t boards_, points_;
  bool slopes_ = true;
  TwoWayFit fit_;
};

}  // namespace

TwoWayFit fit_two_way(const std::vector<Cell>& cells, std::size_t boards, std::size_t points,
                      const EffectOptions& options) {
  return Fit(cells, boards, points, options).run();
}

}  // namespace ridgewatt::campaign
