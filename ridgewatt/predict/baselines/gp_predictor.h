// A Gaussian process on ln(time) and ln(power) over the logarithms of knobs and batch: a baseline
// without knowledge about accelerators (Rasmussen and Williams 2006, algorithm 2.1).
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/predict/few_shot/gaussian_process.h"
#include "ridgewatt/predict/mean_predictor.h"

namespace ridgewatt::predict {

class GpPredictor : public MeanPredictor {
 public:
  std::string name() const override { return "gp"; }
  void fit(std::span<const Observation> samples) override;
  std::vector<Observation> predict(std::span<const OperatingPoint> points) const override;

 private:
  // One quantity: a process on the standardized logarithms of its samples.
  struct Quantity {
    GaussianProcess process;
    double center = 0, scale = 1;
    void fit(const FeatureMatrix& inputs, Eigen::VectorXd logs);
    Eigen::VectorXd predict(const FeatureMatrix& inputs) const;
  };
  // Standardized logarithms, one row per point; 0 for an axis that the samples do not vary.
  FeatureMatrix inputs_of(std::span<const OperatingPoint> points) const;

  std::vector<double> center_, scale_;  // per axis; a scale of 0: the samples do not vary it
  Quantity time_, power_;
};

}  // namespace ridgewatt::predict
