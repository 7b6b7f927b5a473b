// Explains why a measured time differs from the expected time: possible causes and their
// probability.
//
//   const ExplainAnswer found = explain({.workload = {.model = "zoo:resnet50"},
//                                        .device = "orin-nano-8gb", .measured_s = 0.045});
//   found.rows.front().cause;  // SlowCause::kPowerMode
//
// Each cause predicts the measured figures: time, power, GPU load and, for a language model, the
// time to the first token. The predictions come from the board's twin or, for a language model,
// from the forecast of the engine. With weight w_j of prediction j, the probability of a cause, or
// of a pair of causes, is proportional to
//   P ~ prior x (sum_j w_j prod_f t(ln(measured_f / predicted_fj); sd_fj) x prod_s P(s | causes))^c
// Here j runs over the predictions and f over the figures, and t is the density of Student's t. Its
// scale sd_fj is the error of the estimate, widened by the uncertainty of the cause. The signs s
// are observations from a watched run, such as a rising thermal signal. The exponent c is fitted to
// simulated runs (docs/methods/explain.md).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
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

namespace ridgewatt::answer {

enum class SlowCause {
  kNone,       // the measurement is as expected
  kPowerMode,  // the board was in another preset
  kGpuClock,   // the clock is lower than in the mode; kCpuClock, kMemoryClock likewise
  kCpuClock,
  kMemoryClock,
  kRuntime,
  kPrecision,
  kPerBatch,            // the stated time is for another batch size, or per sample
  kAsynchronousTiming,  // the timer was stopped before the GPU was done
  kCpuFallback,         // operators run on the CPU
  kPartialOffload,      // some layers of a language model run on the CPU
  kHostCopy,            // each call copies the input to the GPU
  kPrePostProcessing,
  kPythonCaller,
  kWarmUp,  // the mean includes slow first runs
  kInputSize,
  kContextLength,
  kThermal,         // heat lowers the GPU clock
  kPowerLimit,      // the power limit lowers the GPU clock
  kMemoryPressure,  // memory is swapped
  kContention,      // another program uses the GPU
  kThreads,
  kCpuQuota,  // a control group limits the CPU time
  kLoader,    // too few workers of the data loader
  kStorage,   // waits for storage
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
  std::string device = {};  // name or board file
  // The mode that the user intended to set; see select_modes(). Must be a single mode.
  std::string mode = "maxn";
  std::optional<int> batch = {};  // absent: usual_batch()
  twin::RunOptions run = {};      // how the workload is fed and called
  // Time of one minibatch. Either this or `samples_per_s` is required.
  std::optional<double> measured_s = {};
  std::optional<double> samples_per_s = {};  // rate of samples
  std::optional<double> power_w = {};        // average while the workload ran
  std::optional<double> claimed_s = {};      // published time of one minibatch in this mode
  // Standard deviation of ln(claimed time or rate). Chosen: published figures are rounded.
  double claimed_error = 0.1;

  // For a language model: set `tokens_per_s` or `first_token_s`, or both. Batch, loading and times
  // of a minibatch must then be absent.
  std::optional<double> tokens_per_s = {};          // output tokens of all sequences while decoding
  std::optional<double> first_token_s = {};         // from the request to its first token
  std::optional<double> claimed_tokens_per_s = {};  // published value in this mode
  std::string engine = {};                          // name; empty: see LanguageQuestion::runtimes
  // Only quantization, request and cache type of `language` are used. The other members are set
  // from this question.
  LanguageRequest language = {};

  std::optional<measure::SeenRun> seen = {};  // observations of a watched run
  // The mode that was active during the run; see select_modes(). Empty: not observed.
  std::string seen_mode = {};
  std::vector<SlowCause> ruled_out = {};  // causes that the user excludes

  // A profile of the layers. Its measured time is used if the question has none.
  std::string profile = {};         // see trace/layer_trace.h; empty: none
  std::string layers = {};          // layer information of the engine; empty: none
  std::optional<double> runs = {};  // number of runs in the profile, if it does not state it

  // Measurements after a change that should remove a cause.
  std::optional<double> after_s = {};  // time of one minibatch
  std::optional<double> after_power_w = {};
  std::optional<measure::SeenRun> after_seen = {};
  // Cause that the change should remove; absent: the most probable cause.
  std::optional<SlowCause> removed = {};

