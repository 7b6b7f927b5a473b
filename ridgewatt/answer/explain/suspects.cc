#include "ridgewatt/answer/explain/suspects.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/answer/explain/lower_clocks.h"
#include "ridgewatt/answer/tune/runtime_choices.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::answer {
namespace {

using Predictions = std::vector<Prediction>;

constexpr double kNoticeable = 1.03;  // chosen: a setting that changes less explains nothing

Prognosis prognosis_of(const twin::Breakdown& cost, std::string setting) {
  return {std::move(setting), cost.total.period_s, cost.total.power_w, {}, cost.gpu_load};
}

// Time multiplied by each factor: causes whose extent is not known. The GPU waits, or what it shows
// is not known.
enum class GpuThen { kWaits, kUnknown };
Predictions multiplied(const ExplainCase& of, std::span<const double> factors, double spread,
                       GpuThen gpu) {
  Predictions found;
  for (const double factor : factors) {
    Prognosis there{"", of.expected.total.period_s * factor, {}};
    if (gpu == GpuThen::kWaits) there.gpu_load = of.expected.gpu_load / factor;
    found.push_back({1, std::move(there), spread});
  }
  return found;
}

// Time increased while the GPU waits.
Prediction increased(const ExplainCase& of, double more_s, double spread,
                     std::string setting = "") {
  const double expected_s = of.expected.total.period_s;
  const double time_s = expected_s + more_s;
  const double gpu_load = of.expected.gpu_load * expected_s / time_s;
  return {1, {std::move(setting), time_s, {}, {}, gpu_load}, spread, true};
}

bool differs(const ExplainCase& of, double time_s) {
  const double ratio = time_s / of.expected.total.period_s;
  return ratio > kNoticeable || ratio < 1 / kNoticeable;
}

Predictions none(const ExplainCase& of) {
  return {{1, prognosis_of(of.expected, ""), 0}};
}

Predictions power_mode(const ExplainCase& of) {
  Predictions found;
  for (const auto& [weight, mode, name] : weighted_presets(of.board)) {
    if (saw_higher_clock(of.question.seen, mode)) continue;
    const Prognosis there = of.in_mode(mode, name);
    if (differs(of, there.time_s)) found.push_back({weight, there, 0});
  }
  return found;
}

Predictions lower_clock(const ExplainCase& of, Knob knob) {
  Predictions found;
  for (const auto& [weight, mode, name] : modes_below(of.board, of.mode, knob, of.question.seen)) {
    const Prognosis there = of.in_mode(mode, name);
    if (differs(of, there.time_s)) found.push_back({weight, there, 0});
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
    Prognosis there = of.in_mode(lower, "");
    if (differs(of, there.time_s)) found.push_back({1, std::move(there), 0.05});
  }
  return found;
}

// What a watched run showed; nothing where none was watched, or it cannot be seen.
double seen_value(const ExplainCase& of, std::optional<double> measure::SeenRun::*member) {
  return of.question.seen ? (*of.question.seen.*member).value_or(0) : 0;
}

// A module slows down for its power limit only if the mode needs nearly as much; for a weak supply
// at any power, which signals or a low clock show.
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
    // The runtime cannot run this model on this board, so it did not.
  }
}

Predictions runtime(const ExplainCase& of) {
  const workload::DeployOptions& asked = of.workload->options();
  Predictions found;
  for (const Runtime other : kRuntimes) {
    if (other == asked.runtime) continue;
    add_deployed(found, of, {other, asked.precision}, std::string(name_of(other)));
    // Eager programs usually compute in FP32, whatever the engine was meant to use.
    if (is_eager(other) && asked.precision != workload::Precision::kFp32) {
      const RuntimeChoice eager{other, workload::Precision::kFp32};
      add_deployed(found, of, eager, eager.name());
    }
  }
  return found;
}

Predictions precision(const ExplainCase& of) {
  using workload::Precision;
  Predictions found;
  for (const Precision other : {Precision::kFp32, Precision::kFp16, Precision::kInt8}) {
    if (other == of.cost().precision) continue;
    add_deployed(found, of, {of.workload->options().runtime, other}, std::string(name_of(other)));
  }
  return found;
}

