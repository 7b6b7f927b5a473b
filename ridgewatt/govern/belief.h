// The belief about time and power of a board's modes while a program runs: the values of the twin,
// times factors that are learned during the run.
//
//   ModeBelief belief(twin_prior(points, view));   // the twin's view, tune/twin_doubt.h
//   belief.pass(60);                               // a minute passed: the present may change
//   belief.learn(3, {0.041, 24.1}, 0.005, 0.005);  // seen in mode 3, with its relative deviations
//   belief.now(7).time_s;                          // what mode 7 would take now
//   belief.later(7, 3600).power_w;                 // its mean power over the next hour
//
// ln(seen / modelled) of mode i is x_i + d. The x_i belong to the board and the workload and are
// constant; before any observation they are Gaussian, for a twin with the covariance of TwinDoubt.
// d is the effect of the day on all modes (other processes and temperature): an Ornstein-Uhlenbeck
// process around 0, with deviation `day_sd` and time constant `day_s`. Time and power are
// independent. If neither part explains an observation of a known mode, d jumps: processes start
// and end at once. Each quantity has one Kalman filter (Kalman 1960) over (x_1 .. x_n, d).
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ridgewatt/tune/twin_doubt.h"

namespace ridgewatt::govern {

struct BeliefOptions {
  double day_sd = 0.08;
  double day_s = 1800;
  // Deviation of a window in addition to its noise: x_i + d is not exact.
  double window_sd = 0.01;
  // Throws UsageError.
  void check() const;
};

// The belief before any observation.
struct ModePrior {
  std::vector<twin::TimePower> modelled;
  // Of ln(seen / modelled), of time and of power.
  std::array<Eigen::MatrixXd, 2> covariance;
};
// According to a twin, whose errors are correlated between neighbors.
ModePrior twin_prior(std::span<const OperatingPoint> points, const tune::TwinView& view);
// From profiled points: `common_sd` is the error common to all of them on another day, `own_sd` the
// error of each.
ModePrior profiled_prior(std::span<const Observation> rows, double common_sd = 0.05,
                         double own_sd = 0.02);

class ModeBelief {
 public:
  // Throws UsageError for sizes that do not match, and values that are not positive and finite.
  explicit ModeBelief(ModePrior prior, const BeliefOptions& options = {});

  std::size_t size() const { return prior_.modelled.size(); }
  const twin::TimePower& modelled(std::size_t mode) const { return prior_.modelled[mode]; }
  void pass(double time_s);
  // Relative deviations of the measurement; a value that is 0 or not finite is ignored.
  void learn(std::size_t mode, const twin::TimePower& seen, double time_sd, double power_sd);

  // The number of deviations from the expected value; the larger of time and power.
  double surprise(std::size_t mode, const twin::TimePower& seen, double time_sd,
                  double power_sd) const;

  // Medians, now and as means over the time to come, in which the effect of the day decays.
  twin::TimePower now(std::size_t mode) const { return later(mode, 0); }
  twin::TimePower later(std::size_t mode, double horizon_s) const;
  // Deviation of ln(time) and ln(power) of a mode now.
  double time_sd(std::size_t mode) const { return sd(twin::kTime, mode); }
  double power_sd(std::size_t mode) const { return sd(twin::kPower, mode); }
  // Deviation of ln(power ratio) + elasticity x ln(time ratio) of two modes: the uncertainty of the
  // distance of one mode from a hull through the other.
  double gap_sd(std::size_t mode, std::size_t reference, double elasticity) const;
  // Number of observations of a mode.
  std::size_t seen(std::size_t mode) const { return seen_[mode]; }

 private:
  struct Filter {
    Eigen::VectorXd mean;
    Eigen::MatrixXd covariance;
  };
  double sd(std::size_t quantity, std::size_t mode) const;
  double variance(std::size_t quantity, std::size_t mode) const;  // of x_i + d
  double window_variance(double sd) const {
    return sd * sd + options_.window_sd * options_.window_sd;
  }
  void update(std::size_t quantity, std::size_t mode, double residual, double variance);

  BeliefOptions options_;
  ModePrior prior_;
  std::vector<std::size_t> seen_;
  std::array<Filter, 2> filters_;  // twin::kTime, twin::kPower
};

}  // namespace ridgewatt::govern
