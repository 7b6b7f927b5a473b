// Why a measured time differs from what the hardware can do: causes by probability.
//
//   const ExplainAnswer found = explain({.workload = {.model = "zoo:resnet50"},
//                                        .device = "orin-nano-8gb", .measured_s = 0.045});
//   found.rows.front().cause;  // SlowCause::kPowerMode
//
// Every cause predicts times (and powers) by the board's twin. With w_j the weight of prediction j,
//   P(cause) ~ prior x sum_j w_j t(ln(measured / time_j); sd_j) t(ln(power / power_j); ..)
// where t is Student's t of the twin's error, widened by what is uncertain about the cause
// (docs/methods/explain.md). Numbers alone decide: nothing is run.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/answer/workload_question.h"
#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/twin/minibatch_cost.h"

#pragma GCC visibility push(default)

namespace ridgewatt::answer {

enum class SlowCause {
  kNone,  // the measurement is what the twin expects
  kPowerMode,
  kGpuClock,
  kCpuClock,
  kMemoryClock,
  kRuntime,
  kPrecision,
  kPerBatch,
  kAsynchronousTiming,
  kCpuFallback,
  kHostCopy,
  kPrePostProcessing,
  kPythonCaller,
  kWarmUp,
  kInputSize,
  kThermal,
  kPowerLimit,
  kMemoryPressure,
  kContention,
  kLoader,
  kStorage,
};
constexpr auto enum_names(SlowCause) {
  return named<SlowCause>({{SlowCause::kNone, "none"},
                           {SlowCause::kPowerMode, "power_mode"},
                           {SlowCause::kGpuClock, "gpu_clock"},
                           {SlowCause::kCpuClock, "cpu_clock"},
                           {SlowCause::kMemoryClock, "memory_clock"},
                           {SlowCause::kRuntime, "runtime"},
                           {SlowCause::kPrecision, "precision"},
                           {SlowCause::kPerBatch, "per_batch"},
                           {SlowCause::kAsynchronousTiming, "asynchronous_timing"},
                           {SlowCause::kCpuFallback, "cpu_fallback"},
                           {SlowCause::kHostCopy, "host_copy"},
                           {SlowCause::kPrePostProcessing, "pre_post_processing"},
                           {SlowCause::kPythonCaller, "python_caller"},
                           {SlowCause::kWarmUp, "warm_up"},
                           {SlowCause::kInputSize, "input_size"},
                           {SlowCause::kThermal, "thermal"},
                           {SlowCause::kPowerLimit, "power_limit"},
                           {SlowCause::kMemoryPressure, "memory_pressure"},
                           {SlowCause::kContention, "contention"},
                           {SlowCause::kLoader, "loader"},
                           {SlowCause::kStorage, "storage"}});
}

struct ExplainQuestion {
  WorkloadQuestion workload = {};
  std::string device = {};                   // a name or board file
  std::string mode = "maxn";                 // that the user believes to be set, see select_modes
  std::optional<int> batch = {};             // absent: usual_batch
  twin::RunOptions run = {};                 // how the workload is fed
  std::optional<double> measured_s = {};     // of one minibatch; this or a rate is required
  std::optional<double> samples_per_s = {};  // instead: a rate of samples
  std::optional<double> power_w = {};        // average while it ran
  std::optional<double> claimed_s = {};      // a published time of one minibatch in this mode
};

// What a cause predicts, of its predictions the most probable.
struct Prognosis {
  std::string setting = {};  // "15W", "onnxruntime", "batch 8"; empty: the cause has none
  double time_s = 0;         // of one minibatch
  std::optional<double> power_w = {};
};

struct ExplainRow {
  SlowCause cause = SlowCause::kNone;
  double probability = 0;
  double time_s = 0;  // its share of the gap: probability x gap, so that the rows add up to it
  Prognosis prognosis = {};
  std::optional<double> gain = {};  // measured time over the time without the cause; none: nothing
                                    // to speed up, the number was misread
  double gain_low = 0, gain_high = 0;  // 90 %
};

struct ExplainAnswer {
  std::shared_ptr<const workload::DeployedWorkload> workload;
  RowOrigin origin;
  PowerMode mode;
  std::string mode_text;  // a preset's name, or its knobs
  int batch = 1;
  workload::Precision precision = workload::Precision::kFp32;
  double measured_s = 0;
  std::optional<double> measured_power_w = {};
  double expected_s = 0, expected_low_s = 0, expected_high_s = 0;  // 90 %
  double expected_power_w = 0;
  std::optional<double> claimed_s = {};      // where given: times are scaled to it
  std::vector<std::string> widened_by = {};  // why the interval is wider than for fitted workloads
  std::vector<ExplainRow> rows;              // most probable first

  double gap_s() const { return measured_s - expected_s; }
};

// UsageError when neither a time nor a rate is given, or both; else what estimating throws.
ExplainAnswer explain(const ExplainQuestion& question);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
