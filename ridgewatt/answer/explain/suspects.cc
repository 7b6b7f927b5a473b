#include "ridgewatt/answer/explain/suspects.h"

#include <algorithm>
#include <array>

#include "ridgewatt/answer/explain/lower_clocks.h"
#include "ridgewatt/answer/explain/predictions.h"
#include "ridgewatt/answer/predict/runtime_choices.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::answer {
namespace {

Predictions none(const ExplainCase& of) {
  return {{1, prognosis_of(of.expected, ""), 0}};
}

Predictions power_mode(const ExplainCase& of) {
  Predictions found;
  for (const auto& [weight, mode, name] : weighted_presets(of.board)) {
    const double seen = weight_of_seen(of.question.seen, mode);
    if (seen == 0) continue;
    const int sms = of.twin.sms_in(mode);
    const Prognosis there = of.in_mode(mode, name, sms);
    const bool other = saw_limits_of(of.question.seen, mode) && mode != of.mode;
    if (!other && !differs(of, there.time_s)) continue;
    found.push_back({seen * weight, there, 0});
    found.back().mode = mode;
    found.back().sms = sms;
  }
  for (const WeighedMode& one : unlocked_modes(of.board, of.mode)) {
    if (!of.question.claimed_s || saw_clocks(of.question.seen)) break;
    const Prognosis there = of.in_mode(one.mode, one.name, of.sms());
    if (differs(of, there.time_s)) found.push_back({one.weight, there, kUnlockedSd});
  }
  return found;
}

Predictions lower_clock(const ExplainCase& of, Knob knob) {
  Predictions found;
  for (const auto& [weight, mode, name] : modes_below(of.board, of.mode, knob, of.question.seen)) {
    const Prognosis there = of.in_mode(mode, name, of.sms());
    if (!differs(of, there.time_s)) continue;
    found.push_back({weight, there, 0});
    found.back().mode = mode;
    found.back().sms = of.sms();
  }
  return found;
}
Predictions gpu_clock(const ExplainCase& of) {
  return lower_clock(of, Knob::kGpuClock);
}
Predictions cpu_clock(const ExplainCase& of) {
  return lower_clock(of, Knob::kCpuClock);
}
Predictions memory_clock(const ExplainCase& of) {
  return lower_clock(of, Knob::kMemClock);
}

Predictions throttled(const ExplainCase& of) {
  Predictions found;
  for (const PowerMode& lower : throttled_modes(of.mode, of.question.seen)) {
    Prognosis there = of.in_mode(lower, "", of.sms());
    if (!differs(of, there.time_s)) continue;
    found.push_back({1, std::move(there), 0.05});
    found.back().mode = lower;
    found.back().sms = of.sms();
  }
  return found;
}

// A module slows down because of its power limit only if the mode needs nearly that much. With a
// weak supply it slows down at any power; then signals or a low clock show it.
Predictions power_limit(const ExplainCase& of) {
  const auto& seen = of.question.seen;
  const bool signals = seen && seen->over_current && !seen->over_current->empty();
  const bool near = nears_limit(of.board, of.expected.total.power_w);
  const bool low = saw_low_clock(seen, of.mode, Knob::kGpuClock);
  return near || signals || low ? throttled(of) : Predictions{};
}

void add_deployed(Predictions& found, const ExplainCase& of, const RuntimeChoice& choice,
                  std::string name) {
  try {
    const twin::TwinModel model(of.twin, deployed_as(*of.workload, choice), of.question.run,
                                of.batch);
    auto there = prognosis_of(model.estimator(of.batch).breakdown(of.mode), std::move(name));
    if (differs(of, there.time_s)) found.push_back({1, std::move(there), 0.1});
  } catch (const Error&) {
    // The runtime cannot run this model on this board, so it is not the cause.
  }
}

Predictions slower_runtime(const ExplainCase& of, std::span<const double> factors,
                           const std::string& setting) {
  Predictions found = multiplied(of, factors, 0.2, GpuThen::kWaits);
  for (Prediction& one : found) one.prognosis.setting = setting;
  return found;
}

// Whether the watched run had not loaded the intended runtime.
bool lacks_runtime(const ExplainCase& of) {
  const auto& seen = of.question.seen;
  if (!seen || !seen->libraries) return false;
  return std::ranges::find(*seen->libraries, library_of(of.model->twin().runtime)) ==
         seen->libraries->end();
}

// If a watched run showed another runtime or a profiler, the slowdown is not known.
Predictions runtime(const ExplainCase& of) {
  constexpr std::array kOfOthers = {1.3, 1.7, 2.5, 5.0, 10.0, 20.0};
  constexpr std::array kOfProfilers = {1.1, 1.3, 1.7, 2.5};
  const bool lacks = lacks_runtime(of);
  if (lacks && is_on_cpu(of.model->twin().runtime)) {
    return slower_runtime(of, kOfOthers, "that is another one");
  }
  if (!lacks && seen_value(of, &measure::SeenRun::profile_files) > 0) {
    return slower_runtime(of, kOfProfilers, "with its profiler on");
  }
  const workload::DeployOptions& asked = of.workload->options();
  Predictions found;
  for (const Runtime other : kRuntimes) {
    if (other == asked.runtime) continue;
    add_deployed(found, of, {other, asked.precision}, std::string(name_of(other)));
    // Eager programs usually compute in FP32, whatever precision the engine should use.
    if (is_eager(other) && asked.precision != workload::Precision::kFp32) {
      const RuntimeChoice eager{other, workload::Precision::kFp32};
      add_deployed(found, of, eager, eager.name());
    }
  }
  return found;
}

// Computes 8-bit operations in FP32. On a processor, the precision is that of the graph.
workload::WorkloadCost in_fp32(workload::WorkloadCost cost) {
  constexpr double kWider = 4;
  for (workload::KernelCost& kernel : cost.kernels) {
    if (kernel.work_int_op <= kernel.work_flop) continue;
    kernel.work_flop += kernel.work_int_op;
    kernel.work_int_op = 0;
    kernel.read_bytes += (kWider - 1) * kernel.weight_bytes;
    kernel.weight_bytes *= kWider;
  }
  return cost;
}

Predictions precision(const ExplainCase& of) {
  using workload::Precision;
  Predictions found;
  for (const Precision other : {Precision::kFp32, Precision::kFp16, Precision::kInt8}) {
    if (other == of.cost().precision) continue;
    add_deployed(found, of, {of.workload->options().runtime, other}, std::string(name_of(other)));
  }
  const workload::WorkloadCost wide = in_fp32(of.cost());
  if (is_on_cpu(of.model->twin().runtime) && wide.work_flop() > of.cost().work_flop()) {
    const twin::Estimator there(of.model->twin(), wide, of.question.run);
    found.push_back({1, prognosis_of(there.breakdown(of.mode), "fp32"), 0.1});
  }
  return found;
}

// Priors are the number of public threads about slow inference that state the cause, plus one.
// Those of `none`, and of the loader, storage and the Python caller, which these threads hardly
// name, are chosen. If numbers alone cannot separate two causes, the rarer one has a lower prior.
struct Suspect {
  SlowCause cause;
  double prior;  // relative
  bool misread;
  Predictions (*predict)(const ExplainCase&);
  On on = On::kEveryBoard;
};
constexpr Suspect kSuspects[] = {
    {SlowCause::kNone, 8, false, &none},
    {SlowCause::kPowerMode, 6, false, &power_mode},
    {SlowCause::kGpuClock, 2, false, &gpu_clock, On::kGpu},
    {SlowCause::kCpuClock, 1, false, &cpu_clock},
    {SlowCause::kMemoryClock, 1, false, &memory_clock},
    {SlowCause::kRuntime, 4, false, &runtime},
    {SlowCause::kPrecision, 3, false, &precision},
    {SlowCause::kPerBatch, 3, true, &per_batch},
    {SlowCause::kAsynchronousTiming, 4, true, &asynchronous_timing, On::kGpu},
    {SlowCause::kCpuFallback, 2, false, &cpu_fallback, On::kGpu},
    {SlowCause::kHostCopy, 2, false, &host_copy},
    {SlowCause::kPrePostProcessing, 5, false, &pre_post_processing},
    {SlowCause::kPythonCaller, 2, false, &python_caller, On::kGpu},
    {SlowCause::kWarmUp, 2, true, &warm_up},
    {SlowCause::kInputSize, 2, true, &input_size},
    {SlowCause::kThermal, 2, false, &throttled, On::kGpu},
    {SlowCause::kPowerLimit, 2, false, &power_limit, On::kGpu},
    {SlowCause::kMemoryPressure, 2, false, &memory_pressure},
    {SlowCause::kContention, 2, false, &contention},
    {SlowCause::kThreads, 3, false, &threads},
    {SlowCause::kCpuQuota, 3, false, &cpu_quota},
    {SlowCause::kLoader, 4, false, &loader},
    {SlowCause::kStorage, 2, false, &storage},
};

}  // namespace

bool is_of_mode(SlowCause cause) {
  using enum SlowCause;
  return cause == kPowerMode || cause == kGpuClock || cause == kCpuClock || cause == kMemoryClock;
}

Prognosis ExplainCase::in_mode(const PowerMode& other, std::string setting, int sms) const {
  return prognosis_of(model->estimator(batch).with_sms_on(sms).breakdown(other),
                      std::move(setting));
}

const FaultyLayers* ExplainCase::faulty(LayerFault fault) const {
  if (!profile || !profile->faults[fault]) return nullptr;
  const FaultyLayers& layers = *profile->faults[fault];
  return layers.count > 0 ? &layers : nullptr;
}

std::vector<WeighedCause> causes_of(const ExplainCase& of) {
  std::vector<WeighedCause> causes;
  for (const Suspect& suspect : kSuspects) {
    if (!exists(suspect.on, of.board.has_gpu())) continue;
    causes.push_back({suspect.cause, suspect.prior, suspect.misread, suspect.predict(of)});
  }
  return causes;
}

}  // namespace ridgewatt::answer
