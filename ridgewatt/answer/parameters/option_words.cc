// Words that people type instead of option names.
#include <algorithm>

#include "ridgewatt/answer/parameter.h"
#include "ridgewatt/device/runtime.h"
#include "ridgewatt/workload/precision.h"

namespace ridgewatt::answer {
namespace {

// clang-format off
constexpr OptionWord kWords[] = {
    {"fps", "arrival-rate"},
    {"qps", "arrival-rate"},
    {"rps", "arrival-rate"},
    {"rate", "arrival-rate"},
    {"throughput", "arrival-rate"},
    {"requests-per-second", "arrival-rate"},
    {"requests-per-s", "arrival-rate"},
    {"frames-per-second", "arrival-rate"},
    {"arrivals", "arrival-rate"},
    {"arrival", "arrival-rate"},
    {"tps", "min-tokens-per-s"},
    {"tokens-per-second", "min-tokens-per-s"},
    {"tokens-per-s", "min-tokens-per-s"},
    {"throughput", "min-tokens-per-s"},
    {"power", "max-power"},
    {"watts", "max-power"},
    {"watt", "max-power"},
    {"power-limit", "max-power"},
    {"power-budget", "max-power"},
    {"power-cap", "max-power"},
    {"power-max", "max-power"},
    {"tdp", "max-power"},
    {"budget", "max-power"},
    {"latency", "max-latency"},
    {"max-delay", "max-latency"},
    {"delay", "max-latency"},
    {"slo", "max-latency"},
    {"qos", "max-latency"},
    {"latency-limit", "max-latency"},
    {"deadline", "max-latency"},
    {"latency", "max-time"},
    {"time", "max-time"},
    {"duration", "max-time"},
    {"time-limit", "max-time"},
    {"deadline", "max-time"},
    {"ttft", "max-ttft"},
    {"time-to-first-token", "max-ttft"},
    {"latency", "max-ttft"},
    {"tpot", "max-tpot"},
    {"itl", "max-tpot"},
    {"time-per-token", "max-tpot"},
    {"energy", "max-energy"},
    {"joules", "max-energy"},
    {"joule", "max-energy"},
    {"energy-limit", "max-energy"},
    {"energy-budget", "max-energy"},
    {"slowdown", "max-slowdown"},
    {"board", "device"},
    {"gpu", "device"},
    {"platform", "device"},
    {"hardware", "device"},
    {"machine", "device"},
    {"jetson", "device"},
    {"target", "device"},
    {"hw", "device"},
    {"dev", "device"},
    {"devices", "device"},
    {"boards", "device"},
    {"fp32", "quantization", "f32"},
    {"float32", "quantization", "f32"},
    {"fp16", "quantization", "f16"},
    {"float16", "quantization", "f16"},
    {"half", "quantization", "f16"},
    {"bf16", "quantization", "bf16"},
    {"bfloat16", "quantization", "bf16"},
    {"int8", "quantization", "int8"},
    {"int4", "quantization", "int4"},
    {"fp8", "quantization", "fp8"},
    {"dtype", "precision"},
    {"data-type", "precision"},
    {"type", "precision"},
    {"quant", "quantization"},
    {"quantize", "quantization"},
    {"quantisation", "quantization"},
    {"dtype", "quantization"},
    {"bits", "quantization"},
    {"precision", "quantization"},
    {"weights", "quantization"},
    {"engine", "runtime"},
    {"backend", "runtime"},
    {"framework", "runtime"},
    {"provider", "runtime"},
    {"execution-provider", "runtime"},
    {"runtimes", "runtime"},
    {"bs", "batch"},
    {"batch-size", "batch"},
    {"batch-sizes", "batch"},
    {"batches", "batch"},
    {"minibatch", "batch"},
    {"minibatch-size", "batch"},
    {"batch", "concurrency"},
    {"batch-size", "concurrency"},
    {"users", "concurrency"},
    {"sequences", "concurrency"},
    {"parallel", "concurrency"},
    {"clients", "concurrency"},
    {"mode", "modes"},
    {"preset", "modes"},
    {"power-mode", "modes"},
    {"nvpmodel", "modes"},
    {"power-modes", "modes"},
    {"modes", "mode"},
    {"preset", "mode"},
    {"power-mode", "mode"},
    {"nvpmodel", "mode"},
    {"train", "training"},
    {"backward", "training"},
    {"training-step", "training"},
    {"shape", "dim"},
    {"shapes", "dim"},
    {"input-shape", "dim"},
    {"input-size", "dim"},
    {"image-size", "dim"},
    {"imgsz", "dim"},
    {"resolution", "dim"},
    {"dims", "dim"},
    {"sequence", "dim"},
    {"sequence-length", "dim"},
    {"seq-len", "dim"},
    {"seqlen", "dim"},
    {"prompt-tokens", "prompt"},
    {"prompt-length", "prompt"},
    {"prompt-len", "prompt"},
    {"input-tokens", "prompt"},
    {"input-length", "prompt"},
    {"input-len", "prompt"},
    {"isl", "prompt"},
    {"sequence-length", "prompt"},
    {"seq-len", "prompt"},
    {"output-tokens", "generate"},
    {"output-length", "generate"},
    {"output-len", "generate"},
    {"osl", "generate"},
    {"max-tokens", "generate"},
    {"max-new-tokens", "generate"},
    {"new-tokens", "generate"},
    {"n-predict", "generate"},
    {"gen", "generate"},
    {"gen-tokens", "generate"},
    {"context-length", "context"},
    {"context-size", "context"},
    {"ctx", "context"},
    {"ctx-size", "context"},
    {"n-ctx", "context"},
    {"max-model-len", "context"},
    {"objective", "minimize"},
    {"optimize", "minimize"},
    {"optimise", "minimize"},
    {"goal", "minimize"},
    {"metric", "minimize"},
    {"minimise", "minimize"},
    {"csv", "format", "csv"},
    {"json", "format", "json"},
    {"table", "format", "table"},
    {"out", "output"},
    {"outfile", "output"},
    {"out-file", "output"},
    {"output-file", "output"},
    {"save", "output"},
    {"write", "output"},
    {"verbose", "wide"},
    {"all-columns", "wide"},
    {"full", "wide"},
    {"head", "top"},
    {"limit", "top"},
    {"rows", "top"},
    {"max-rows", "top"},
    {"order", "sort"},
    {"order-by", "sort"},
    {"sort-by", "sort"},
    {"cols", "columns"},
    {"fields", "columns"},
    {"random-seed", "seed"},
    {"rng-seed", "seed"},
    {"silent", "quiet"},
    {"no-progress", "quiet"},
    {"probability", "confidence"},
    {"quantile", "confidence"},
    {"sigma", "confidence"},
    {"cores", "cpu-cores"},
    {"cpus", "cpu-cores"},
    {"gpu-freq", "gpu-mhz"},
    {"gpu-frequency", "gpu-mhz"},
    {"gpu-clock", "gpu-mhz"},
    {"gpu-hz", "gpu-mhz"},
    {"cpu-freq", "cpu-mhz"},
    {"cpu-frequency", "cpu-mhz"},
    {"cpu-clock", "cpu-mhz"},
    {"cpu-hz", "cpu-mhz"},
    {"mem-freq", "mem-mhz"},
    {"mem-frequency", "mem-mhz"},
    {"mem-clock", "mem-mhz"},
    {"memory-mhz", "mem-mhz"},
    {"emc", "mem-mhz"},
    {"refresh", "every"},
    {"poll", "every"},
    {"period", "every"},
    {"interval", "every"},
    {"search", "strategy"},
    {"algorithm", "strategy"},
    {"optimizer", "strategy"},
    {"predictor", "method"},
    {"algorithm", "method"},
    {"budget", "profiles"},
    {"profile-count", "profiles"},
    {"max-profiles", "profiles"},
    {"db", "store"},
    {"database", "store"},
    {"sqlite", "store"},
    {"num-workers", "workers"},
    {"n-workers", "workers"},
    {"dataloader-workers", "workers"},
    {"loader-workers", "workers"},
    {"plot", "figures"},
    {"plots", "figures"},
    {"chart", "figures"},
    {"charts", "figures"},
    {"figure", "figures"},
    {"svg", "figures"},
    {"html", "figures"},
    {"ambient-temperature", "ambient"},
    {"room-temperature", "ambient"},
    {"sampling-rate", "sampling-hz"},
    {"sample-rate", "sampling-hz"},
    {"rate", "sampling-hz"},
    {"hz", "sampling-hz"},
};
// clang-format on

// "--max-power" becomes "max_power".
std::string underscored(std::string_view option) {
  option.remove_prefix(std::min(option.size(), option.find_first_not_of('-')));
  std::string name(option);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// Names of Python arguments end with their unit: "max_power_w" is --max-power.
bool is_option(const std::string& known, std::string_view option) {
  constexpr std::string_view kUnits[] = {"_w", "_s", "_j", "_hz", "_celsius"};
  const std::string name = underscored(known), wanted = underscored(option);
  return name == wanted || std::any_of(std::begin(kUnits), std::end(kUnits), [&](auto unit) {
           return name == wanted + std::string(unit);
         });
}

std::string with_value(const std::string& option, std::string_view value) {
  if (value.empty()) return option;
  if (option.starts_with('-')) return option + " " + std::string(value);
  return option + "='" + std::string(value) + "'";
}

// Adds the names and synonyms of an enum's members, each as a value of `option`.
void add_members(const auto& rows, std::string_view option, std::vector<OptionWord>& all) {
  for (const auto& row : rows) {
    all.push_back({row.name, option, row.name});
    for (const std::string_view word : row.words) {
      if (!word.empty()) all.push_back({word, option, row.name});
    }
  }
}

}  // namespace

std::span<const OptionWord> option_words() {
  static const std::vector<OptionWord> kAll = [] {
    std::vector<OptionWord> all;
    add_members(workload::kPrecisionRows, "precision", all);
    all.insert(all.end(), std::begin(kWords), std::end(kWords));
    add_members(kRuntimeRows, "runtime", all);
    return all;
  }();
  return kAll;
}

std::vector<Synonym> option_synonyms(const std::vector<std::string>& options) {
  std::vector<Synonym> synonyms, others;
  for (const OptionWord& row : option_words()) {
    const auto known = std::find_if(options.begin(), options.end(),
                                    [&](const auto& name) { return is_option(name, row.option); });
    if (known != options.end()) {
      synonyms.push_back({std::string(row.word), with_value(*known, row.value)});
    } else {  // the command lacks the option: do not suggest another one
      others.push_back({std::string(row.word), ""});
    }
  }
  synonyms.insert(synonyms.end(), others.begin(), others.end());
  return synonyms;
}

}  // namespace ridgewatt::answer
