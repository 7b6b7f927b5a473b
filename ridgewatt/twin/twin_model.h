// A workload on a twin, at any batch: what predictors take as prior and tuners search on.
//
//   const TwinModel model(load_twin(board), std::make_shared<DeployedWorkload>("zoo:resnet50"));
//   const MinibatchCost at = model({mode, 16});
//   model.error({mode, 16})[kTime].factor(0.9);  // within this factor, 90 % of the time
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
  // A point of batch 0 means `default_batch`.
  TwinModel(const Twin& twin, std::shared_ptr<const workload::DeployedWorkload> workload,
            const RunOptions& options = {}, int default_batch = 1);

  // Safe to call from several threads.
  MinibatchCost operator()(const OperatingPoint& point) const;
  // The point as measuring it on the board would: mean time from one minibatch to the next.
  Observation observe(const OperatingPoint& point) const;
  // The point as rows of that origin show it: the same, but for recorded files that say nothing of
  // themselves (kReplayed), as published sweeps of medians do.
  Observation observe_as(Provenance rows, const OperatingPoint& point) const;
  const Estimator& estimator(int batch) const;
  // What the minibatch needs of the board's memory, and whether it fits.
  MemoryFootprint memory(int batch) const;
  bool fits_memory(int batch) const { return memory(batch).fits(); }

  const Twin& twin() const { return twin_; }
  const RunOptions& options() const { return options_; }
  // How far off the estimate may be, and why it is less sure than at home. The error is mostly
  // common to all modes of a workload: a few measurements remove the greater part.
  EstimateError error(const OperatingPoint& point) const;
  const ErrorModel& errors(int batch) const;  // of many points at that batch
  std::vector<std::string> widened_by(const OperatingPoint& point) const;
  std::string provenance() const { return twin_.provenance(); }

 private:
  struct AtBatch {
    std::shared_ptr<const workload::WorkloadCost> cost;
    std::unique_ptr<Estimator> estimator;
    std::unique_ptr<ErrorModel> errors;  // once asked for
  };
  AtBatch& at_batch(int batch) const;  // under the lock

  Twin eager_;  // as it was given
  Twin twin_;   // on the workload's runtime
  std::shared_ptr<const workload::DeployedWorkload> workload_;
  RunOptions options_;
  int default_batch_;
  mutable std::mutex mutex_;
  mutable std::map<int, AtBatch> batches_;
};

}  // namespace ridgewatt::twin
