// How each cause changes a run, and what a watch then observes. The sizes of the effects are
// defined only here: the explaining code does not use them.
#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/preset_sms.h"
#include "ridgewatt/evaluate/explain/simulated_run.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::evaluate {
namespace {

using answer::SlowCause;

bool chance(Random& random, double share) {
  return random.uniform() < share;
}

double log_uniform(Random& random, double low, double high) {
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

template <typename T>
const T& one_of(const std::vector<T>& values, Random& random) {
  return values[random.below(values.size())];
}

bool is_training(const RealRun& run) {
  return run.workload->options().kind == WorkloadKind::kTraining;
}

bool preset(RealRun& run, Random& random) {
  const auto& all = presets(run.board);
  const Preset& other = one_of(all, random);
  if (other.mode == run.mode) return false;
  run.mode = run.limits = other.mode;
  run.sms = sms_on(run.board, run.mode);
  run.preset = other.name;
  return true;
}

bool lower(RealRun& run, Random& random, Knob knob) {
  std::vector<double> below;
  for (const double level : run.board.find_bsp().levels[knob]) {
    if (level < run.mode.get(knob)) below.push_back(level);
  }
  if (below.empty()) return false;
  run.mode.set(knob, chance(random, 0.4) ? below.front() : one_of(below, random));
  return true;
}
bool gpu_clock(RealRun& run, Random& random) {
  return lower(run, random, Knob::kGpuClock);
}
bool cpu_clock(RealRun& run, Random& random) {
  return lower(run, random, Knob::kCpuClock);
}
bool memory_clock(RealRun& run, Random& random) {
  return lower(run, random, Knob::kMemClock);
}

bool throttle(RealRun& run, Random& random, std::optional<std::vector<std::string>>& signals) {
  const double share = random.uniform(0.35, 0.92);
  run.mode.gpu_clock_hz *= share;
  run.mode.cpu_clock_hz *= random.uniform(share, 1);
  if (signals && chance(random, 0.85)) signals->push_back("throttle");
  return true;
}
bool thermal(RealRun& run, Random& random) {
  return throttle(run, random, run.seen.hot);
}
bool power_limit(RealRun& run, Random& random) {
  return throttle(run, random, run.seen.over_current);
}

bool deploy(RealRun& run, Runtime runtime, workload::Precision precision) {
  workload::DeployOptions options = run.workload->options();
  if (options.runtime == runtime && options.precision == precision) return false;
  options.runtime = runtime;
  options.precision = precision;
  run.workload = std::shared_ptr<const workload::DeployedWorkload>(
      new workload::DeployedWorkload(run.workload->with(options)));
  return true;
}

bool runtime(RealRun& run, Random& random) {
  if (is_training(run)) return false;
  const Runtime others[] = {Runtime::kPytorchEager, Runtime::kPytorchEager, Runtime::kTorchscript,
                            Runtime::kOnnxRuntime};
  const Runtime other = others[random.below(std::size(others))];
  const auto precision = chance(random, 0.6) && is_eager(other) ? workload::Precision::kFp32
                                                                : run.workload->options().precision;
  if (other == run.workload->options().runtime || !deploy(run, other, precision)) return false;
  if (!run.seen.libraries) return true;
  run.seen.libraries->front() = other == Runtime::kOnnxRuntime ? "ONNX Runtime" : "PyTorch";
  if (other != Runtime::kOnnxRuntime) run.seen.libraries->push_back("Python");
  return true;
}

bool precision(RealRun& run, Random& random) {
  using workload::Precision;
  const std::vector<Precision> others = {Precision::kFp32, Precision::kFp16, Precision::kInt8};
  return deploy(run, run.workload->options().runtime, one_of(others, random));
}

bool per_batch(RealRun& run, Random& random) {
  if (run.batch > 1) {
    run.stated /= run.batch;
    return true;
  }
  run.batch = 2 << random.below(5);
  try {
    (void)run.workload->at(run.batch);
  } catch (const Error&) {
    return false;  // the model has a fixed batch
  }
  return true;
}

bool asynchronous_timing(RealRun& run, Random& random) {
  run.stated *= log_uniform(random, 0.02, 0.75);
  return true;
}

bool cpu_fallback(RealRun& run, Random& random) {
  run.on_cpu = chance(random, 0.4) ? 1 : random.uniform(0.03, 0.7);
  run.cpu_flop_share = random.uniform(0.12, 0.5);
  if (run.on_cpu == 1 && run.seen.libraries && chance(random, 0.8)) {
    std::erase(*run.seen.libraries, "CUDA");
  }
  return true;
}

bool host_copy(RealRun& run, Random& random) {
  const double copied = run.workload->at(run.batch)->input_bytes * random.uniform(1, 3);
  run.more_s += copied / log_uniform(random, 1e9, 8e9) + random.uniform(5e-5, 4e-4);
  return true;
}

bool pre_post_processing(RealRun& run, Random& random) {
  const double sample_s = std::exp(std::log(8e-3) + 0.8 * random.normal());
  run.more_s += sample_s * run.batch;
  run.cpu_s += sample_s * run.batch;
  return true;
}

bool python_caller(RealRun& run, Random& random) {
  const twin::TwinModel model(run.twin, run.workload, run.run, run.batch);
  if (!is_engine(model.twin().runtime) || run.run.caller != twin::EngineCaller::kCpp) return false;
  const auto caller =
      chance(random, 0.7) ? twin::EngineCaller::kThinPython : twin::EngineCaller::kFramework;
  const double call_s = model.twin().call_s(caller, run.mode) * random.uniform(0.7, 1.5);
  run.more_s += call_s;
  run.cpu_s += call_s;
  if (run.seen.libraries) run.seen.libraries->push_back("Python");
  return true;
}

bool warm_up(RealRun& run, Random& random) {
  const double factor = 1 + std::exp(0.3 + 1.2 * random.normal());
  run.stated *= factor;
  if (run.marked) run.seen.mean_over_median = factor;
  return true;
}

bool input_size(RealRun& run, Random& random) {
  try {
    (void)run.workload->image_side();
  } catch (const Error&) {
    return false;
  }
  const double side = chance(random, 0.8) ? random.uniform(1.15, 2.2) : random.uniform(0.4, 0.85);
  run.pixels = side * side;
  return true;
}

bool memory_pressure(RealRun& run, Random& random) {
  run.waits *= 1 + std::exp(0.5 + 0.7 * random.normal());
  run.seen.swap_bytes_per_s = log_uniform(random, 5e5, 2e8);
  run.seen.major_faults_per_s = log_uniform(random, 20, 5e3);
  run.seen.io_wait_share = random.uniform(0.05, 0.8);
  return true;
}

bool contention(RealRun& run, Random& random) {
  const double cores = run.mode.cpu_cores;
  if (chance(random, 0.5)) {
    run.shared *= random.uniform(1.25, 3);
    if (chance(random, 0.6)) run.seen.gpu_processes.push_back("1234 other");
    *run.seen.other_cores += random.uniform(0, 1);
    return true;
  }
  run.waits *= random.uniform(1.25, 2.5);
  *run.seen.other_cores += random.uniform(0.5, cores);
  run.seen.run_delay_share = random.uniform(0.05, 0.5);
  return true;
}

bool threads(RealRun& run, Random& random) {
  const int cores = run.mode.cpu_cores;
  if (cores < 2) return false;
  const double few = 1 + static_cast<double>(random.below(static_cast<std::uint64_t>(cores) - 1));
  run.waits *= random.uniform(1.25, 3);
  if (chance(random, 0.45)) {
    run.seen.cpus_allowed = few;
  } else if (chance(random, 0.8)) {
    run.seen.threads_set = few;
  } else {
    run.seen.run_delay_share = random.uniform(0.1, 0.5);  // too many threads
  }
  return true;
}

bool cpu_quota(RealRun& run, Random& random) {
  // Share of the required CPU time that the program gets.
  const double share = random.uniform(0.15, 0.8);
  run.waits *= 1 / share;
  run.seen.quota_cores = share * random.uniform(1, 2);
  run.seen.quota_wait_share = random.uniform(0.02, 0.95);
  return true;
}

bool loader(RealRun& run, Random& random) {
  if (is_training(run)) {
    run.run.loader_workers = static_cast<int>(random.below(2));
    return true;
  }
  const double factor = random.uniform(1.25, 5);
  run.waits *= factor;
  if (run.marked) run.seen.fetch_share = (1 - 1 / factor) * random.uniform(0.8, 1);
  return true;
}

bool storage(RealRun& run, Random& random) {
  const double factor = random.uniform(1.25, 6);
  run.waits *= factor;
  run.seen.io_wait_share = (1 - 1 / factor) * random.uniform(0.5, 1);
  run.seen.storage_bytes_per_s = log_uniform(random, 1e6, 3e8);
  if (run.marked) run.seen.fetch_share = (1 - 1 / factor) * random.uniform(0.7, 1);
  return true;
}

}  // namespace

const std::vector<InjectedCause>& injected_causes() {
  using enum SlowCause;
  static const std::vector<InjectedCause> causes = {{kPowerMode, &preset},
                                                    {kGpuClock, &gpu_clock},
                                                    {kCpuClock, &cpu_clock},
                                                    {kMemoryClock, &memory_clock},
                                                    {kRuntime, &runtime},
                                                    {kPrecision, &precision},
                                                    {kPerBatch, &per_batch},
                                                    {kAsynchronousTiming, &asynchronous_timing},
                                                    {kCpuFallback, &cpu_fallback},
                                                    {kHostCopy, &host_copy},
                                                    {kPrePostProcessing, &pre_post_processing},
                                                    {kPythonCaller, &python_caller},
                                                    {kWarmUp, &warm_up},
                                                    {kInputSize, &input_size},
                                                    {kThermal, &thermal},
                                                    {kPowerLimit, &power_limit},
                                                    {kMemoryPressure, &memory_pressure},
                                                    {kContention, &contention},
                                                    {kThreads, &threads},
                                                    {kCpuQuota, &cpu_quota},
                                                    {kLoader, &loader},
                                                    {kStorage, &storage}};
  return causes;
}

}  // namespace ridgewatt::evaluate
