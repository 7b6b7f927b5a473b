// Estimates the time and power of each mode while a program runs, from the values of the twin and
// the observed windows. This estimate with its uncertainty is called the belief.
//
//   ModeBelief belief(twin_prior(points, view));   // `view` of the twin, see tune/twin_doubt.h
//   belief.pass(60);                               // a minute has passed
//   belief.learn(3, {0.041, 24.1}, 0.005, 0.005);  // observed in mode 3, with relative deviations
//   belief.now(7).time_s;                          // current time of a minibatch in mode 7
//   belief.later(7, 3600).power_w;                 // mean power of mode 7 over the next hour
//
// The observed value of mode i is modelled as ln(observed / twin) = x_i + d, separately for time
// and for power. The x_i are constant properties of board and workload. Their prior is Gaussian;
// for a twin it has the covariance of TwinDoubt. The term d is the effect of the current conditions
// on all modes, such as other processes and temperature. It is an Ornstein-Uhlenbeck process around
// 0 with deviation `day_sd` and time constant `day_s`. If an observation of a known mode is
// improbable under both terms, the filter allows d to jump, because processes start and end
// abruptly. A Kalman filter (Kalman 1960) over (x_1 .. x_n, d) estimates each quantity.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "ridgewatt/tune/twin_doubt.h"

namespace ridgewatt::govern {

struct BeliefOptions {
  double day_sd = 0.08;  // standard deviation of d
  double day_s = 1800;   // time constant of d
  // Deviation that is added to the noise of a window, because x_i + d is not exact.
  double window_sd = 0.01;
  // Throws UsageError for an invalid option.
  void check() const;
};

// The estimate before any observation.
struct ModePrior {
  // By mode: time of a minibatch and its power.
  std::vector<twin::TimePower> modelled;
  // Covariance of ln(observed / modelled) between modes, for time and for power.
  std::array<Eigen::MatrixXd, 2> covariance;
};
// Returns the prior from a twin. Its errors are correlated between neighboring modes.
ModePrior twin_prior(std::span<const OperatingPoint> points, const tune::TwinView& view);
// Returns the prior from profiled points. `common_sd`: error that all points share on another day.
// `own_sd`: additional error of each point.
ModePrior profiled_prior(std::span<const Observation> rows, double common_sd = 0.05,
                         double own_sd = 0.02);

class ModeBelief {
 public:
  // Throws UsageError if sizes do not match, or if a value is not positive and finite.
  explicit ModeBelief(ModePrior prior, const BeliefOptions& options = {});

  std::size_t size() const { return prior_.modelled.size(); }
  const twin::TimePower& modelled(std::size_t mode) const { return prior_.modelled[mode]; }
  // Advances the time: d decays toward 0 and becomes less certain.
  void pass(double time_s);
  // Updates the estimate with an observed window. `time_sd` and `power_sd` are relative deviations
  // of the measurement. A time or power that is 0 or not finite is ignored.
  void learn(std::size_t mode, const twin::TimePower& seen, double time_sd, double power_sd);

  // Returns the deviation of the observation from its expected value, in standard deviations: the
  // larger of time and power.
  double surprise(std::size_t mode, const twin::TimePower& seen, double time_sd,
                  double power_sd) const;

  // Median values now, and means over the next `horizon_s`, during which d decays to 0.
  twin::TimePower now(std::size_t mode) const { return later(mode, 0); }
  twin::TimePower later(std::size_t mode, double horizon_s) const;
  // Standard deviations of ln(time) and ln(power) of a mode now.
  double time_sd(std::size_t mode) const { return sd(twin::kTime, mode); }
  double power_sd(std::size_t mode) const { return sd(twin::kPower, mode); }
  // Returns the standard deviation of ln(power ratio) + elasticity x ln(time ratio) of two
  // modes: the uncertainty of the distance between `mode` and a hull of modes (govern/mix.h) that
  // passes through `reference`.
  double gap_sd(std::size_t mode, std::size_t reference, double elasticity) const;
  // Returns the number of observations of a mode.
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
  std::array<Filter, 2> filters_;  // indexed by twin::kTime and twin::kPower
};

}  // namespace ridgewatt::govern