  bool of_language() const { return tokens_per_s || first_token_s; }
};

// A number of a watched run, with its name in options and in JSON.
struct SeenValue {
  std::string_view name;
  std::optional<double> (*get)(const measure::SeenRun&);
  void (*set)(measure::SeenRun&, double);
  double most = std::numeric_limits<double>::infinity();  // highest value that set_seen() accepts
};
std::span<const SeenValue> seen_values();

// Throws UsageError for an unknown name, listing the names, and for a value above its limit.
void set_seen(measure::SeenRun& seen, const std::string& name, double value);

// The time that the answer explains.
enum class ExplainedTime { kMinibatch, kToken, kFirstToken };
constexpr auto enum_names(ExplainedTime) {
  return named<ExplainedTime>({{ExplainedTime::kMinibatch, "minibatch"},
                               {ExplainedTime::kToken, "token"},
                               {ExplainedTime::kFirstToken, "first token"}});
}

// The most probable prediction of a cause. It describes what would be measured if the cause were
// present.
struct Prognosis {
  std::string setting = {};  // "15W", "onnxruntime", "batch 8"; empty: none
  double time_s = 0;         // of one minibatch, or of one token of a sequence
  std::optional<double> power_w = {};
  std::optional<double> first_token_s = {};
  std::optional<double> gpu_load = {};  // share of the time
  // Stated time divided by true time, for causes that make the stated time wrong. Otherwise 1.
  double stated = 1;
};

struct ExplainRow {
  SlowCause cause = SlowCause::kNone;
  // Probability that the cause is present, alone or together with one other cause. The sum over all
  // rows may exceed 1.
  double probability = 0;
  double prior = 0;  // probability before any measurement
  // Expected part of the gap between measured and expected time. The sum over all rows is the gap.
  // A difference in the other direction counts for kNone, as an error of the estimate.
  double time_s = 0;
  Prognosis prognosis = {};
  std::vector<std::string> signs = {};  // observations of a watched run that this cause explains
  // Measured time divided by the time without the cause. Absent if removing the cause makes nothing
  // faster, for example if only the stated time is wrong.
  std::optional<double> gain = {};
  double gain_low = 0, gain_high = 0;  // 90 % interval
  // The cause predicts a slower run, but the measured run is faster than expected, or the reverse,
  // and no observation supports the cause. Such rows come last.
  bool against = false;
};

// A measured figure and its expected value with a 90 % interval.
struct ExplainedFigure {
  double measured = 0;
  double expected = 0, low = 0, high = 0;
  double gap() const { return measured - expected; }
  double deviation() const { return std::abs(std::log(measured / expected)); }
};

// Why a layer of a profile takes more time than expected.
enum class LayerFault { kOnCpu, kHostCopy, kReformat, kPrecision, kUnfused };
constexpr auto enum_names(LayerFault) {
  return named<LayerFault>({{LayerFault::kOnCpu, "on the CPU"},
                            {LayerFault::kHostCopy, "copy to or from the host"},
                            {LayerFault::kReformat, "copy to another type or layout"},
                            {LayerFault::kPrecision, "another precision"},
                            {LayerFault::kUnfused, "not fused"}});
}

// Summary of all layers with the same fault.
struct FaultyLayers {
  std::size_t count = 0;
  double time_s = 0;
  double expected_s = 0;  // time that the twin expects for their work
  double longest_s = 0;
  std::string longest = {};  // name of the layer with `longest_s`
};

// A layer of a profile, or several layers, compared with the twin.
struct ExplainedLayer {
  std::string name;
  std::string kind = {};  // "convolution"; empty: several kinds
  std::optional<LayerFault> fault = {};
  double time_s = 0;
  double expected_s = 0;
  std::optional<double> roof_s = {};  // lower bound from its work and traffic
  double over_s() const { return time_s - expected_s; }
};

// Layers of a profile. `rows` starts with the layers that exceed their expected time most, in
// descending order. Then follow the sum of the other layers and the time outside of layers. The
// rows add up to the total measured and the total expected time.
struct ProfiledLayers {
  std::string source;                // name of the profiler: "trtexec"
  std::optional<Runtime> runtime;    // absent: not known from the profile
  bool measured = false;             // whether the measured time comes from the profile
  std::optional<double> run_s = {};  // duration of a whole run in the profile
  bool on_host = false;    // the times were measured on the host, without waiting for the GPU
  bool on_device = false;  // the times were measured on the GPU
  std::size_t count = 0;   // number of layers
  double layers_s = 0;     // sum over all layers
  std::vector<ExplainedLayer> rows = {};
  // Absent if the profile cannot show this fault.
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

// The effect of a change that should remove the cause `removed`.
struct ExplainedChange {
  SlowCause removed = SlowCause::kNone;
  int rank = 1;  // rank of the cause before the change; 1 is the most probable
  double before_s = 0, after_s = 0;
  double promised = 1, promised_low = 1, promised_high = 1;  // expected gain with its 90 % interval
  // Probabilities that the cause was present, before and after the measurement of the change.
  double probability_before = 0, probability = 0;
  ChangeVerdict verdict = ChangeVerdict::kOpen;
  std::shared_ptr<const ExplainAnswer> after = {};  // explains the time after the change
  double gain() const { return before_s / after_s; }
};

struct ExplainAnswer {
  RowOrigin origin;
  PowerMode mode;
  std::string mode_text;       // name of a preset, or values of the knobs
  std::string mode_arguments;  // the mode as arguments of `ridgewatt mode apply`
  std::string runtime;         // runtime or engine
  std::string precision;       // precision or quantization
  int batch = 1;               // batch or concurrency
  ExplainedTime of = ExplainedTime::kMinibatch;
  ExplainedFigure time;                        // in s
  std::optional<ExplainedFigure> first_token;  // in s; `time` is then per later token
  // Which time the gap and the gains refer to: `of`, or the time to the first token if that
  // deviates more from its expected value.
  ExplainedTime gap_of = ExplainedTime::kMinibatch;
  bool on_processor = false;  // the board has no GPU
  std::optional<double> measured_power_w = {};
  // Why no mode has the measured power, which is then ignored. Empty: some mode has it.
  std::string power_fault = {};
  // "the model needs 15.6 of 7.44 GiB: it does not fit"; empty: it fits the memory.
  std::string memory_fault = {};
  // 90 % interval.
  double expected_power_w = 0, expected_power_low_w = 0, expected_power_high_w = 0;
  // From the question. If given, the expected times are scaled to it.
  std::optional<double> claimed_s = {};
  std::vector<std::string> widened_by = {};  // why intervals are wider than for fitted workloads
  workload::CostCaveats caveats = {};        // of the model
  std::optional<measure::SeenRun> watched = {};
  std::optional<ProfiledLayers> profile = {};
  std::vector<std::string> seen = {};  // all observations of the watched run
  std::vector<ExplainRow> rows;        // most probable cause first
  std::optional<ExplainedChange> change = {};

