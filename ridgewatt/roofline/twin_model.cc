#include "ridgewatt/roofline/twin_model.h"

#include <utility>

namespace ridgewatt {

TwinModel::TwinModel(const Twin& twin, CostOfBatch cost_of_batch, const RunOptions& options,
                     int default_batch)
    : twin_(twin),
      cost_of_batch_(std::move(cost_of_batch)),
      options_(options),
      default_batch_(default_batch) {}

const Estimator& TwinModel::estimator(int batch) const {
  const int wanted = batch > 0 ? batch : default_batch_;
  const std::lock_guard lock(mutex_);
  auto& estimator = estimators_[wanted];
  if (!estimator) {
    estimator = std::make_unique<Estimator>(twin_, cost_of_batch_(wanted), options_);
  }
  return *estimator;
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

}  // namespace ridgewatt