// The number is of a minibatch of another size, or of one sample of the minibatch.
Predictions per_batch(const ExplainCase& of) {
  constexpr std::array kUsual = {2, 4, 8, 16, 32, 64};
  Predictions found;
  const double now_s = of.expected.total.period_s;
  if (of.batch > 1) {
    found.push_back({3, prognosis_of(of.expected, "per sample"), 0});
    found.back().prognosis.time_s = now_s / of.batch;
    return found;
  }
  for (const int batch : kUsual) {
    try {
      const auto there = of.model->estimator(batch).breakdown(of.mode);
      const std::string name = "batch " + std::to_string(batch);
      found.push_back({1, prognosis_of(there, name), 0});
      found.push_back({1, prognosis_of(there, name + " per sample"), 0});
      found.back().prognosis.time_s /= batch;
    } catch (const Error&) {
      break;  // the model fixes its batch
    }
  }
  return found;
}

// The timer stopped before the GPU did: after the first launches, or after most of the work.
Predictions asynchronous_timing(const ExplainCase& of) {
  constexpr int kSteps = 12;
  const double most_s = 0.75 * of.expected.total.period_s;
  const double least_s = std::min(0.5 * most_s, std::max(0.02 * of.expected.launch_cpu_s, 1e-5));
  Predictions found;
  for (int i = 0; i < kSteps; ++i) {
    const double at = static_cast<double>(i) / (kSteps - 1);
    found.push_back({1, prognosis_of(of.expected, ""), 0.1});
    found.back().prognosis.time_s = least_s * std::pow(most_s / least_s, at);
  }
  return found;
}

// A share of the work on the CPU, at a third of its peak.
Predictions cpu_fallback(const ExplainCase& of) {
  constexpr std::array kShares = {0.05, 0.1, 0.25, 0.5, 1.0};
  constexpr double kEfficiency = 0.3;  // chosen: CPU providers reach 20 to 50 % of the peak
  const double peak = cpu_peak_flop_per_s(of.board, of.mode);
  if (peak <= 0) return {};
  const double on_cpu_s = of.cost().work_flop() / (kEfficiency * peak);
  Predictions found;
  for (const double share : kShares) {
    const double time_s = (1 - share) * of.expected.total.period_s + share * on_cpu_s;
    if (time_s < kNoticeable * of.expected.total.period_s) continue;
    const double gpu_load =
        (1 - share) * of.expected.gpu_load * of.expected.total.period_s / time_s;
    found.push_back({share == 1 ? 2.0 : 1.0,
                     {share == 1 ? "" : "in part", time_s, {}, {}, gpu_load},
                     0.5,
                     true});
  }
  return found;
}

// Input and output copied on each call.
Predictions host_copy(const ExplainCase& of) {
  constexpr double kBytesPerS = 4e9;  // chosen: unpinned copies of public boards, 2 to 8 GB/s
  constexpr double kCallS = 100e-6;   // chosen: two synchronous copies
  const double seconds = of.cost().input_bytes / kBytesPerS + kCallS;
  return {increased(of, seconds, 0.2), increased(of, 3 * seconds, 0.2)};
}

// Decoding, resizing, suppression of boxes, drawing: milliseconds per picture on a CPU.
Predictions pre_post_processing(const ExplainCase& of) {
  constexpr std::array kPerSampleS = {2e-3, 5e-3, 10e-3, 20e-3, 40e-3};
  Predictions found;
  for (const double one : kPerSampleS) found.push_back(increased(of, one * of.batch, 0.2));
  return found;
}

// A Python program calls the engine, and was thought not to.
Predictions python_caller(const ExplainCase& of) {
  const twin::Twin& engine = of.model->twin();
  const double now_s = engine.call_s(of.question.run.caller, of.mode);
  Predictions found;
  for (const auto caller : {twin::EngineCaller::kThinPython, twin::EngineCaller::kFramework}) {
    const double more_s = engine.call_s(caller, of.mode) - now_s;
    if (more_s <= 0) continue;
    found.push_back(increased(of, more_s, 0.1, std::string(name_of(caller))));
  }
  return found;
}

