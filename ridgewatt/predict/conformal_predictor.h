// Adds intervals to a predictor of means, by cross-conformal prediction (Vovk 2015; Barber et al.
// 2021): every sampled point is predicted once by a model that did not learn from it. A quantile of
// the relative errors of these predictions is the half-width of the interval.
//
//   const auto make = [] { return std::make_unique<LinearPredictor>(); };
//   ConformalPredictor predictor(make(), make, {.folds = 20});
//
// With n points drawn from the distribution of the predicted points, the bound is the error of rank
// ceil((n + 1) x interval). The final model learns from all samples, so its bound is multiplied by
// the square root of the share of samples that the model of a fold learns from. With fewer points
// than samples_for_interval(), lo is 0 and hi infinite. If a knob does not vary in the samples, the
// interval at its other values is wider (unvaried.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "ridgewatt/predict/mean_predictor.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/sweep/point_axis.h"

namespace ridgewatt::predict {

// The least number of sampled points for an interval of this probability: 9 for 0.9.
std::size_t samples_for_interval(double interval);

struct ConformalOptions {
  // Number of folds. For each fold, an additional model is fitted to the other folds.
  std::size_t folds = 10;
  std::uint64_t seed = 1;  // for the assignment of points to folds
  int threads = 0;         // for fitting the models in parallel; 0: all available
};

class ConformalPredictor : public Predictor {
 public:
  using Maker = std::function<std::unique_ptr<MeanPredictor>()>;
  // `main` predicts; `of_fold` creates an identical untrained model for one fold.
  ConformalPredictor(std::unique_ptr<MeanPredictor> main, Maker of_fold, ConformalOptions options)
      : main_(std::move(main)), of_fold_(std::move(of_fold)), options_(options) {}

  std::string name() const override { return main_->name(); }
  void fit(std::span<const Observation> samples) override;
  using Predictor::predict;
  std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                  double interval) const override;

 private:
  struct Errors {  // |ln(measured / predicted)| of points that the model did not learn from
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
