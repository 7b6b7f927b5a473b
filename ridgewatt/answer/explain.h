// Why a measured time differs from what the hardware can do: causes by probability.
//
//   const ExplainAnswer found = explain({.workload = {.model = "zoo:resnet50"},
//                                        .device = "orin-nano-8gb", .measured_s = 0.045});
//   found.rows.front().cause;  // SlowCause::kPowerMode
//
// Every cause predicts the measured figures: time, power, load of the GPU and, for a language
// model, the time to the first token. The board's twin or the forecast of the engine computes
// them. With w_j the weight of prediction j, each cause alone and each pair of causes has
//   P ~ prior x sum_j w_j prod_f t(ln(measured_f / predicted_fj); sd_fj) x prod_s P(s | causes)
// where t is Student's t of the estimate's error, widened by what is uncertain about the cause, and
// s are the signs that a watched run showed (docs/methods/explain.md).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/answer/language.h"
#include "ridgewatt/answer/workload_question.h"
#include "ridgewatt/base/enum_array.h"
#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/measure/seen_run.h"
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
  kPartialOffload,  // of a language model: some layers on the CPU
  kHostCopy,
  kPrePostProcessing,
  kPythonCaller,
  kWarmUp,
  kInputSize,
  kContextLength,
  kThermal,
  kPowerLimit,
  kMemoryPressure,
  kContention,
  kThreads,
  kCpuQuota,
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
                           {SlowCause::kPartialOffload, "partial_offload"},
                           {SlowCause::kHostCopy, "host_copy"},
                           {SlowCause::kPrePostProcessing, "pre_post_processing"},
                           {SlowCause::kPythonCaller, "python_caller"},
                           {SlowCause::kWarmUp, "warm_up"},
                           {SlowCause::kInputSize, "input_size"},
                           {SlowCause::kContextLength, "context_length"},
                           {SlowCause::kThermal, "thermal"},
                           {SlowCause::kPowerLimit, "power_limit"},
                           {SlowCause::kMemoryPressure, "memory_pressure"},
                           {SlowCause::kContention, "contention"},
                           {SlowCause::kThreads, "threads"},
                           {SlowCause::kCpuQuota, "cpu_quota"},
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

  // For a language model, in place of the above: either one marks the model as such.
  std::optional<double> tokens_per_s = {};          // output tokens of all sequences while decoding
  std::optional<double> first_token_s = {};         // from the request to its first token
  std::optional<double> claimed_tokens_per_s = {};  // published, in this mode
  std::string engine = {};                          // a name; empty: see LanguageQuestion
  // Its quantization, request and type of cache; the rest follows from this question.
  LanguageRequest language = {};

  std::optional<measure::SeenRun> seen = {};  // what a watched run showed

  // A profile of its layers; it gives the measured time if none is stated.
  std::string profile = {};         // see trace/layer_trace.h; empty: none
  std::string layers = {};          // layer information of its engine
  std::optional<double> runs = {};  // in the profile, if it does not state them

  // Measured again after a change that should remove a cause.
  std::optional<double> after_s = {};  // of one minibatch
  std::optional<double> after_power_w = {};
  std::optional<measure::SeenRun> after_seen = {};
  std::optional<SlowCause> removed = {};  // absent: the most probable one

  bool of_language() const { return tokens_per_s || first_token_s; }
};

// The numbers of a watched run by name, as a user writes them and as JSON has them.
struct SeenValue {
  std::string_view name;
  std::optional<double> (*get)(const measure::SeenRun&);
  void (*set)(measure::SeenRun&, double);
};
std::span<const SeenValue> seen_values();

// UsageError for an unknown name, with the names.
void set_seen(measure::SeenRun& seen, const std::string& name, double value);

// What the measured time and the gap refer to.
enum class ExplainedTime { kMinibatch, kToken, kFirstToken };
constexpr auto enum_names(ExplainedTime) {
  return named<ExplainedTime>({{ExplainedTime::kMinibatch, "minibatch"},
                               {ExplainedTime::kToken, "token"},
                               {ExplainedTime::kFirstToken, "first token"}});
}

// The most probable prediction of a cause.
struct Prognosis {
  std::string setting = {};  // "15W", "onnxruntime", "batch 8"; empty: the cause has none
  double time_s = 0;         // of one minibatch, or of one token of a sequence
  std::optional<double> power_w = {};
  std::optional<double> first_token_s = {};
  std::optional<double> gpu_load = {};  // share of the time
  double stated = 1;                    // time_s over the true time: of a number that was misread
};

struct ExplainRow {
  SlowCause cause = SlowCause::kNone;
  double probability = 0;  // that it is at work, alone or with one other: more than 1 in total
  double prior = 0;        // the same before anything was measured
  double time_s = 0;       // its expected share of the gap; the rows add up to it
  Prognosis prognosis = {};
  std::vector<std::string> signs = {};  // what a watched run showed that this cause explains
  std::optional<double> gain = {};  // measured time over the time without the cause; none: nothing
                                    // to speed up, the number was misread
  double gain_low = 0, gain_high = 0;  // 90 %
};

