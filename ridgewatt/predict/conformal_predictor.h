// Intervals for a predictor of means, by cross-conformal prediction (Vovk 2015; Barber et al.
// 2021): every sampled point is predicted once by a model that did not learn from it, and the
// interval reaches as far as the share `interval` of those errors, relative to the prediction.
//
//   const auto make = [] { return std::make_unique<LinearPredictor>(); };
//   ConformalPredictor predictor(make(), make, {.folds = 20});
//
// Of n points drawn like those that are predicted, the error of rank ceil((n + 1) x interval) is
// the bound. A model of all samples errs less than one that misses a fold, by the square root of
// the share that this one learned from. With fewer points than samples_for_interval there is none:
// lo is 0 and hi infinite. At another value of a knob that the samples do not vary, the interval is
// wider (unvaried.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ridgewatt/predict/mean_predictor.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::predict {

// The fewest sampled points that have an interval of this probability: 9 for 0.9.
std::size_t samples_for_interval(double interval);

struct ConformalOptions {
  std::size_t folds = 10;  // models that learn from the others; each costs a fit
  std::uint64_t seed = 1;  // of the assignment of points to folds
  int threads = 0;         // models are fitted in parallel
};

class ConformalPredictor : public Predictor {
 public:
  using Maker = std::function<std::unique_ptr<MeanPredictor>()>;
  // `main` answers; `of_fold` makes one that differs only in what it learns from.
  ConformalPredictor(std::unique_ptr<MeanPredictor> main, Maker of_fold, ConformalOptions options)
      : main_(std::move(main)), of_fold_(std::move(of_fold)), options_(options) {}

  std::string name() const override { return main_->name(); }
  void fit(std::span<const Observation> samples) override;
  using Predictor::predict;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                  double interval) const override;

 private:
  struct Errors {  // |ln(measured / predicted)| of points that were not learned from
    double time = 0, power = 0, energy = 0;
  };
  Errors error(const Observation& measured, const Observation& predicted) const;

  std::unique_ptr<MeanPredictor> main_;
  Maker of_fold_;
  ConformalOptions options_;
  std::vector<double> time_, power_, energy_;  // errors, ascending
  AxisArray<double> fixed_{};
  double energy_ratio_ = 1;
};

}  // namespace ridgewatt::predict
