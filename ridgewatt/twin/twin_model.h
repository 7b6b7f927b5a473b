// Estimates one workload on a twin at any operating point. Predictors use it as a prior, tuners as
// a model to search.
//
//   const TwinModel model(load_twin(board), std::make_shared<DeployedWorkload>("zoo:resnet50"));
//   const MinibatchCost at = model({mode, 16});
//   model.error({mode, 16})[kTime].factor(0.9);  // 90 % of times are within this factor
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/twin/estimate_error.h"
#include "ridgewatt/twin/memory_footprint.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::twin {

class TwinModel {
 public:
  // A point with batch 0 means `default_batch`.
  TwinModel(const Twin& twin, std::shared_ptr<const workload::DeployedWorkload> workload,
            const RunOptions& options = {}, int default_batch = 1);

  // Safe to call from several threads.
  MinibatchCost operator()(const OperatingPoint& point) const;
  // Returns the point as measured on the board, with the mean time per minibatch.
  Observation observe(const OperatingPoint& point) const;
  // Returns the row that a source with the provenance `rows` would report for the point. For
  // kReplayed the time is the median of timed minibatches, as in published sweeps. For all others
  // it is the mean, as in observe().
  Observation observe_as(Provenance rows, const OperatingPoint& point) const;
  const Estimator& estimator(int batch) const;
  // Memory that the minibatch needs, and whether it fits the board.
  MemoryFootprint memory(int batch) const;
  bool fits_memory(int batch) const { return memory(batch).fits(); }

  const Twin& twin() const { return twin_; }
  const RunOptions& options() const { return options_; }
  // Error of the estimate. Most of the error is common to all modes of a workload, so a few
  // measurements remove most of it.
  EstimateError error(const OperatingPoint& point) const;
  const ErrorModel& errors(int batch) const;  // for many points with the same batch
  // Reasons why the interval is wider than for the workloads of the fit.
  std::vector<std::string> widened_by(const OperatingPoint& point) const;
  std::string provenance() const { return twin_.provenance(); }

 private:
  struct AtBatch {
    std::shared_ptr<const workload::WorkloadCost> cost;
    std::unique_ptr<Estimator> estimator;
    std::unique_ptr<ErrorModel> errors;  // created by the first call of errors()
  };
  AtBatch& at_batch(int batch) const;  // requires mutex_

  Twin eager_;  // as passed to the constructor
  Twin twin_;   // with the workload's runtime applied
  std::shared_ptr<const workload::DeployedWorkload> workload_;
  RunOptions options_;
  int default_batch_;
  mutable std::mutex mutex_;
  mutable std::map<int, AtBatch> batches_;
};

}  // namespace ridgewatt::twin
