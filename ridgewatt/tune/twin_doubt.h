// The error of a twin for one workload over many operating points: a belief that a few profiles
// narrow down, and that gives the uncertainty of the ratio of two points.
//
//   TwinDoubt doubt(points, view);           // before any profile
//   doubt.learn(3, seen);                    // what was measured at points[3]
//   const auto [time, power] = doubt.at(7);  // logarithms of seconds and watts: mean and deviation
//   doubt.ratio_sd(7, 3, twin::kTime);       // of ln(time at 7 / time at 3), before any profile
//
// ln(measured / modelled) is Gaussian, independently for time and power. Its covariance between two
// points is the sum of (docs/methods/estimate_error.md#between-points)
// * a part common to all points: the error of the estimate itself;
// * the difference between the workload and the fitted ones, estimated from twins with random
// parameters around the fitted ones (kWorkloadSpread), which show how points are correlated;
// * a smooth part over the logarithms of knobs and batch, for the form of the model;
// * an independent part of each point, and the noise of a measurement.
// The last two have maximum likelihood on the inference sweeps of the AGX Orin.
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

// A twin's view of a workload, from which twins with other parameters can be evaluated.
struct TwinView {
  // Seconds and watts of every point according to a twin, as measuring would show them.
  using Modelled = std::function<std::vector<twin::TimePower>(const twin::Twin&,
                                                              std::span<const OperatingPoint>)>;
  const twin::Twin& twin;
  Modelled modelled;
  // Deviation of ln(measured / modelled) of time and of power that all points share.
  std::array<double, 2> common_sd = {0.1, 0.1};
};

class TwinDoubt {
 public:
  // The deviation of the logarithm of each parameter for one workload.
  static constexpr double kWorkloadSpread = 0.2;
  static constexpr std::size_t kDrawnTwins = 64;

  // `noise`: relative deviation of a measurement. The same twins are drawn every time.
  TwinDoubt(std::span<const OperatingPoint> points, const TwinView& view, double noise = 0.01);

  std::size_t size() const { return modelled_.size(); }
  const twin::TimePower& modelled(std::size_t point) const { return modelled_[point]; }
  void learn(std::size_t point, const Observation& seen);

  struct LogNormal {
    double mean = 0, sd = 0;  // of the logarithm of the SI value
  };
  struct Outcome {
    LogNormal time, power;
  };
  // The predicted mean and deviation at the point, without the noise of a measurement.
  Outcome at(std::size_t point) const;
  // `quantity`: twin::kTime or twin::kPower.
  double ratio_sd(std::size_t point, std::size_t reference, std::size_t quantity) const;
  // Of ln(measured / modelled) at two points, before any profile.
  double covariance(std::size_t quantity, std::size_t a, std::size_t b) const;

 private:
  LogNormal believed(std::size_t quantity, std::size_t point, double modelled) const;

  double noise_;
  std::array<double, 2> common_sd_;
  std::vector<twin::TimePower> modelled_;
  Eigen::MatrixXd places_;                     // a column per point: logarithms of its axes
  std::array<Eigen::MatrixXd, 2> deviations_;  // a column per point: drawn twins over sqrt(count)
  std::vector<std::size_t> learned_;
  std::array<std::vector<double>, 2> residuals_;  // of what was learned
  std::array<Eigen::LLT<Eigen::MatrixXd>, 2> factors_;
  std::array<Eigen::VectorXd, 2> weights_;
};

}  // namespace ridgewatt::tune
