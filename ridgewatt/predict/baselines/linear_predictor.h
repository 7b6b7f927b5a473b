// The linear baseline of the energy-of-training study (SIGMETRICS 2022): least squares on CPU
// clock, cores, GPU clock, memory clock and a constant; time from modes, energy from modes and
// predicted time, power as energy over time. With fewer samples than coefficients: minimum norm.
#pragma once

#include <vector>

#include "ridgewatt/predict/predictor.h"

namespace ridgewatt::predict {

class LinearPredictor : public Predictor {
 public:
  std::string name() const override { return "linear"; }
  void fit(std::span<const Observation> samples) override;
  using Predictor::predict;
  // A plane may go below zero: means are kept above a tenth of the least sample. Intervals are
  // those of the residuals with the degrees of freedom that are left.
  std::vector<Prediction> predict(std::span<const OperatingPoint> points,
                                  double interval) const override;

 private:
  std::vector<double> row(const OperatingPoint& point) const;

  std::vector<double> center_, scale_;  // of knobs and batch; scale 0: does not vary
  std::vector<double> time_, energy_;   // coefficients
  double energy_ratio_ = 1;
  double least_time_s_ = 0, least_energy_j_ = 0, least_power_w_ = 0;
  double time_deviation_ = 0, energy_deviation_ = 0;
};

}  // namespace ridgewatt::predict
