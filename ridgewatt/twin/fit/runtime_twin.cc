#include "ridgewatt/twin/runtime_twin.h"
#include "ridgewatt/twin/fit/board_number.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/numerics/posterior.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {
namespace {

using R = RuntimeParam;
using P = TwinParam;

// Priors of one parameter, by Runtime. The twin of a processor has its own parameters
// (twin/cpu_twin.h).
consteval auto priors_of(double RuntimePriors::*parameter) {
  std::array<double, kRuntimeRows.size()> priors{};
  for (const auto& row : kRuntimeRows) {
    if (!row.on_cpu) priors[static_cast<std::size_t>(row.id)] = row.priors.*parameter;
  }
  return priors;
}

// The widths state the uncertainty of the medians in device/runtime.h.
using Priors = RuntimePriors;
constexpr RuntimeParamSpec kRuntimeSpecs[] = {
    {R::kLaunch, "launch", "1", priors_of(&Priors::launch), 0.6, "CPU time of a launch"},
    {R::kRun, "run", "1", priors_of(&Priors::run), 0.7, "CPU time per run other than launches"},
    {R::kCaller, "caller", "1", priors_of(&Priors::caller), 1.0,
     "CPU time per run of a Python framework that calls the engine"},
    {R::kThinCaller, "thin_caller", "1", priors_of(&Priors::thin_caller), 0.7,
     "CPU time per run of Python code that only enqueues the engine and waits"},
    {R::kKernel, "kernel", "1", priors_of(&Priors::kernel), 0.5,
     "GPU time that a kernel takes in addition to its work"},
    {R::kGraph, "graph", "1", priors_of(&Priors::graph), 0.3,
     "share of that time which is left where the launches are replayed as a CUDA graph"},
    {R::kTraffic, "traffic", "1", priors_of(&Priors::traffic), 0.25, "bytes moved"},
    {R::kFill, "fill", "1", priors_of(&Priors::fill), 0.5,
     "output elements that half fill the GPU"},
    {R::kShort, "short", "1", priors_of(&Priors::short_macs), 0.7,
     "multiply-accumulates per result that filling a contraction's pipeline takes"},
    {R::kNarrow, "narrow", "1", priors_of(&Priors::narrow_columns), 0.7,
     "columns that a contraction's tiles compute outside its result"},
    {R::kOnChip, "on_chip", "1", priors_of(&Priors::on_chip), 0.5,
     "share of the activations' traffic that a large enough cache keeps from memory"},
    {R::kConvFp32, "conv_fp32", "1", priors_of(&Priors::conv_fp32), 0.4,
     "rate of convolutions in FP32 and TF32"},
    {R::kConvFp16, "conv_fp16", "1", priors_of(&Priors::conv_fp16), 0.4,
     "rate of convolutions in FP16 and BF16, relative to the ratio of peaks", R::kConvFp32},
    {R::kConvInt8, "conv_int8", "1", priors_of(&Priors::conv_int8), 0.4,
     "rate of convolutions in INT8 and FP8, relative to the ratio of peaks", R::kConvFp16},
    {R::kProductFp32, "product_fp32", "1", priors_of(&Priors::product_fp32), 0.4,
     "rate of products in FP32 and TF32"},
    {R::kProductFp16, "product_fp16", "1", priors_of(&Priors::product_fp16), 0.4,
     "rate of products in FP16 and BF16, relative to the ratio of peaks", R::kProductFp32},
    {R::kProductInt8, "product_int8", "1", priors_of(&Priors::product_int8), 0.4,
     "rate of products in INT8 and FP8, relative to the ratio of peaks", R::kProductFp16},
    {R::kDepthwise, "depthwise", "1", priors_of(&Priors::depthwise), 0.4,
     "rate of depthwise convolutions"},
};
static_assert(std::size(kRuntimeSpecs) == kRuntimeParamCount);

std::vector<std::string> words(const TwinTable& table, const std::string& key) {
  const auto found = table.texts.find(key);
  return found == table.texts.end() || found->second.empty() ? std::vector<std::string>{}
                                                             : split(found->second, ' ');
}

void read_correlations(const TwinTable& table, const std::string& where, RuntimeTwin& twin) {
  if (!table.texts.contains("correlations")) return;
  const auto parts = words(table, "correlations");
  constexpr std::size_t kCount = kRuntimeParamCount;
  if (parts.size() != kCount * (kCount - 1) / 2) {
    throw InputError("a runtime's table must have one correlation per pair of parameters", where);
  }
  twin.correlations.assign(kCount * kCount, 0.0);
  std::size_t next = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    twin.correlations[i * kCount + i] = 1;
    for (std::size_t j = 0; j < i; ++j) {
      const auto value = parse_double(parts[next++]);
      if (!value || !(std::abs(*value) <= 1)) {
        throw InputError("the correlations of a runtime's table must be numbers from -1 to 1",
                         where);
      }
      twin.correlations[i * kCount + j] = twin.correlations[j * kCount + i] = *value;
    }
  }
}

