// The error of a twin for one workload over many operating points, as a Gaussian process. A few
// profiles reduce the error. Correlations give the uncertainty of the ratio of two points.
//
//   TwinDoubt doubt(points, view);           // before any profile
//   doubt.learn(3, seen);                    // the measured result of points[3]
//   const auto [time, power] = doubt.at(7);  // ln(s) and ln(W): mean and standard deviation
//   doubt.ratio_sd(7, 3, twin::kTime);       // of ln(time at 7 / time at 3), before any profile
//
// ln(measured / modelled) is Gaussian, independently for time and power. The covariance between two
// points is the sum of (docs/methods/estimate_error.md#between-points)
// * a part common to all points: the error of the estimate itself;
// * a part due to the difference between the workload and the fitted ones, computed from twins
//   whose parameters vary randomly around the fitted ones (kWorkloadSpread);
// * a part that is smooth in the logarithms of knobs and batch: the error of the model's form;
// * an independent part of each point.
//
// A measurement adds its noise. The smooth and the independent part are maximum-likelihood fits to
// the inference sweeps of the AGX Orin.
#pragma once

#include <Eigen/Cholesky>
#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "ridgewatt/sweep/observation.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::tune {

// A twin applied to a workload, and a function to apply twins with other parameters to it.
struct TwinView {
  // Returns time (s) and power (W) of every point according to a twin, as a measurement would
  // report them.
  using Modelled = std::function<std::vector<twin::TimePower>(const twin::Twin&,
                                                              std::span<const OperatingPoint>)>;
  const twin::Twin& twin;
  Modelled modelled;
  // Standard deviation of ln(measured / modelled) that all points share, for time and for power.
  std::array<double, 2> common_sd = {0.1, 0.1};
};

class TwinDoubt {
 public:
  // Standard deviation of ln(parameter) between workloads.
  static constexpr double kWorkloadSpread = 0.2;
  static constexpr std::size_t kDrawnTwins = 64;

  // `noise` is the relative standard deviation of a measurement. The random twins are the same for
  // all objects. Throws UsageError if `view` does not return one value per point.
  TwinDoubt(std::span<const OperatingPoint> points, const TwinView& view, double noise = 0.01);

  std::size_t size() const { return modelled_.size(); }
  const twin::TimePower& modelled(std::size_t point) const { return modelled_[point]; }
  // Adds a measurement. Throws UsageError if its time or power is not positive.
  void learn(std::size_t point, const Observation& seen);

  struct LogNormal {
    double mean = 0, sd = 0;  // of the logarithm of the SI value
  };
  struct Outcome {
    LogNormal time, power;
  };
  // Mean and standard deviation at a point given all learned measurements, without measurement
  // noise.
  Outcome at(std::size_t point) const;
  // Standard deviation of ln(value at `point` / value at `reference`) before any profile.
  // `quantity` is twin::kTime or twin::kPower.
  double ratio_sd(std::size_t point, std::size_t reference, std::size_t quantity) const;
  // Covariance of ln(measured / modelled) at two points before any profile.
  double covariance(std::size_t quantity, std::size_t a, std::size_t b) const;

 private:
  LogNormal believed(std::size_t quantity, std::size_t point, double modelled) const;

  double noise_;
  std::array<double, 2> common_sd_;
  std::vector<twin::TimePower> modelled_;
  Eigen::MatrixXd places_;  // one column per point: logarithms of its axes
  // One column per point: drawn twins, divided by sqrt(count - 1).
  std::array<Eigen::MatrixXd, 2> deviations_;
  std::vector<std::size_t> learned_;
  std::array<std::vector<double>, 2> residuals_;  // of the learned measurements
  std::array<Eigen::LLT<Eigen::MatrixXd>, 2> factors_;
  std::array<Eigen::VectorXd, 2> weights_;
};

}  // namespace ridgewatt::tune