  const ExplainedFigure& gap_figure() const {
    return first_token && gap_of == ExplainedTime::kFirstToken ? *first_token : time;
  }
  double gap_s() const { return gap_figure().gap(); }
};

// Answers the question. Throws UsageError if the measured time is missing or given twice, and the
// errors of estimate_on_board() or ask_language().
ExplainAnswer explain(const ExplainQuestion& question);
// Returns whether setting the intended mode removes the cause.
bool is_of_mode(SlowCause cause);
// Uses a loaded workload in place of question.workload.
ExplainAnswer explain(const ExplainQuestion& question,
                      std::shared_ptr<const workload::DeployedWorkload> workload);

// A command or a running process to watch. If a change is given, the command runs again after it.
struct WatchedProgram {
  std::vector<std::string> command = {};
  std::optional<int> process = {};
  std::optional<double> for_s = {};  // absent: until the command ends, or 20 s for a process
  std::string then = {};             // command line of the change; empty: none
  bool apply = false;                // the change is the mode of the most probable cause

  bool given() const { return process || !command.empty(); }
  bool changes() const { return apply || !then.empty(); }
};
// Watches the program on question.device, a real or fake board, or on this machine. Sets the
// observations. Sets the power and the time of a minibatch (from the program's marks) unless the
// question states them. `say` receives remarks. Throws Error if the program or the change fails,
// and NotFoundError if the program marks no minibatches.
void watch_program(ExplainQuestion& question, const WatchedProgram& program, std::uint64_t seed,
                   const std::function<void(const std::string&)>& say);

}  // namespace ridgewatt::answer