// Throws InputError for an unknown key, and for a text in place of a number or vice versa.
void check_runtime_keys(const TwinTable& table, const std::string& where) {
  std::set<std::string, std::less<>> numbers = {
      "error.time",    "error.board",     "error.precision",       "error.power",
      "error.degrees", "fit.time_median", "fit.unseen_time_median"};
  std::set<std::string, std::less<>> texts = {"correlations", "boards", "precisions", "origin"};
  for (const auto& spec : kRuntimeSpecs) {
    for (const char* part : {".value", ".lo", ".hi"}) numbers.insert(std::string(spec.key) + part);
    for (const char* part : {".unit", ".source"}) texts.insert(std::string(spec.key) + part);
  }
  const auto check = [&](const auto& found, const auto& known, const char* kind) {
    for (const auto& [key, value] : found) {
      if (known.contains(key)) continue;
      throw InputError(fmt::format("is not the key of a {} in a runtime's table", kind),
                       where + "." + escape_terminal(key));
    }
  };
  check(table.numbers, numbers, "number");
  check(table.texts, texts, "text");
}

double entry_or(const TwinTable& table, const std::string& key, double otherwise) {
  const auto found = table.numbers.find(key);
  return found == table.numbers.end() ? otherwise : found->second;
}

RuntimeErrors runtime_errors(const TwinTable& table, const std::string& where) {
  RuntimeErrors errors;
  const auto number = [&](const std::string& key, double otherwise) {
    return entry_or(table, key, otherwise);
  };
  const auto deviation = [&](const std::string& key, double otherwise) {
    constexpr double kMostDeviation = 100;  // chosen: of a logarithm
    return within(number(key, otherwise), 0, kMostDeviation, where + "." + key);
  };
  errors.time = deviation("error.time", errors.time);
  errors.board = deviation("error.board", errors.board);
  errors.precision = deviation("error.precision", errors.precision);
  errors.power = deviation("error.power", errors.power);
  // chosen: wider than any fit
  errors.degrees =
      within(number("error.degrees", errors.degrees), 1e-3, 1e9, where + ".error.degrees");
  return errors;
}

RuntimeTwin read_table(Runtime runtime, const TwinTable& table, const std::string& source) {
  RuntimeTwin twin = prior_runtime_twin(runtime);
  const std::string where = fmt::format("{}: runtime.{}", source, name_of(runtime));
  check_runtime_keys(table, where);
  const auto number = [&](const std::string& key, double otherwise) {
    return entry_or(table, key, otherwise);
  };
  constexpr double kRounding = 1.001;  // tolerance for the written digits
  for (const auto& spec : kRuntimeSpecs) {
    const auto i = static_cast<std::size_t>(spec.param);
    const std::string key(spec.key);
    const double prior = twin.values[i];
    const auto near = [&](const char* part, double otherwise) {
      return near_prior(number(key + part, otherwise), prior, where + "." + key + part);
    };
    twin.values[i] = near(".value", prior);
    const double width = std::exp(kNormal95 * twin.log_sd[i]);
    const double lo = near(".lo", twin.values[i] / width);
    const double hi = near(".hi", twin.values[i] * width);
    if (!(hi >= lo) || !(twin.values[i] * kRounding >= lo) || !(twin.values[i] <= hi * kRounding)) {
      throw InputError("a runtime's parameter must be within its interval", where + "." + key);
    }
    twin.log_sd[i] = std::log(hi / lo) / (2 * kNormal95);
  }
  read_correlations(table, where, twin);
  twin.errors = runtime_errors(table, where);
  const auto share = [&](const char* key) {
    return within(number(key, 0), 0, 1000, where + "." + key);  // chosen: no fit is off by more
  };
  twin.fit_error = share("fit.time_median");
  twin.unseen_error = share("fit.unseen_time_median");
  twin.boards = words(table, "boards");
  twin.precisions = words(table, "precisions");
  const auto origin = table.texts.find("origin");
  if (origin != table.texts.end()) twin.origin = origin->second;
  return twin;
}

}  // namespace

