#include "ridgewatt/answer/explain/signs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "ridgewatt/answer/explain/sign_looks.h"
#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::answer {
namespace {

using enum SlowCause;

Look throttled_by(const std::optional<std::vector<std::string>>& signals) {
  if (!signals) return {};
  return shown_if(!signals->empty(), fmt::format("throttled: {}", fmt::join(*signals, ", ")));
}
Look throttled_by_heat(const SignContext& of) {
  return throttled_by(of.seen.hot);
}
Look throttled_by_current(const SignContext& of) {
  return throttled_by(of.seen.over_current);
}

constexpr double kManyCores = 0.5;  // chosen: a background service uses less than half a core

// The least that other programs use of the cores that this program may use. With a GPU, what they
// use of all cores.
double others_on_its_cores(const SignContext& of) {
  const double others = of.seen.other_cores.value_or(1);
  if (!of.seen.cpus_online || !of.seen.cpus_allowed || of.busy_cores == 0) return others;
  return std::max(0.0, others - (*of.seen.cpus_online - *of.seen.cpus_allowed));
}

// Other programs cost a model on the processor nothing if they run on cores that it does not need.
Look other_programs_on_cpu(const SignContext& of) {
  constexpr double kWants = 0.05;  // chosen
  if (!of.seen.other_cores) return {};
  const bool spare = of.busy_cores > 0 && of.seen.run_delay_share.value_or(1) < kWants;
  return shown_if(others_on_its_cores(of) > kManyCores && !spare,
                  sentence("other programs use {:.2g} cores", *of.seen.other_cores));
}

Look waits_for_core(const SignContext& of, bool shown) {
  constexpr double kLong = 0.15;  // chosen: an idle machine shows below 0.02
  if (!of.seen.run_delay_share) return {};
  return shown_if(shown && *of.seen.run_delay_share > kLong,
                  fmt::format("waits for a core in {:.0f} % of the time in which it could run",
                              100 * *of.seen.run_delay_share));
}
// Waits because of other programs or, if these use few cores, because of its own threads.
Look waits_for_core_of_others(const SignContext& of) {
  return waits_for_core(of, others_on_its_cores(of) > kManyCores);
}
Look waits_for_own_core(const SignContext& of) {
  return waits_for_core(of, others_on_its_cores(of) <= kManyCores);
}

Look shares_gpu(const SignContext& of) {
  if (of.seen.gpu_processes.empty()) return {};
  return fmt::format("also on the GPU: {}", fmt::join(of.seen.gpu_processes, ", "));
}

Look stopped_by_quota(const SignContext& of) {
  constexpr double kOften = 0.03;  // chosen: share of its periods
  if (!of.seen.quota_wait_share) return {};
  return shown_if(*of.seen.quota_wait_share > kOften,
                  sentence("its control group may use {:.3g} cores and stops it in {:.0f} % of "
                           "its periods",
                           of.seen.quota_cores.value_or(0), 100 * *of.seen.quota_wait_share));
}

Look fewer_cpus(const SignContext& of) {
  if (!of.seen.cpus_allowed || !of.seen.cpus_online) return {};
  return shown_if(
      *of.seen.cpus_allowed < *of.seen.cpus_online,
      fmt::format("may run on {:.0f} of {:.0f} CPUs", *of.seen.cpus_allowed, *of.seen.cpus_online));
}

// Two grades, because the amount is more informative than its presence.
enum class Grade { kSome, kMuch };
bool in_grade(double value, double some, double much, Grade grade) {
  return grade == Grade::kMuch ? value > much : value > some && value <= much;
}

template <Grade kGrade>
Look swaps(const SignContext& of) {
  constexpr double kMuchBytesPerS = 5e6;  // chosen
  if (!of.seen.swap_bytes_per_s) return {};
  return shown_if(in_grade(*of.seen.swap_bytes_per_s, kSwapBytesPerS, kMuchBytesPerS, kGrade),
                  sentence("swaps {:.3g} MB/s", *of.seen.swap_bytes_per_s / 1e6));
}

Look reads_pages(const SignContext& of) {
  constexpr double kMany = 50;  // chosen: per second
  if (!of.seen.major_faults_per_s) return {};
  return shown_if(*of.seen.major_faults_per_s > kMany,
                  fmt::format("{:.0f} pages per second read from storage when accessed",
                              *of.seen.major_faults_per_s));
}

template <Grade kGrade>
Look waits_for_storage(const SignContext& of) {
  constexpr double kMuch = 0.3;  // chosen: share of the watched time
  if (!of.seen.io_wait_share) return {};
  return shown_if(
      in_grade(*of.seen.io_wait_share, kIoWaitShare, kMuch, kGrade),
      sentence("waits for storage in {:.0f} % of the time, {:.3g} MB/s",
               100 * *of.seen.io_wait_share, of.seen.storage_bytes_per_s.value_or(0) / 1e6));
}

Look waits_for_data(const SignContext& of) {
  if (!of.seen.fetch_share) return {};
  return shown_if(
      *of.seen.fetch_share > of.fetch_share + kFetchShare,
      fmt::format("waits for data in {:.0f} % of a minibatch", 100 * *of.seen.fetch_share));
}

// Whether the GPU load is below half of the expected one.
bool gpu_rests(const SignContext& of) {
  constexpr double kExpected = 0.3;  // chosen: a lower expected load is no evidence
  return of.seen.gpu_load && of.gpu_load > kExpected && *of.seen.gpu_load < 0.5 * of.gpu_load;
}

// A full core is no sign with PyTorch, which uses a core while it waits for the GPU.
Look core_is_full(const SignContext& of) {
  constexpr double kFull = 0.85;  // chosen: share of a core
  if (!of.seen.busiest_thread || !of.seen.gpu_load || of.spins) return {};
  return shown_if(*of.seen.busiest_thread > kFull,
                  fmt::format("a thread uses {:.0f} % of a core, the GPU is at {:.0f} %",
                              100 * *of.seen.busiest_thread, 100 * *of.seen.gpu_load));
}

Look gpu_is_idle(const SignContext& of) {
  constexpr double kIdle = 0.05;
  if (!of.seen.gpu_load) return {};
  return shown_if(*of.seen.gpu_load < kIdle && gpu_rests(of),
                  fmt::format("the GPU is at {:.0f} %", 100 * *of.seen.gpu_load));
}

Look first_ones_are_slow(const SignContext& of) {
  constexpr double kLonger = 1.2;  // chosen: mean over median
  if (!of.seen.mean_over_median) return {};
  return shown_if(*of.seen.mean_over_median > kLonger,
                  sentence("the mean of its minibatches is {:.2g} times their median",
                           *of.seen.mean_over_median));
}

bool mapped(const SignContext& of, std::string_view library) {
  return contains(*of.seen.libraries, library);
}

// The program has loaded the libraries of another runtime but not those of the intended one. For a
// model on the processor, see runs_otherwise().
Look another_library(const SignContext& of) {
  constexpr std::string_view kOfRuntimes[] = {"TensorRT", "ONNX Runtime", "PyTorch", "llama.cpp"};
  if (!of.seen.libraries || of.library.empty() || of.busy_cores > 0) return {};
  for (const std::string_view other : kOfRuntimes) {
    if (mapped(of, of.library)) return std::string();
    if (other != of.library && mapped(of, other)) {
      return fmt::format("{} is loaded, {} is not", other, of.library);
    }
  }
  return {};  // the runtime may be linked into the program
}

Look is_python(const SignContext& of) {
  if (!of.seen.libraries || of.python) return {};
  return shown_if(mapped(of, "Python"), "the program is Python");
}

Look no_cuda(const SignContext& of) {
  if (!of.seen.libraries || of.seen.libraries->empty() || !of.gpu) return {};
  return shown_if(!mapped(of, "CUDA"), "the program has not loaded CUDA");
}

Look fewer_threads(const SignContext& of) {
  if (!of.seen.cpus_online) return {};
  const double threads = of.seen.threads_set.value_or(*of.seen.cpus_online);
  return shown_if(threads < *of.seen.cpus_online,
                  fmt::format("its environment sets {:.0f} threads for {:.0f} CPUs", threads,
                              *of.seen.cpus_online));
}

// A model on the CPU that keeps only one of several cores busy.
Look one_core(const SignContext& of) {
  constexpr double kBusy = 0.85, kMost = 0.65;  // chosen: shares of one core and of all cores
  if (!of.seen.program_cores || !of.seen.busiest_thread || of.busy_cores < 2) return {};
  return shown_if(*of.seen.busiest_thread > kBusy && *of.seen.program_cores < kMost * of.busy_cores,
                  sentence("uses {:.2g} of {:.0f} cores, one of them fully", *of.seen.program_cores,
                           of.busy_cores));
}

Look one_core_works(const SignContext& of) {
  return of.main_computes ? one_core(of) : std::nullopt;
}
// Pre-processing is no cause for a server of a language model.
Look one_core_serves(const SignContext& of) {
  return of.main_computes ? std::nullopt : one_core(of);
}

// The marked time of a minibatch divided by the time that the user states. Empty if the stated time
// is from the marks.
std::optional<double> marks_over_stated(const SignContext& of) {
  if (!of.seen.marked_s) return {};
  const double ratio = *of.seen.marked_s / of.measured_s;
  return ratio == 1 ? std::nullopt : std::optional(ratio);
}

Look marks_are_longer(const SignContext& of) {
  constexpr double kLonger = 1.1;  // chosen
  const auto ratio = marks_over_stated(of);
  if (!ratio) return {};
  return shown_if(*ratio > kLonger,
                  sentence("its marks show {:.3g} ms per minibatch", 1e3 * *of.seen.marked_s));
}

Look marks_are_batch_times_longer(const SignContext& of) {
  constexpr double kNear = 0.1;  // chosen
  const auto ratio = marks_over_stated(of);
  if (!ratio || of.batch == 1) return {};
  return shown_if(std::abs(*ratio / of.batch - 1) < kNear,
                  fmt::format("its marks show {} times the stated time", of.batch));
}

Look marks_are_shorter(const SignContext& of) {
  constexpr double kShorter = 0.9;  // chosen
  const auto ratio = marks_over_stated(of);
  if (!ratio) return {};
  return shown_if(*ratio < kShorter,
                  sentence("its marks show only {:.3g} ms per minibatch", 1e3 * *of.seen.marked_s));
}

struct CauseChance {
  SlowCause cause;
  double shown;
};
struct SignRow {
  Look (*look)(const SignContext&);
  std::vector<CauseChance> of;  // probability that the sign is shown under these causes
  double otherwise;             // the same under all other causes
};
// Probabilities are chosen. Signs are treated as independent of each other under each cause, which
// overstates the evidence of two related signs (docs/methods/explain.md).
const std::vector<SignRow>& sign_rows() {
  static const std::vector<SignRow> rows = {
      {&another_preset,
       {{kPowerMode, 0.95}, {kGpuClock, 0.3}, {kCpuClock, 0.3}, {kMemoryClock, 0.3}},
       0.02},
      {&higher_clock, {{kPowerMode, 0.4}}, 0.01},
      {&low_gpu_clock,
       {{kGpuClock, 0.95},
        {kThermal, 0.9},
        {kPowerLimit, 0.9},
        {kPowerMode, 0.7},
        {kCpuFallback, 0.5},
        {kPartialOffload, 0.5},
        {kLoader, 0.5},
        {kStorage, 0.5},
        {kPrePostProcessing, 0.5},
        {kPythonCaller, 0.4},
        {kMemoryPressure, 0.4},
        {kCpuQuota, 0.4},
        {kThreads, 0.4}},
       0.05},
      {&low_gpu_clock_under_load,
       {{kGpuClock, 0.95}, {kThermal, 0.92}, {kPowerLimit, 0.92}, {kPowerMode, 0.7}},
       0.02},
      {&low_gpu_clock_at_rest,
       {{kGpuClock, 0.95}, {kThermal, 0.92}, {kPowerLimit, 0.92}, {kPowerMode, 0.8}},
       0.4},
      {&very_low_gpu_clock,
       {{kGpuClock, 0.5}, {kPowerMode, 0.2}, {kThermal, 0.05}, {kPowerLimit, 0.05}},
       0.2},
      {&rests_at_level, {{kGpuClock, 0.9}, {kPowerMode, 0.9}}, 0.3},
      {&low_cpu_clock,
       {{kCpuClock, 0.95}, {kPowerMode, 0.6}, {kThermal, 0.7}, {kPowerLimit, 0.7}},
       0.1},
      {&cpu_is_lowest,
       {{kCpuClock, 0.95}, {kPowerMode, 0.4}, {kThermal, 0.05}, {kPowerLimit, 0.05}},
       0.8},
      {&low_memory_clock, {{kMemoryClock, 0.95}, {kPowerMode, 0.5}}, 0.03},
      {&throttled_by_heat, {{kThermal, 0.9}, {kPowerLimit, 0.1}}, 0.02},
      {&throttled_by_current, {{kPowerLimit, 0.8}, {kThermal, 0.1}}, 0.02},
      {&other_programs_on_cpu, {{kContention, 0.7}}, 0.06},
      {&waits_for_core_of_others, {{kContention, 0.5}, {kThreads, 0.1}, {kCpuQuota, 0.1}}, 0.01},
      {&waits_for_own_core,
       {{kThreads, 0.35}, {kLoader, 0.3}, {kCpuQuota, 0.2}, {kContention, 0.05}},
       0.01},
      {&shares_gpu, {{kContention, 0.5}}, 0.06},
      {&stopped_by_quota, {{kCpuQuota, 0.95}}, 0.01},
      {&fewer_cpus, {{kThreads, 0.5}}, 0.02},
      {&fewer_threads, {{kThreads, 0.5}}, 0.02},
      {&one_core_works, {{kThreads, 0.7}, {kPrePostProcessing, 0.4}, {kPythonCaller, 0.3}}, 0.05},
      {&one_core_serves, {{kThreads, 0.7}}, 0.05},
      {&cores_work,
       {{kThreads, 0.15}, {kCpuQuota, 0.05}, {kContention, 0.1}, {kStorage, 0.5}, {kLoader, 0.5}},
       0.7},
      {&another_library, {{kRuntime, 0.9}}, 0.02},
      {&runs_otherwise, {{kRuntime, 0.5}}, 0.01},
      {&writes_profile, {{kRuntime, 0.5}}, 0.002},
      {&workers_compute, {{kLoader, 0.7}, {kPrePostProcessing, 0.2}}, 0.03},
      {&main_thread_idles,
       {{kLoader, 0.9}, {kStorage, 0.8}, {kMemoryPressure, 0.5}, {kCpuQuota, 0.5}},
       0.04},
      {&computes_outside,
       {{kPrePostProcessing, 0.95}, {kHostCopy, 0.9}, {kPythonCaller, 0.9}, {kRuntime, 0.2}},
       0.03},
      {&touches_input_again, {{kHostCopy, 0.9}}, 0.25},
      {&minibatches_differ,
       {{kInputSize, 0.5},
        {kContention, 0.5},
        {kMemoryPressure, 0.6},
        {kLoader, 0.4},
        {kStorage, 0.4},
        {kCpuQuota, 0.6},
        {kWarmUp, 0.3}},
       0.06},
      {&profile_of_other_runtime, {{kRuntime, 0.97}}, 0.01},
      {&layers_on_cpu, {{kCpuFallback, 0.97}}, 0.01},
      {&layers_copied_to_host, {{kHostCopy, 0.9}, {kCpuFallback, 0.6}}, 0.03},
      {&layers_in_other_precision, {{kPrecision, 0.95}, {kRuntime, 0.3}}, 0.02},
      {&layers_reformatted, {{kPrecision, 0.4}, {kRuntime, 0.3}}, 0.1},
      {&layers_not_fused, {{kRuntime, 0.8}}, 0.05},
      {&time_outside_of_layers,
       {{kPrePostProcessing, 0}, {kHostCopy, 0}, {kPythonCaller, 0}, {kLoader, 0}, {kStorage, 0}},
       0},
      {&no_cuda, {{kCpuFallback, 0.5}}, 0.02},
      {&is_python,
       {{kPythonCaller, 0.97}, {kRuntime, 0.8}, {kPrePostProcessing, 0.4}, {kLoader, 0.3}},
       0.12},
      {&marks_are_longer, {{kAsynchronousTiming, 0}, {kPerBatch, 0}}, 0},
      {&marks_are_batch_times_longer, {{kPerBatch, 0}}, 0},
      {&marks_are_shorter, {{kWarmUp, 0}, {kPrePostProcessing, 0}}, 0},
      {&swaps<Grade::kSome>, {{kMemoryPressure, 0.2}}, 0.03},
      {&swaps<Grade::kMuch>, {{kMemoryPressure, 0.7}}, 0.004},
      {&reads_pages, {{kMemoryPressure, 0.7}, {kStorage, 0.3}, {kWarmUp, 0.2}}, 0.02},
      {&waits_for_storage<Grade::kSome>,
       {{kStorage, 0.3}, {kMemoryPressure, 0.3}, {kLoader, 0.1}, {kWarmUp, 0.2}},
       0.03},
      {&waits_for_storage<Grade::kMuch>,
       {{kStorage, 0.6}, {kMemoryPressure, 0.5}, {kLoader, 0.06}, {kWarmUp, 0.1}},
       0.005},
      {&reads_storage,
       {{kStorage, 0.7}, {kMemoryPressure, 0.4}, {kLoader, 0.2}, {kWarmUp, 0.3}},
       0.03},
      {&waits_for_data, {{kLoader, 0.95}, {kStorage, 0.9}, {kContention, 0.1}}, 0.03},
      {&core_is_full,
       {{kCpuFallback, 0.9},
        {kPartialOffload, 0.9},
        {kPrePostProcessing, 0.9},
        {kPythonCaller, 0.6},
        {kCpuClock, 0.5},
        {kThreads, 0.5}},
       0.3},
      {&gpu_is_idle, {{kCpuFallback, 0.6}, {kLoader, 0.1}, {kStorage, 0.1}}, 0.03},
      {&first_ones_are_slow,
       {{kWarmUp, 0.9}, {kMemoryPressure, 0.4}, {kContention, 0.2}, {kStorage, 0.3}},
       0.05}};
  return rows;
}

}  // namespace

double SeenSign::probability(SlowCause a, SlowCause b) const {
  if (otherwise == 0) return 1;
  double hidden = 1 - otherwise, kept = 1;
  for (const auto& [cause, chance] : of) {
    if (cause != a && cause != b) continue;
    if (chance < otherwise) {
      kept *= chance / otherwise;
    } else {
      hidden *= (1 - chance) / (1 - otherwise);
    }
  }
  const double visible = (1 - hidden) * kept;
  return shown ? visible : 1 - visible;
}

bool SeenSign::belongs_to(SlowCause cause) const {
  return std::any_of(of.begin(), of.end(), [&](const auto& one) { return one.first == cause; });
}

std::vector<SeenSign> signs_in(const SignContext& context) {
  std::vector<SeenSign> signs;
  for (const SignRow& row : sign_rows()) {
    const Look seen = row.look(context);
    if (!seen) continue;
    SeenSign& sign = signs.emplace_back();
    sign.shown = !seen->empty();
    sign.text = *seen;
    sign.otherwise = row.otherwise;
    for (const auto& [cause, shown] : row.of) sign.of.emplace_back(cause, shown);
  }
  return signs;
}

}  // namespace ridgewatt::answer