Predictions warm_up(const ExplainCase& of) {
  return multiplied(of, std::array{1.3, 2.0, 5.0, 20.0, 100.0}, 0.4, GpuThen::kUnknown);
}

// Images of another size.
Predictions input_size(const ExplainCase& of) {
  constexpr std::array kSides = {1.25, 1.5, 2.0};  // smaller ones read fewer bytes than weights
  try {
    (void)of.workload->image_side();
  } catch (const Error&) {
    return {};
  }
  Predictions found;
  for (const double side : kSides) {
    const twin::Estimator scaled(of.model->twin(), workload::scale_image(of.cost(), side * side),
                                 of.question.run);
    found.push_back(
        {1, prognosis_of(scaled.breakdown(of.mode), format_exact(side) + " times the side"), 0.05});
  }
  return found;
}

Predictions memory_pressure(const ExplainCase& of) {
  constexpr double kFull = 0.7;  // chosen: what else runs takes the rest
  const auto memory = of.model->memory(of.batch);
  const bool watched = of.question.seen && of.question.seen->swap_bytes_per_s;  // signs tell
  if (memory.needed_bytes() < kFull * memory.free_bytes() && !watched) return {};
  return multiplied(of, std::array{1.5, 3.0, 8.0}, 0.4, GpuThen::kWaits);
}

// Another program on the GPU or on the memory: 1.35 to 3 times the time in public measurements.
Predictions contention(const ExplainCase& of) {
  return multiplied(of, std::array{1.35, 1.65, 2.0, 3.0}, 0.15, GpuThen::kUnknown);
}

bool loads_data(const ExplainCase& of) {
  return of.workload->options().kind == WorkloadKind::kTraining ||
         of.question.run.loader_s_per_sample;
}

bool lacks_data(const ExplainCase& of) {
  return seen_value(of, &measure::SeenRun::fetch_share) > kFetchShare;
}
bool lacks_storage(const ExplainCase& of) {
  return seen_value(of, &measure::SeenRun::io_wait_share) > kIoWaitShare;
}

// The program runs on fewer cores than the mode has, or with the wrong number of threads: what the
// twin knows of that, and where a watched run shows it, what it does not know.
Predictions threads(const ExplainCase& of) {
  Predictions found;
  for (int cores = 1; cores < of.mode.cpu_cores; ++cores) {
    PowerMode fewer = of.mode;
    fewer.cpu_cores = cores;
    Prognosis there = of.in_mode(fewer, std::to_string(cores) + (cores == 1 ? " core" : " cores"));
    if (differs(of, there.time_s)) found.push_back({1, std::move(there), 0.05});
  }
  if (of.question.seen) {
    for (Prediction& one : multiplied(of, std::array{1.5, 2.5}, 0.3, GpuThen::kWaits)) {
      one.prognosis.setting = "the wrong number of threads";
      found.push_back(std::move(one));
    }
  }
  return found;
}

// A control group gives the program a share of the time that it needs on the CPU: of the launches,
// or of all, where it spins.
Predictions cpu_quota(const ExplainCase& of) {
  constexpr std::array kShares = {0.1, 0.25, 0.5, 0.75};
  const double on_cpu_s = of.expected.launch_cpu_s + of.expected.load_cpu_s;
  Predictions found;
  for (const double share : kShares) {
    for (const double needed_s : {on_cpu_s, of.expected.total.period_s}) {
      const double more_s = needed_s * (1 / share - 1);
      if (!differs(of, of.expected.total.period_s + more_s)) continue;
      found.push_back(increased(of, more_s, 0.2, format_exact(100 * share) + " %"));
    }
  }
  return found;
}