namespace {

// Whether the eager rows include a board that is more like `board` than the reference is: with the
// same system on a chip, and closer in size.
bool is_nearer(const Board& board, const Board& reference) {
  if (board.soc != reference.soc) return false;
  const auto distance = [&](const Board& other) {
    return std::abs(std::log(static_cast<double>(board.sms) / other.sms));
  };
  const auto eager =
      words(reference.runtimes.at(std::string(name_of(Runtime::kPytorchEager))), "boards");
  return std::any_of(eager.begin(), eager.end(), [&](const std::string& name) {
    return distance(load_board(name)) < distance(reference);
  });
}

}  // namespace

std::span<const RuntimeParamSpec> runtime_parameters() {
  return kRuntimeSpecs;
}

bool RuntimeTwin::fitted_on(std::string_view board) const {
  return std::find(boards.begin(), boards.end(), board) != boards.end();
}

bool RuntimeTwin::fitted_in(std::string_view precision) const {
  return std::find(precisions.begin(), precisions.end(), precision) != precisions.end();
}

double RuntimeTwin::parameter_variance(const std::array<double, kRuntimeParamCount>& slopes) const {
  return variance_along(slopes, log_sd, correlations);
}

RuntimeTwin prior_runtime_twin(Runtime runtime) {
  RuntimeTwin twin;
  twin.runtime = runtime;
  for (const auto& spec : kRuntimeSpecs) {
    const auto i = static_cast<std::size_t>(spec.param);
    twin.values[i] = spec.prior[static_cast<std::size_t>(runtime)];
    twin.log_sd[i] = spec.prior_log_sd;
  }
  return twin;
}

namespace {

// FLOP of a multiprocessor per cycle in TensorRT's FP16 kernels (see sum_in_fp16()).
double fp16_rate(const Board& board) {
  return std::max(stated_rate(board, Arithmetic::kFp16).value_or(0),
                  stated_rate(board, Arithmetic::kInt8).value_or(0) / 2);
}

// `short` and `narrow` are times outside the tensor cores, in multiply-accumulates of these. On a
// GPU with slower tensor cores, the same times are fewer multiply-accumulates. Faster tensor cores
// are also fed faster (Thor). GPUs without TF32 have no asynchronous copies to shared memory, hence
// other kernels.
void count_at_rate_of(const Board& board, const Board& reference, RuntimeTwin& twin) {
  if (!supports(board, Arithmetic::kTf32)) return;
  const double share = std::min(1.0, fp16_rate(board) / fp16_rate(reference));
  for (const R param : {R::kShort, R::kNarrow}) {
    twin.values[static_cast<std::size_t>(param)] *= share;
  }
}

}  // namespace

RuntimeTwins load_runtime_twins(const Board& board) {
  RuntimeTwins twins;
  const Board reference = board.name == kReferenceBoard ? Board{} : load_board(kReferenceBoard);
  const Board same_chip = board.engines.empty() ? Board{} : load_board(board.engines);
  for (const Runtime runtime : kRuntimes) {
    const std::string name(name_of(runtime));
    const Board* from = nullptr;
    if (board.runtimes.contains(name)) {
      from = &board;
    } else if (same_chip.runtimes.contains(name)) {
      from = &same_chip;
    } else if (reference.runtimes.contains(name) &&
               (!is_eager(runtime) || is_nearer(board, reference))) {
      from = &reference;
    }
    twins.push_back(from == nullptr ? prior_runtime_twin(runtime)
                                    : read_table(runtime, from->runtimes.at(name), from->source));
    if (from == &reference && runtime == Runtime::kTensorRt) {
      count_at_rate_of(board, reference, twins.back());
    }
  }
  return twins;
}

