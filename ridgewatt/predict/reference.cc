#include "ridgewatt/predict/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/predict/features.h"

namespace ridgewatt::predict {
namespace {

constexpr std::size_t kNearest = 8;

class RowTable {
 public:
  explicit RowTable(std::vector<Observation> rows) : rows_(std::move(rows)) {
    std::vector<OperatingPoint> points;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      points.push_back(rows_[i].point);
      index_.emplace(rows_[i].point, i);
    }
    space_ = FeatureSpace(points);
    x_ = space_.features(points);
    log_time_.resize(x_.rows());
    log_power_.resize(x_.rows());
    for (Eigen::Index i = 0; i < x_.rows(); ++i) {
      log_time_[i] = std::log(rows_[static_cast<std::size_t>(i)].time_s);
      log_power_[i] = std::log(rows_[static_cast<std::size_t>(i)].power_w);
    }
  }

  std::vector<Observation> at(std::span<const OperatingPoint> points) const {
    std::vector<Observation> result;
    result.reserve(points.size());
    for (const auto& point : points) {
      const auto found = index_.find(point);
      result.push_back(found != index_.end() ? rows_[found->second] : interpolate(point));
    }
    return result;
  }

 private:
  Observation interpolate(const OperatingPoint& point) const {
    const FeatureMatrix x = space_.features({&point, 1});
    const Eigen::VectorXd squared = (x_.rowwise() - x.row(0)).rowwise().squaredNorm();
    std::vector<Eigen::Index> order(static_cast<std::size_t>(squared.size()));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Eigen::Index>(i);
    const std::size_t count = std::min(kNearest, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](Eigen::Index a, Eigen::Index b) {
                        return squared[a] != squared[b] ? squared[a] < squared[b] : a < b;
                      });
    double total = 0, log_time = 0, log_power = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = 1 / (squared[order[i]] + 1e-6);
      total += weight;
      log_time += weight * log_time_[order[i]];
      log_power += weight * log_power_[order[i]];
    }
    return {point, std::exp(log_time / total), std::exp(log_power / total)};
  }

  std::vector<Observation> rows_;
  std::map<OperatingPoint, std::size_t> index_;
  FeatureSpace space_;
  FeatureMatrix x_;
  Eigen::VectorXd log_time_, log_power_;
};

}  // namespace

Reference reference_from_rows(std::string name, std::vector<Observation> rows) {
  if (rows.empty())
    throw UsageError("the reference sweep has no rows", name,
                     "give at least one row below the header");
  Reference reference;
  reference.name = std::move(name);
  reference.other_workload = true;
  for (const auto& row : rows) reference.points.push_back(row.point);
  const auto table = std::make_shared<const RowTable>(std::move(rows));
  reference.at = [table](std::span<const OperatingPoint> points) { return table->at(points); };
  return reference;
}

}  // namespace ridgewatt::predict
