// Computes the error of a twin's estimate of one workload, as intervals for time, power and energy.
// No other code computes intervals of a twin.
//
//   const ErrorModel errors(twin, cost, options);   // one workload at one batch size
//   const EstimateError error = errors(mode);
//   error[kTime].factor(0.9);   // 90 % of measured times are within this factor of the estimate
//   errors.widened_by();        // why the interval is wider than for the fitted workloads
//   bounded(cost, error, 0.9);  // time, power and energy with their intervals
//
// The variance of ln(measured / modelled) is the sum of four parts
// (docs/methods/estimate_error.md):
// * parameters: their posterior covariance, propagated linearly. This part is large if the workload
//   depends on a parameter that no fitted workload determines.
// * precision: the standard deviation of a rate that was derived from a ratio of peaks is half the
//   logarithm of that ratio.
// * model: grows with the distance from the fitted workloads (twin_home.h).
// * other board: the variance of the priors, for a scaled twin.
//
// For a runtime with its own parameters (runtime_twin.h), the variance of the time is that of these
// parameters plus the error on left-out models. It is larger on a board or in a precision that was
// not fitted. The errors have Student's t distribution because few workloads and boards were
// compared. Intervals are cut at physical limits: the roofs and launches of the kernels, idle
// power, and the power limit.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/base/memo.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::twin {

class ErrorModel {
 public:
  ErrorModel(const Twin& twin, std::shared_ptr<const workload::WorkloadCost> cost,
             const RunOptions& options);
  ~ErrorModel();
  // Safe to call from several threads. The derivatives are evaluated at clocks rounded to a power
  // of two below the highest clock, and reused for all modes that round to the same clocks.
  EstimateError operator()(const PowerMode& mode) const;
  // The same, for a mode that was already estimated, at the clocks in `at.clocks`.
  EstimateError operator()(const Breakdown& at) const;
  // Variances of ln(time), ln(power) and ln(energy) due to the parameters and the precision,
  // without the additional variance on another board.
  std::array<double, kQuantities.size()> parameter_variance(const PowerMode& mode) const;
  // The same variances if only the priors of the parameters were known.
  std::array<double, kQuantities.size()> prior_variance(const PowerMode& mode) const;
  // Distance of the workload from the fitted workloads.
  const HomeDistance& distance() const { return distance_; }
  // Reasons why the interval is wider than for the fitted workloads: in all modes, and in this mode
  // only.
  const std::vector<std::string>& widened_by() const { return widened_by_; }
  std::vector<std::string> widened_at(const Breakdown& at) const;

 private:
  struct Variances;
  struct Direction;  // a TwinParam, a RuntimeParam, or a rate derived from a ratio of peaks
  const Variances& variances(const PowerMode& mode) const;
  std::unique_ptr<const Variances> variances_at(const PowerMode& clocks) const;
  void add(const Direction& direction, const Twin& moved);
  void add_runtime_directions(const workload::WorkloadCost& cost);
  // The errors with the SMs that an estimate left on. Null: all SMs are on.
  const ErrorModel* with_fewer_sms(int sms) const;
  EstimateError on_processor(const PowerMode& mode) const;  // for a processor without a GPU
  EstimateError of_runtime(const Variances& at) const;
  EstimateError of_twin(const Variances& at) const;
  // Errors at fixed clocks, without bounds.
  EstimateError at_clocks(const PowerMode& clocks) const;
  // The modes to which the power limit of a discrete GPU may lead, because its power is not known
  // exactly.
  struct LimitedModes {
    double limit_w = 0;
    PowerMode free, fast, slow;  // without the limit; at the lowest and the highest power
    Breakdown at_free;
    double fast_s = 0, slow_s = 0;  // periods
  };
  LimitedModes limited_modes(const Breakdown& at) const;
  EstimateError under_limit(const Breakdown& at) const;
  void widen(const Breakdown& at, EstimateError& error) const;
  void set_bounds(const Breakdown& at, double least_s, double most_w, EstimateError& error) const;
  bool precision_is_fitted() const;
  void explain(const WorkloadFeatures& features);
  void explain_runtime();

  Twin twin_;
  HomeDistance distance_;
  std::vector<std::string> widened_by_;
  Estimator middle_;
  std::vector<Direction> directions_;
  std::vector<std::unique_ptr<Estimator::Moved>> moved_;  // one twin per direction
  // Key: powers of two by which the rounded knobs are below their highest values.
  Memo<std::array<int, kKnobs.size()>, Variances> known_;
  RunOptions options_;
  Memo<int, ErrorModel> fewer_sms_;  // by the number of SMs
};

}  // namespace ridgewatt::twin