TwinTable runtime_table(const RuntimeTwin& runtime) {
  TwinTable table;
  const auto rounded = [](double value) { return std::stod(fmt::format("{:.4g}", value)); };
  std::vector<std::string> correlations;
  for (const auto& spec : kRuntimeSpecs) {
    const auto i = static_cast<std::size_t>(spec.param);
    const std::string key(spec.key);
    const double width = std::exp(kNormal95 * runtime.log_sd[i]);
    table.numbers[key + ".value"] = rounded(runtime.values[i]);
    table.numbers[key + ".lo"] = rounded(runtime.values[i] / width);
    table.numbers[key + ".hi"] = rounded(runtime.values[i] * width);
    table.texts[key + ".unit"] = std::string(spec.unit);
    table.texts[key + ".source"] = runtime.log_sd[i] < 0.9 * spec.prior_log_sd ? "fitted" : "prior";
    for (std::size_t j = 0; j < i && !runtime.correlations.empty(); ++j) {
      correlations.push_back(
          fmt::format("{:.3g}", runtime.correlations[i * kRuntimeParamCount + j]));
    }
  }
  if (!correlations.empty()) {
    table.texts["correlations"] = fmt::format("{}", fmt::join(correlations, " "));
  }
  table.numbers["error.time"] = rounded(runtime.errors.time);
  table.numbers["error.board"] = rounded(runtime.errors.board);
  table.numbers["error.precision"] = rounded(runtime.errors.precision);
  table.numbers["error.power"] = rounded(runtime.errors.power);
  table.numbers["error.degrees"] = rounded(runtime.errors.degrees);
  table.numbers["fit.time_median"] = rounded(runtime.fit_error);
  table.numbers["fit.unseen_time_median"] = rounded(runtime.unseen_error);
  table.texts["boards"] = fmt::format("{}", fmt::join(runtime.boards, " "));
  table.texts["precisions"] = fmt::format("{}", fmt::join(runtime.precisions, " "));
  table.texts["origin"] = runtime.origin;
  return table;
}

bool changes(const Twin& twin, Runtime runtime, WorkloadKind kind) {
  if (!is_eager(runtime)) return true;
  // The sweeps of a twin are of PyTorch. A scaled twin has sweeps of another board and release.
  return !twin.relative.empty() && kind == WorkloadKind::kInference && !twin.runtimes.empty() &&
         twin.runtimes.front().fitted();
}

namespace {

// TensorRT's FP16 kernels also sum in FP16. GeForce cards then reach twice their stated rate, which
// is for FP32 sums. This is half the rate of INT8, as on every other GPU with INT8 tensor cores.
// Fused attention sums over all keys in FP32.
void sum_in_fp16(Twin& twin) {
  const auto of = [&](Arithmetic arithmetic) -> Twin::ContractionSpeedup& {
    return twin.speedups[static_cast<std::size_t>(arithmetic)];
  };
  Twin::ContractionSpeedup& fp16 = of(Arithmetic::kFp16);
  const Twin::ContractionSpeedup& int8 = of(Arithmetic::kInt8);
  const double stated = fp16.product;
  fp16 = {std::max(fp16.conv, int8.conv / 2), std::max(fp16.product, int8.product / 2)};
  if (stated > 0) {
    twin.gains[static_cast<std::size_t>(Arithmetic::kFp16)].attention *= stated / fp16.product;
  }
}

}  // namespace