// A measured figure, with its estimate and the 90 % interval of that.
struct ExplainedFigure {
  double measured = 0;
  double expected = 0, low = 0, high = 0;
  double gap() const { return measured - expected; }
};

// What is wrong with a layer of a profile: it takes time that was not expected.
enum class LayerFault { kOnCpu, kHostCopy, kReformat, kPrecision, kUnfused };
constexpr auto enum_names(LayerFault) {
  return named<LayerFault>({{LayerFault::kOnCpu, "on the CPU"},
                            {LayerFault::kHostCopy, "copy to or from the host"},
                            {LayerFault::kReformat, "copy to another type or layout"},
                            {LayerFault::kPrecision, "another precision"},
                            {LayerFault::kUnfused, "not fused"}});
}

// All layers of one fault.
struct FaultyLayers {
  std::size_t count = 0;
  double time_s = 0;
  double expected_s = 0;  // by the twin, of what they compute
  double longest_s = 0;
  std::string longest = {};  // its name
};

// A layer of a profile, or several of them, against what the twin expects.
struct ExplainedLayer {
  std::string name;
  std::string kind = {};  // "convolution"; empty: several
  std::optional<LayerFault> fault = {};
  double time_s = 0;
  double expected_s = 0;
  std::optional<double> roof_s = {};  // no layer with its work and traffic is faster
  double over_s() const { return time_s - expected_s; }
};

// The contents of a profile: layers by their time above the expected time, largest first; then the
// sum of the others, and the time outside of layers. Times add up to the measured time,
// expected times to the expected one.
struct ProfiledLayers {
  std::string source;                // "trtexec"
  std::optional<Runtime> runtime;    // as the profile tells
  bool measured = false;             // the measured time is that of the profile
  std::optional<double> run_s = {};  // of a whole run, by the profile
  bool on_host = false;              // its times are of the host, which does not wait for the GPU
  bool on_device = false;            // its times are of the GPU
  std::size_t count = 0;             // of layers
  double layers_s = 0;               // sum of them
  std::vector<ExplainedLayer> rows = {};
  // Absent: the profile cannot show it.
  EnumArray<LayerFault, std::optional<FaultyLayers>, count_of<LayerFault>()> faults = {};
  std::vector<std::string> remarks = {};
};

struct ExplainAnswer;

enum class ChangeVerdict { kConfirmed, kRefuted, kOpen };
constexpr auto enum_names(ChangeVerdict) {
  return named<ChangeVerdict>({{ChangeVerdict::kConfirmed, "confirmed"},
                               {ChangeVerdict::kRefuted, "refuted"},
                               {ChangeVerdict::kOpen, "open"}});
}

// The effect of a change that should remove a cause.
struct ExplainedChange {
  SlowCause removed = SlowCause::kNone;
  int rank = 1;  // of that cause, before
  double before_s = 0, after_s = 0;
  double promised = 1, promised_low = 1, promised_high = 1;  // gain, 90 %
  double probability_before = 0, probability = 0;            // that the cause was at work
  ChangeVerdict verdict = ChangeVerdict::kOpen;
  std::shared_ptr<const ExplainAnswer> after = {};  // what is left to explain
  double gain() const { return before_s / after_s; }
};

struct ExplainAnswer {
  RowOrigin origin;
  PowerMode mode;
  std::string mode_text;  // a preset's name, or its knobs
  std::string runtime;    // or engine
  std::string precision;  // or quantization
  int batch = 1;          // or concurrency
  ExplainedTime of = ExplainedTime::kMinibatch;
  ExplainedFigure time;                        // s
  std::optional<ExplainedFigure> first_token;  // s; where time is of the further tokens
  std::optional<double> measured_power_w = {};
  double expected_power_w = 0, expected_power_low_w = 0, expected_power_high_w = 0;  // 90 %
  std::optional<double> claimed_s = {};      // where given: times are scaled to it
  std::vector<std::string> widened_by = {};  // why the interval is wider than for fitted workloads
  workload::CostCaveats caveats = {};        // of the cost of the model
  std::optional<measure::SeenRun> watched = {};
  std::optional<ProfiledLayers> profile = {};
  std::vector<std::string> seen = {};  // every sign that a watched run showed
  std::vector<ExplainRow> rows;        // most probable first
  std::optional<ExplainedChange> change = {};

  double gap_s() const { return time.gap(); }
};

// UsageError when no time and no rate is given, or both; else what estimating throws, or
// ask_language().
ExplainAnswer explain(const ExplainQuestion& question);
// Whether setting the mode that was meant removes the cause.
bool is_of_mode(SlowCause cause);
// Of a workload that is loaded already, which the question does not name.
ExplainAnswer explain(const ExplainQuestion& question,
                      std::shared_ptr<const workload::DeployedWorkload> workload);

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
