#include "ridgewatt/answer/predict/twin_costs.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ridgewatt/answer/predict/runtime_choices.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/tune/choice.h"

namespace ridgewatt::answer {

predict::Prediction stated_cost(const twin::MinibatchCost& cost, const twin::EstimateError& error,
                                double python_call_s, double interval) {
  predict::Prediction stated = tune::prediction_of(cost, error, interval);
  if (!(python_call_s > 0)) return stated;
  const twin::LogError& time = error[twin::kTime];
  stated.time_s.hi = time.hi(stated.time_s.mean + python_call_s, interval);
  stated.time_s.log_sd = time.sd;
  return stated;
}

predict::Prediction TwinCost::at_these_clocks(double interval) const {
  if (limit_held) return within(interval);
  twin::EstimateError unbounded = error;
  unbounded[twin::kPower].most = std::numeric_limits<double>::infinity();
  predict::Prediction cost = stated_cost(estimate.total, unbounded, python_call_s, interval);
  const double freed = estimate.free_w / estimate.total.power_w;
  for (double* power_w : {&cost.power_w.mean, &cost.power_w.lo, &cost.power_w.hi}) {
    *power_w *= freed;
  }
  return cost;
}

std::vector<Rival> rivals_of(const twin::Twin& twin, const twin::TwinModel& model,
                             const workload::DeployedWorkload& workload, const DeployedIn& in) {
  const Runtime runtime = workload.options().runtime;
  const workload::Precision precision = workload.options().precision;
  const workload::Precision wider = wider_than(precision);
  std::vector<Rival> rivals;
  if (twin.cpu) return rivals;
  const auto add = [&](const char* what, Runtime other, workload::Precision as,
                       std::string_view name) {
    if (other == runtime && as == precision) return;
    rivals.push_back({fmt::format("{}: {{:.2f}} times as long as in {} by the model", what, name),
                      std::make_shared<const twin::TwinModel>(twin, in(other, as), model.options(),
                                                              usual_batch(workload))});
  };
  add("precision", runtime, wider, name_of(wider));
  add("runtime", Runtime::kPytorchEager, precision, name_of(Runtime::kPytorchEager));
  return rivals;
}

TwinCosts::AtBatch::AtBatch(const twin::TwinModel& model, const std::vector<Rival>& rivals,
                            int batch)
    : model_(model), estimator_(model.estimator(batch)), errors_(model.errors(batch)) {
  for (const Rival& rival : rivals) {
    try {
      rivals_.push_back({rival.text, rival.model->estimator(batch)});
    } catch (const Error&) {
      // The rival cannot run, so there is no comparison.
    }
  }
}

// If the model estimates the point as slower than its rival, widens the interval to include the
// rival's time, and adds a text that says so.
void TwinCosts::AtBatch::compare(const RivalAtBatch& rival, const PowerMode& mode, TwinCost& cost) {
  const double longer = cost.estimate.total.period_s / rival.estimator(mode).period_s;
  if (!(longer > 1 + 1e-6)) return;  // chosen: tolerates rounding
  cost.widened_by.push_back(fmt::format(fmt::runtime(rival.text), longer));
  for (const std::size_t quantity : {twin::kTime, twin::kEnergy}) {
    const double sd = std::log(longer) / kNormal95;
    cost.error[quantity].add(sd, sd);
  }
}

TwinCost TwinCosts::AtBatch::in(const PowerMode& mode) const {
  const twin::Breakdown at = estimator_.breakdown(mode);
  TwinCost cost{at, errors_(at), errors_.widened_at(at)};
  cost.limit_held = model_.twin().discrete;
  if (model_.options().caller == twin::EngineCaller::kCpp) {
    cost.python_call_s = model_.twin().call_s(twin::EngineCaller::kThinPython, mode);
  }
  for (const RivalAtBatch& rival : rivals_) compare(rival, mode, cost);
  return cost;
}

TwinCosts::TwinCosts(const twin::Twin& twin, std::shared_ptr<const twin::TwinModel> model,
                     const std::shared_ptr<const workload::DeployedWorkload>& workload)
    : TwinCosts(model, rivals_of(twin, *model, *workload,
                                 [&](Runtime runtime, workload::Precision precision) {
                                   return deployed_as(*workload, {runtime, precision});
                                 })) {}

const TwinCosts::AtBatch& TwinCosts::at(int batch) const {
  const std::lock_guard lock(mutex_);
  const auto known = batches_.find(batch);
  if (known != batches_.end()) return known->second;
  return batches_.try_emplace(batch, *model_, rivals_, batch).first->second;
}

std::vector<std::string> TwinCosts::widened_by(const OperatingPoint& point) const {
  std::vector<std::string> reasons = model_->errors(point.batch).widened_by();
  for (auto& reason : at(point).widened_by) reasons.push_back(std::move(reason));
  return reasons;
}

}  // namespace ridgewatt::answer
