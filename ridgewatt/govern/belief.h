// What is known of the time and the power of a board's modes while a program runs: what the twin
// says, times factors that are learned as the program goes on.
//
//   ModeBelief belief(twin_prior(points, view));   // the twin's view, tune/twin_doubt.h
//   belief.pass(60);                               // a minute went by: the present may change
//   belief.learn(3, {0.041, 24.1}, 0.005, 0.005);  // seen in mode 3, with its relative deviations
//   belief.now(7).time_s;                          // what mode 7 would take now
//   belief.later(7, 3600).power_w;                 // and draw on average over the next hour
//
// ln(seen / modelled) of mode i is x_i + d. The x_i are the board's and the workload's own and
// stay; before anything is seen they are Gaussian, for a twin with the covariance of TwinDoubt. d
// is what the day adds to all modes, other processes and warmth: an Ornstein-Uhlenbeck process
// around 0, with deviation `day_sd` and time constant `day_s`. Time and power are believed in apart
// from each other. What a known mode shows that neither explains is a jump of d: processes begin
// and end at once. One Kalman filter (Kalman 1960) over (x_1 .. x_n, d) each.
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
  // Deviation of what a window shows beside its noise: x_i + d is not the whole truth.
  double window_sd = 0.01;
  // Throws UsageError.
  void check() const;
};

// What is known before anything is seen.
struct ModePrior {
  std::vector<twin::TimePower> modelled;
  // Of ln(seen / modelled), of time and of power.
  std::array<Eigen::MatrixXd, 2> covariance;
};
// By a twin, which is wrong in a way that neighbors share.
ModePrior twin_prior(std::span<const OperatingPoint> points, const tune::TwinView& view);
// Of profiled points: `common_sd` is what all of them may be off by on another day, `own_sd` each
// of them alone.
ModePrior profiled_prior(std::span<const Observation> rows, double common_sd = 0.05,
                         double own_sd = 0.02);

class ModeBelief {
 public:
  // UsageError for sizes that do not fit, and values that are not positive and finite.
  explicit ModeBelief(ModePrior prior, const BeliefOptions& options = {});

  std::size_t size() const { return prior_.modelled.size(); }
  const twin::TimePower& modelled(std::size_t mode) const { return prior_.modelled[mode]; }
  void pass(double time_s);
  // Relative deviations of the measurement; a value that is 0 or not finite is not learned.
  void learn(std::size_t mode, const twin::TimePower& seen, double time_sd, double power_sd);

  // By how many deviations it is not what is expected; the larger one of time and power.
  double surprise(std::size_t mode, const twin::TimePower& seen, double time_sd,
                  double power_sd) const;

  // Medians, at this moment and as means over the time to come, in which the day's part fades.
  twin::TimePower now(std::size_t mode) const { return later(mode, 0); }
  twin::TimePower later(std::size_t mode, double horizon_s) const;
  // Deviation of ln(time) and ln(power) of a mode now.
  double time_sd(std::size_t mode) const { return sd(twin::kTime, mode); }
  double power_sd(std::size_t mode) const { return sd(twin::kPower, mode); }
  // Deviation of ln(power ratio) + elasticity x ln(time ratio) of two modes: how unsure it is how
  // far one stands above a hull that goes through the other.
  double gap_sd(std::size_t mode, std::size_t reference, double elasticity) const;
  // How often a mode was seen.
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