Twin on_runtime(const Twin& twin, Runtime runtime, WorkloadKind kind) {
  if (twin.cpu && kind == WorkloadKind::kTraining) {
    throw NotSupportedError("training is modelled only on boards with a GPU", twin.board,
                            "name another board");
  }
  if ((twin.cpu != nullptr) != is_on_cpu(runtime)) {
    throw NotSupportedError(
        twin.cpu
            ? fmt::format(
                  "{} has no GPU, so only runtimes onnxruntime-cpu and tflite-cpu are modelled",
                  twin.board)
            : fmt::format("{} is modelled only with its GPU", twin.board),
        std::string(name_of(runtime)),
        twin.cpu ? "give --runtime onnxruntime-cpu"
                 : fmt::format("{} needs a processor's board file: calibrate --device local",
                               name_of(runtime)));
  }
  if (twin.cpu) {
    Twin same = twin;
    same.runtime = runtime;
    return same;
  }
  if (twin.changed_by) {
    if (twin.changed_by->runtime == runtime) return twin;
    throw UsageError("the twin is fitted for one runtime, so it cannot estimate another",
                     std::string(name_of(runtime)));
  }
  if (!changes(twin, runtime, kind)) return twin;
  const RuntimeTwin of = twin.runtimes.empty()
                             ? prior_runtime_twin(runtime)
                             : twin.runtimes.at(static_cast<std::size_t>(runtime));
  Twin priced = twin;
  priced.runtime = runtime;
  priced.changed_by = std::make_shared<const RuntimeTwin>(of);
  // For eager mode, only a few times are known, and no power. The twin keeps its status. The power
  // of every runtime follows from the parameters of eager mode.
  if (!is_eager(runtime) && twin.status != kFittedToFake) {
    priced.status = !of.fitted_on(twin.board) ? "scaled, not validated"
                    : twin.status == "fitted" ? "fitted"
                                              : "time fitted, power " + twin.status;
  }
  priced.fit = {};
  const auto scale = [&](P param, double ratio) {
    priced.values[static_cast<std::size_t>(param)] *= ratio;
  };
  for (const P param : {P::kLaunchCycles, P::kLaunchMemoryCycles, P::kLaunchFixed}) {
    scale(param, of[R::kLaunch]);
  }
  if (is_engine(runtime)) {
    for (std::size_t i = 0; i < kTwinParamCount; ++i) priced.values[i] *= twin.engine_ratios[i];
    const double host_cycles = twin[P::kHostCyclesPerBatch];
    priced.call_cycles[EngineCaller::kThinPython] = of[R::kThinCaller] * host_cycles;
    priced.call_cycles[EngineCaller::kFramework] = of[R::kCaller] * host_cycles;
  }
  priced.graph_kernel_share = std::min(1.0, of[R::kGraph]);
  scale(P::kHostCyclesPerBatch, of[R::kRun]);
  if (!is_eager(runtime)) {
    scale(P::kHostCyclesPerByte, 0);  // inputs are already in memory that the GPU reads
  }
  scale(P::kKernelCycles, of[R::kKernel]);
  scale(P::kConvTraffic, of[R::kTraffic]);
  scale(P::kVectorTraffic, of[R::kTraffic]);
  scale(P::kFillElements, of[R::kFill]);
  // The depthwise kernels of an engine keep their window on chip.
  if (kRuntimeRows[runtime].priors.window_on_chip) scale(P::kDepthwiseWindowTraffic, 0);
  priced.short_macs = of[R::kShort];
  priced.narrow_columns = of[R::kNarrow];
  priced.on_chip_share = std::min(0.95, of[R::kOnChip]);
  scale(P::kDepthwiseRate, of[R::kDepthwise]);
  const auto gain = [&](Arithmetic arithmetic, R conv, R product) {
    priced.gains[static_cast<std::size_t>(arithmetic)] = {of[conv], of[product]};
  };
  for (const ArithmeticRow& row : kArithmeticRows) {
    if (row.bits >= 32) gain(row.id, R::kConvFp32, R::kProductFp32);
    if (row.bits == 16) gain(row.id, R::kConvFp16, R::kProductFp16);
    if (row.bits < 16) gain(row.id, R::kConvInt8, R::kProductInt8);
  }
  if (runtime == Runtime::kTensorRt) sum_in_fp16(priced);
  // Engines multiply FP32 matrices in TF32 if the GPU has it (TensorRT's builder flag TF32 and the
  // CUDA provider's use_tf32 are on by default). PyTorch uses TF32 only for convolutions.
  const auto& tf32 = twin.speedups[static_cast<std::size_t>(Arithmetic::kTf32)];
  if (is_engine(runtime) && tf32.product > 0) {
    priced.speedups[static_cast<std::size_t>(Arithmetic::kFp32)].product = tf32.product;
  }
  return priced;
}

}  // namespace ridgewatt::twin
