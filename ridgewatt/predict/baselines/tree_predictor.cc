#include "ridgewatt/predict/baselines/tree_predictor.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/predict/features.h"

#if defined(RIDGEWATT_XGBOOST)
#include <xgboost/c_api.h>
#endif

namespace ridgewatt {

#if defined(RIDGEWATT_XGBOOST)
namespace {

constexpr int kTreeRounds = 300;

void check(int status) {
  if (status != 0) throw Error("XGBoost failed", XGBGetLastError());
}

std::vector<float> row_major(const FeatureMatrix& x) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(x.size()));
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    for (Eigen::Index j = 0; j < x.cols(); ++j) values.push_back(static_cast<float>(x(i, j)));
  }
  return values;
}

class Matrix {
 public:
  explicit Matrix(const std::vector<float>& values) {
    check(
        XGDMatrixCreateFromMat(values.data(), values.size() / kFeatures, kFeatures, NAN, &handle_));
  }
  ~Matrix() { XGDMatrixFree(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  void set_labels(const std::vector<float>& labels) {
    check(XGDMatrixSetFloatInfo(handle_, "label", labels.data(), labels.size()));
  }
  DMatrixHandle handle() const { return handle_; }

 private:
  DMatrixHandle handle_ = nullptr;
};

class Booster {
 public:
  Booster(const std::vector<float>& x, const std::vector<float>& y, std::uint64_t seed) {
    Matrix matrix(x);
    matrix.set_labels(y);
    const DMatrixHandle handle = matrix.handle();
    check(XGBoosterCreate(&handle, 1, &handle_));
    const std::map<std::string, std::string> parameters = {
        {"objective", "reg:squarederror"},
        {"eta", "0.1"},
        {"max_depth", "4"},
        {"min_child_weight", "1"},
        {"subsample", "0.9"},
        {"nthread", "1"},
        {"seed", std::to_string(seed % 2147483647)},
        {"verbosity", "0"},
        {"base_score", std::to_string(mean_of(y))}};
    for (const auto& [name, value] : parameters) {
      check(XGBoosterSetParam(handle_, name.c_str(), value.c_str()));
    }
    for (int round = 0; round < kTreeRounds; ++round) {
      check(XGBoosterUpdateOneIter(handle_, round, matrix.handle()));
    }
  }
  ~Booster() { XGBoosterFree(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  std::vector<double> predict(const std::vector<float>& x) const {
    const Matrix matrix(x);
    bst_ulong size = 0;
    const float* values = nullptr;
    check(XGBoosterPredict(handle_, matrix.handle(), 0, 0, 0, &size, &values));
    return {values, values + size};
  }

 private:
  static double mean_of(const std::vector<float>& y) {
    double sum = 0;
    for (const float value : y) sum += value;
    return sum / static_cast<double>(y.size());
  }
  BoosterHandle handle_ = nullptr;
};

class TreePredictor : public Predictor {
 public:
  explicit TreePredictor(std::uint64_t seed) : seed_(seed) {}
  std::string name() const override { return "trees"; }

  void fit(std::span<const Observation> samples) override {
    if (samples.empty()) throw UsageError("no samples to learn from");
    std::vector<OperatingPoint> points;
    std::vector<float> time, power;
    for (const auto& sample : samples) {
      points.push_back(sample.point);
      time.push_back(static_cast<float>(std::log(sample.time_s)));
      power.push_back(static_cast<float>(std::log(sample.power_w)));
    }
    log_energy_ratio_ = std::log(energy_ratio(samples));
    space_ = FeatureSpace(points);
    const auto x = row_major(space_.features(points));
    time_ = std::make_unique<Booster>(x, time, seed_);
    power_ = std::make_unique<Booster>(x, power, seed_);
    time_deviation_ = deviation(time_->predict(x), time);
    power_deviation_ = deviation(power_->predict(x), power);
  }

  using Predictor::predict;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                  double interval) const override {
    if (!time_) throw UsageError("predict before fit");
    const auto x = row_major(space_.features(points));
    const auto time = time_->predict(x), power = power_->predict(x);
    const double z = normal_quantile(0.5 + interval / 2);
    const auto estimate = [z](double log, double deviation) {
      return Estimate{std::exp(log), std::exp(log - z * deviation), std::exp(log + z * deviation)};
    };
    std::vector<Prediction> result;
    for (std::size_t i = 0; i < points.size(); ++i) {
      result.push_back({estimate(time[i], time_deviation_), estimate(power[i], power_deviation_),
                        estimate(time[i] + power[i] + log_energy_ratio_,
                                 std::hypot(time_deviation_, power_deviation_))});
    }
    return result;
  }

 private:
  static double deviation(const std::vector<double>& predicted, const std::vector<float>& actual) {
    double sum = 0;
    for (std::size_t i = 0; i < actual.size(); ++i) sum += std::pow(predicted[i] - actual[i], 2);
    return std::sqrt(sum / static_cast<double>(actual.size()));
  }

  std::uint64_t seed_;
  FeatureSpace space_;
  std::unique_ptr<Booster> time_, power_;
  double time_deviation_ = 0, power_deviation_ = 0, log_energy_ratio_ = 0;
};

}  // namespace

bool trees_available() {
  return true;
}
std::unique_ptr<Predictor> make_tree_predictor(std::uint64_t seed) {
  return std::make_unique<TreePredictor>(seed);
}
#else
bool trees_available() {
  return false;
}
std::unique_ptr<Predictor> make_tree_predictor(std::uint64_t) {
  throw NotSupportedError("built without XGBoost", "--method trees",
                          "install libxgboost-dev and build again");
}
#endif

}  // namespace ridgewatt
