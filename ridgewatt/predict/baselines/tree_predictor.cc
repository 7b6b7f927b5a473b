#include "ridgewatt/predict/baselines/tree_predictor.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/shared_library.h"
#include "ridgewatt/predict/features.h"

namespace ridgewatt::predict {
namespace {

constexpr int kTreeRounds = 300;

// The functions of XGBoost's C interface that are used here (xgboost.readthedocs.io, "C package";
// unchanged since version 1.0). The library is opened on the first request for trees.
class Xgboost {
 public:
  using Handle = void*;
  const char* (*last_error)() = nullptr;
  int (*matrix_create)(const float*, std::uint64_t, std::uint64_t, float, Handle*) = nullptr;
  int (*matrix_set)(Handle, const char*, const float*, std::uint64_t) = nullptr;
  int (*matrix_free)(Handle) = nullptr;
  int (*booster_create)(const Handle*, std::uint64_t, Handle*) = nullptr;
  int (*booster_set)(Handle, const char*, const char*) = nullptr;
  int (*booster_update)(Handle, int, Handle) = nullptr;
  int (*booster_predict)(Handle, Handle, int, unsigned, int, std::uint64_t*,
                         const float**) = nullptr;
  int (*booster_free)(Handle) = nullptr;

  // Returns the library, or null if it is not installed. It stays open until the program ends.
  static const Xgboost* find() {
    static const Xgboost library;
    return library.complete_ ? &library : nullptr;
  }

 private:
  Xgboost() {
    void* handle = nullptr;
    for (const char* name : {"libxgboost.so.0", "libxgboost.so"}) {
      if (handle == nullptr) handle = open_library(name);
    }
    if (handle == nullptr) return;
    complete_ = true;
    const auto load = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
      complete_ = complete_ && function != nullptr;
    };
    load(last_error, "XGBGetLastError");
    load(matrix_create, "XGDMatrixCreateFromMat");
    load(matrix_set, "XGDMatrixSetFloatInfo");
    load(matrix_free, "XGDMatrixFree");
    load(booster_create, "XGBoosterCreate");
    load(booster_set, "XGBoosterSetParam");
    load(booster_update, "XGBoosterUpdateOneIter");
    load(booster_predict, "XGBoosterPredict");
    load(booster_free, "XGBoosterFree");
  }

  bool complete_ = false;
};

const Xgboost& xgboost() {
  const Xgboost* library = Xgboost::find();
  if (library == nullptr) {
    throw NotSupportedError(
        no_library("XGBoost"), "--method trees",
        "install libxgboost0 (Debian) or put libxgboost.so on the library path");
  }
  return *library;
}

void check(int status) {
  if (status != 0) throw Error("XGBoost failed", xgboost().last_error());
}

// Throws if the system refuses the memory that XGBoost and its threads need at once. XGBoost would
// terminate the program if it could not start a thread.
void require_memory() {
  constexpr std::size_t kBytes = std::size_t{64} << 20;  // chosen: thread stacks and more
  void* const probe = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (probe == MAP_FAILED) throw std::bad_alloc();
  ::munmap(probe, kBytes);
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
    require_memory();
    check(xgboost().matrix_create(values.data(), values.size() / kFeatures, kFeatures, NAN,
                                  &handle_));
  }
  ~Matrix() { xgboost().matrix_free(handle_); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  void set_labels(const std::vector<float>& labels) {
    check(xgboost().matrix_set(handle_, "label", labels.data(), labels.size()));
  }
  Xgboost::Handle handle() const { return handle_; }

 private:
  Xgboost::Handle handle_ = nullptr;
};

class Booster {
 public:
  Booster(const std::vector<float>& x, const std::vector<float>& y, std::uint64_t seed) {
    Matrix matrix(x);
    matrix.set_labels(y);
    const Xgboost::Handle handle = matrix.handle();
    check(xgboost().booster_create(&handle, 1, &handle_));
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
      check(xgboost().booster_set(handle_, name.c_str(), value.c_str()));
    }
    for (int round = 0; round < kTreeRounds; ++round) {
      check(xgboost().booster_update(handle_, round, matrix.handle()));
    }
  }
  ~Booster() { xgboost().booster_free(handle_); }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  std::vector<double> predict(const std::vector<float>& x) const {
    const Matrix matrix(x);
    std::uint64_t size = 0;
    const float* values = nullptr;
    check(xgboost().booster_predict(handle_, matrix.handle(), 0, 0, 0, &size, &values));
    return {values, values + size};
  }

 private:
  static double mean_of(const std::vector<float>& y) {
    double sum = 0;
    for (const float value : y) sum += value;
    return sum / static_cast<double>(y.size());
  }
  Xgboost::Handle handle_ = nullptr;
};

class TreePredictor : public MeanPredictor {
 public:
  explicit TreePredictor(std::uint64_t seed) : seed_(seed) {}
  std::string name() const override { return "trees"; }

  void fit(std::span<const Observation> samples) override {
    if (samples.empty()) throw UsageError("the predictor needs at least one sample");
    std::vector<OperatingPoint> points;
    std::vector<float> time, power;
    for (const auto& sample : samples) {
      points.push_back(sample.point);
      time.push_back(static_cast<float>(std::log(sample.time_s)));
      power.push_back(static_cast<float>(std::log(sample.power_w)));
    }
    space_ = FeatureSpace(points);
    const auto x = row_major(space_.features(points));
    time_ = std::make_unique<Booster>(x, time, seed_);
    power_ = std::make_unique<Booster>(x, power, seed_);
  }

  std::vector<Observation> predict(std::span<const OperatingPoint> points) const override {
    if (!time_) throw UsageError("the predictor must be fitted to samples before it predicts");
    const auto x = row_major(space_.features(points));
    const auto time = time_->predict(x), power = power_->predict(x);
    std::vector<Observation> result;
    for (std::size_t i = 0; i < points.size(); ++i) {
      result.push_back({points[i], std::exp(time[i]), std::exp(power[i])});
    }
    return result;
  }

 private:
  std::uint64_t seed_;
  FeatureSpace space_;
  std::unique_ptr<Booster> time_, power_;
};

}  // namespace

bool trees_available() {
  return Xgboost::find() != nullptr;
}
std::unique_ptr<MeanPredictor> make_tree_predictor(std::uint64_t seed) {
  xgboost();
  return std::make_unique<TreePredictor>(seed);
}

}  // namespace ridgewatt::predict