// The time with the share of it in which the program was seen to wait for data.
Predictions with_seen_stall(const ExplainCase& of) {
  if (!lacks_data(of)) return {};
  const double stall_s = of.expected.total.stall_s();
  const double busy_s = of.expected.total.period_s - stall_s;
  const double share = std::min(0.98, *of.question.seen->fetch_share);
  const double time_s = busy_s / (1 - share);
  return {increased(of, time_s - of.expected.total.period_s, 0.1, "as seen")};
}

// Fewer loader workers than asked for; or a loader that nothing is known of.
Predictions loader(const ExplainCase& of) {
  if (of.question.seen && of.question.seen->fetch_share) return with_seen_stall(of);
  if (!loads_data(of)) {
    if (!of.question.seen) return {};
    return multiplied(of, std::array{1.3, 2.0, 4.0}, 0.3, GpuThen::kWaits);
  }
  Predictions found;
  for (const int workers : {0, 1, 2}) {
    if (workers >= of.question.run.loader_workers) break;
    twin::RunOptions run = of.question.run;
    run.loader_workers = workers;
    const auto there = of.model->estimator(of.batch).breakdown(of.mode, run);
    if (!differs(of, there.total.period_s)) continue;
    found.push_back({1, prognosis_of(there, std::to_string(workers) + " workers"), 0.15});
  }
  return found;
}

Predictions storage(const ExplainCase& of) {
  if (of.question.seen && of.question.seen->fetch_share) return with_seen_stall(of);
  if (!loads_data(of) && !lacks_storage(of)) return {};
  return multiplied(of, std::array{1.5, 2.5, 5.0}, 0.3, GpuThen::kWaits);
}

// Priors follow how often a cause was confirmed in public threads about slow inference, one more
// for each; of two that numbers alone cannot separate the rarer one has less.
struct Suspect {
  SlowCause cause;
  double prior;  // relative
  bool misread;
  Predictions (*predict)(const ExplainCase&);
};
constexpr Suspect kSuspects[] = {
    {SlowCause::kNone, 6, false, &none},
    {SlowCause::kPowerMode, 6, false, &power_mode},
    {SlowCause::kGpuClock, 2, false, &gpu_clock},
    {SlowCause::kCpuClock, 1, false, &cpu_clock},
    {SlowCause::kMemoryClock, 1, false, &memory_clock},
    {SlowCause::kRuntime, 4, false, &runtime},
    {SlowCause::kPrecision, 3, false, &precision},
    {SlowCause::kPerBatch, 3, true, &per_batch},
    {SlowCause::kAsynchronousTiming, 4, true, &asynchronous_timing},
    {SlowCause::kCpuFallback, 2, false, &cpu_fallback},
    {SlowCause::kHostCopy, 2, false, &host_copy},
    {SlowCause::kPrePostProcessing, 5, false, &pre_post_processing},
    {SlowCause::kPythonCaller, 2, false, &python_caller},
    {SlowCause::kWarmUp, 2, true, &warm_up},
    {SlowCause::kInputSize, 2, true, &input_size},
    {SlowCause::kThermal, 2, false, &throttled},
    {SlowCause::kPowerLimit, 2, false, &power_limit},
    {SlowCause::kMemoryPressure, 2, false, &memory_pressure},
    {SlowCause::kContention, 2, false, &contention},
    {SlowCause::kThreads, 1, false, &threads},
    {SlowCause::kCpuQuota, 1, false, &cpu_quota},
    {SlowCause::kLoader, 4, false, &loader},
    {SlowCause::kStorage, 2, false, &storage},
};

}  // namespace

Prognosis ExplainCase::in_mode(const PowerMode& other, std::string setting) const {
  return prognosis_of(model->estimator(batch).breakdown(other), std::move(setting));
}

std::vector<WeighedCause> causes_of(const ExplainCase& of) {
  std::vector<WeighedCause> causes;
  for (const Suspect& suspect : kSuspects) {
    causes.push_back({suspect.cause, suspect.prior, suspect.misread, suspect.predict(of)});
  }
  return causes;
}

}  // namespace ridgewatt::answer
