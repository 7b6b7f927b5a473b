#include "ridgewatt/twin/twin_model.h"

#include <utility>

namespace ridgewatt::twin {

TwinModel::TwinModel(const Twin& twin, std::shared_ptr<const workload::DeployedWorkload> workload,
                     const RunOptions& options, int default_batch)
    : eager_(twin),
      twin_(on_runtime(twin, workload->options().runtime, workload->options().kind)),
      workload_(std::move(workload)),
      options_(options),
      default_batch_(default_batch) {}

TwinModel::AtBatch& TwinModel::at_batch(int batch) const {
  // 0 selects the model's own batch, unless a default batch above 1 was set.
  const int wanted = batch > 0 ? batch : default_batch_ > 1 ? default_batch_ : 0;
  AtBatch& at = batches_[wanted];
  if (!at.estimator) {
    at.cost = workload_->at(wanted);
    at.estimator = std::make_unique<Estimator>(twin_, at.cost, options_);
  }
  return at;
}

const Estimator& TwinModel::estimator(int batch) const {
  const std::lock_guard lock(mutex_);
  return *at_batch(batch).estimator;
}

const ErrorModel& TwinModel::errors(int batch) const {
  const std::lock_guard lock(mutex_);
  AtBatch& at = at_batch(batch);
  if (!at.errors) at.errors = std::make_unique<ErrorModel>(eager_, at.cost, options_);
  return *at.errors;
}

EstimateError TwinModel::error(const OperatingPoint& point) const {
  return errors(point.batch)(point.mode);
}

std::vector<std::string> TwinModel::widened_by(const OperatingPoint& point) const {
  const ErrorModel& of = errors(point.batch);
  std::vector<std::string> reasons = of.widened_by();
  for (auto& reason : of.widened_at(estimator(point.batch).breakdown(point.mode))) {
    reasons.push_back(std::move(reason));
  }
  return reasons;
}

MinibatchCost TwinModel::operator()(const OperatingPoint& point) const {
  return estimator(point.batch)(point.mode);
}

Observation TwinModel::observe(const OperatingPoint& point) const {
  const MinibatchCost cost = (*this)(point);
  return {point, cost.period_s, cost.power_w};
}

Observation TwinModel::observe_as(Provenance rows, const OperatingPoint& point) const {
  if (rows != Provenance::kReplayed) return observe(point);
  const TimePower timed = (*this)(point).timed();
  return {point, timed.time_s, timed.power_w};
}

MemoryFootprint TwinModel::memory(int batch) const {
  return memory_footprint(twin_, estimator(batch).cost(), options_);
}

}  // namespace ridgewatt::twin
