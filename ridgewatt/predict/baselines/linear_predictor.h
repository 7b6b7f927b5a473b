// The linear baseline of the energy-of-training study (SIGMETRICS 2023): least squares on CPU
// clock, cores, GPU clock, memory clock and a constant. Time is predicted from the mode, energy
// from the mode and predicted time, and power is energy over time. With fewer samples than
// coefficients, the solution of minimum norm is used.
#pragma once

#include <vector>

#include "ridgewatt/predict/mean_predictor.h"

namespace ridgewatt::predict {

class LinearPredictor : public MeanPredictor {
 public:
  std::string name() const override { return "linear"; }
  void fit(std::span<const Observation> samples) override;
  // Predictions are at least a tenth of the smallest sample, since the linear function may become
  // negative.
  std::vector<Observation> predict(std::span<const OperatingPoint> points) const override;

 private:
  std::vector<double> row(const OperatingPoint& point) const;

  std::vector<double> center_, scale_;  // of knobs and batch; scale 0: does not vary
  std::vector<double> time_, energy_;   // coefficients
  double energy_ratio_ = 1;
  double least_time_s_ = 0, least_energy_j_ = 0, least_power_w_ = 0;
};

}  // namespace ridgewatt::predict
