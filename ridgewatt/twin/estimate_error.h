// How far off an estimate may be: the one place in which intervals of the twin are computed.
//
//   const ErrorModel errors(twin, cost, options);   // of a workload at one batch
//   const EstimateError error = errors(mode);
//   error[kTime].factor(0.9);       // 90 % of minibatches take the estimate within this factor
//   errors.widened_by();            // why it is wider than at home
//   bounded(cost, error, 0.9);      // time, power and energy with their intervals
//
// The variance of ln(measured / modelled) is the sum of (docs/methods/estimate_error.md)
// * the parameters': their posterior covariance, on another board also their priors, through the
//   model's slopes, so that it is wide where a workload needs what no fitted one showed;
// * the model's own, which grows with the distance from the workloads that were fitted;
// * the precision's: a rate by the ratio of peaks is known to half the ratio's logarithm.
// In a runtime with parameters of its own (runtime_twin.h) the time's variance is theirs, what
// left-out models showed, and more on a board or in a precision that was not fitted.
// Tails are Student's, since few workloads and boards were compared. An interval ends where physics
// ends: at the roofs of the kernels and their launches, at idle power, at the module's limit.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::twin {

class ErrorModel {
 public:
  ErrorModel(const Twin& twin, std::shared_ptr<const workload::WorkloadCost> cost,
             const RunOptions& options);
  ~ErrorModel();
  // Safe to call from several threads. Slopes are those at clocks rounded to octaves of the
  // highest, which is as far as they are known.
  EstimateError operator()(const PowerMode& mode) const;
  // The same of what the estimator made of a mode, at the clocks that it ran at.
  EstimateError operator()(const Breakdown& at) const;
  // Variances that the parameters and the precision cause, without the priors of another board.
  std::array<double, kQuantities.size()> parameter_variance(const PowerMode& mode) const;
  // Variances that the parameters would cause if nothing but their priors were known.
  std::array<double, kQuantities.size()> prior_variance(const PowerMode& mode) const;
  const HomeDistance& distance() const { return distance_; }
  // Why it is wider in all modes, and in this one.
  const std::vector<std::string>& widened_by() const { return widened_by_; }
  std::vector<std::string> widened_at(const Breakdown& at) const;

 private:
  struct Variances;
  struct Direction;  // a parameter, or a rate that only peaks tell
  const Variances& variances(const PowerMode& mode) const;
  void add(const Direction& direction, const Twin& moved);
  void add_runtime_directions(const workload::WorkloadCost& cost);
  EstimateError on_processor(const PowerMode& mode) const;  // of a twin of a processor
  EstimateError of_runtime(const Variances& at) const;
  EstimateError of_twin(const Variances& at) const;
  void widen(const Breakdown& at, EstimateError& error) const;
  void widen_by_limit(const Breakdown& at, EstimateError& error) const;
  void set_bounds(const Breakdown& at, EstimateError& error) const;
  bool precision_is_fitted() const;
  void explain(const WorkloadFeatures& features);
  void explain_runtime();

  Twin twin_;
  HomeDistance distance_;
  std::vector<std::string> widened_by_;
  Estimator middle_;
  std::vector<Direction> directions_;
  std::vector<std::unique_ptr<Estimator::Moved>> moved_;  // the twin of each
  mutable std::mutex mutex_;
  // By the rounded knobs.
  mutable std::map<std::array<double, kKnobs.size()>, std::unique_ptr<Variances>> known_;
};

}  // namespace ridgewatt::twin
