#include "ridgewatt/twin/cpu_twin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/twin/fit/board_number.h"

namespace ridgewatt::twin {
namespace {

using C = CpuParam;

// The medians are from profiles of graphs of single operators in ONNX Runtime 1.30 on one x86-64
// processor with AVX-512 (docs/methods/cpu_twin.md). The widths are chosen: the assumed difference
// to libraries for other processors.
constexpr CpuParamSpec kCpuSpecs[] = {
    {C::kConvolution, "convolution", "1", 0.85, 0.15,
     "share of the peak that convolutions on blocks of channels reach"},
    {C::kDepthwise, "depthwise", "1", 0.54, 0.25, "the same of depthwise convolutions"},
    {C::kPlain, "plain", "1", 0.12, 0.5,
     "the same of convolutions whose groups are not a multiple of a block"},
    {C::kProduct, "product", "1", 0.77, 0.15, "the same of matrix products"},
    {C::kInteger, "integer", "1", 2.6, 0.35,
     "8-bit operations per second over the peak of FP32 operations"},
    {C::kRecurrent, "recurrent", "1", 0.92, 0.25,
     "share of the bandwidth at which recurrent layers read their weights in each step"},
    {C::kWeights, "weights", "1", 0.92, 0.25, "share of the memory's bandwidth for weights"},
    {C::kBlocks, "blocks", "1", 1, 0.3,
     "share of the bandwidth for the activations that contractions read and write"},
    {C::kVector, "vector", "1", 0.8, 0.2, "the same for all other kernels"},
    {C::kOperator, "operator", "1", 1, 0.3,
     "time of computing in operators that are not contractions, over that of the table"},
    {C::kNode, "node", "s", 1.5e-6, 0.5, "dispatch of a node"},
    {C::kSync, "sync", "s", 4e-6, 0.7, "waking the other threads and waiting for them"},
    {C::kRun, "run", "s", 20e-6, 0.5, "fixed time of a run"},
    {C::kLlamaWeights, "llama_weights", "1", 0.87, 0.2,
     "share of the memory's bandwidth at which llama.cpp reads weights"},
    {C::kLlamaCache, "llama_cache", "1", 0.51, 0.3,
     "share of the memory's bandwidth at which it reads the cache of keys and values"},
    {C::kLlamaScores, "llama_scores", "1", 0.077, 0.3,
     "share of the peak that attention of one token reaches"},
    {C::kLlamaPromptScores, "llama_prompt_scores", "1", 0.34, 0.3,
     "share of the peak that attention of a prompt reaches"},
    {C::kLlamaLayer, "llama_layer", "s", 8e-5, 0.5, "fixed time of a layer"},
    {C::kDotF16, "llama_dot_f16", "1", 4.2, 0.4,
     "operations at the peak that a token takes per F16 weight"},
    {C::kDotQ80, "llama_dot_q8_0", "1", 5, 0.4, "the same per Q8_0 weight"},
    {C::kDotQ40, "llama_dot_q4_0", "1", 3.6, 0.4, "the same per Q4_0 weight"},
    {C::kDotQ4K, "llama_dot_q4_k", "1", 3.5, 0.4, "the same per Q4_K weight"},
    {C::kDotQ6K, "llama_dot_q6_k", "1", 5.6, 0.4, "the same per Q6_K weight"},
    {C::kFewF16, "llama_few_f16", "1", 27, 0.5,
     "operations at the peak that a step of several sequences takes per F16 weight"},
    {C::kFewQ80, "llama_few_q8_0", "1", 40, 0.5, "the same per Q8_0 weight"},
    {C::kFewQ40, "llama_few_q4_0", "1", 6.5, 0.5, "the same per Q4_0 weight"},
    {C::kFewQ4K, "llama_few_q4_k", "1", 8.5, 0.5, "the same per Q4_K weight"},
    {C::kFewQ6K, "llama_few_q6_k", "1", 3, 0.7, "the same per Q6_K weight"},
    {C::kEachF16, "llama_each_f16", "1", 7, 0.5,
     "operations that each of up to 16 sequences adds per F16 weight"},
    {C::kEachQ80, "llama_each_q8_0", "1", 3.2, 0.5, "the same per Q8_0 weight"},
    {C::kEachQ40, "llama_each_q4_0", "1", 2.9, 0.5, "the same per Q4_0 weight"},
    {C::kEachQ4K, "llama_each_q4_k", "1", 4, 0.5, "the same per Q4_K weight"},
    {C::kEachQ6K, "llama_each_q6_k", "1", 5.6, 0.5, "the same per Q6_K weight"},
    {C::kPromptF16, "llama_prompt_f16", "1", 0.29, 0.4,
     "share of the peak that a prompt's products with F16 weights reach"},
    {C::kPromptQ80, "llama_prompt_q8_0", "1", 0.53, 0.4, "the same with Q8_0 weights"},
    {C::kPromptQ40, "llama_prompt_q4_0", "1", 1.04, 0.4, "the same with Q4_0 weights"},
    {C::kPromptQ4K, "llama_prompt_q4_k", "1", 0.83, 0.4, "the same with Q4_K weights"},
    {C::kPromptQ6K, "llama_prompt_q6_k", "1", 0.33, 0.4, "the same with Q6_K weights"},
    // From runs of single operators in TensorFlow Lite 2.9 on an x86-64 processor with AVX2. That
    // library's kernel keeps one of ten sums in memory, so it reaches a third of the peak. The
    // first widths allow for a better compiled library.
    {C::kTfliteConvolution, "tflite_convolution", "1", 0.32, 0.5,
     "share of the peak that convolutions in TensorFlow Lite reach"},
    {C::kTfliteDepthwise, "tflite_depthwise", "1", 0.27, 0.4, "the same of depthwise convolutions"},
    {C::kTfliteProduct, "tflite_product", "1", 0.3, 0.5, "the same of matrix products"},
    {C::kTfliteWeights, "tflite_weights", "1", 1, 0.3,
     "share of the bandwidth for weights in TensorFlow Lite"},
    {C::kTfliteActivations, "tflite_activations", "1", 1.3, 0.5,
     "share of the bandwidth for activations in TensorFlow Lite"},
    {C::kTfliteOperator, "tflite_operator", "1", 1, 0.3,
     "time of computing in its operators that are not contractions, over that of the table"},
    {C::kTfliteNode, "tflite_node", "s", 5e-7, 0.7, "dispatch of a node in TensorFlow Lite"},
    {C::kTfliteSync, "tflite_sync", "s", 3e-6, 0.7,
     "waking the other threads and waiting for them"},
    {C::kTfliteRun, "tflite_run", "s", 2e-6, 0.7, "fixed time of a run"},
};
static_assert(std::size(kCpuSpecs) == kCpuParamCount);

// The prior of `integer` without instructions for sums of products of 8-bit numbers: from single
// convolutions and products on a processor with AVX2.
constexpr double kIntegerWithoutDot = 1.7;
constexpr double kPriorError = 0.16;
// Chosen: with it, 90 % of the points of 7 networks are inside the 90 % intervals. 96 % of those of
// 7 other networks are inside, too (docs/results/local_cpu.md).
constexpr double kPriorTfliteError = 0.07;
constexpr double kPriorDegrees = 5;

std::string thread_key(std::size_t threads) {
  return fmt::format("threads{:03}.", threads);
}

struct RateField {
  const char* key;
  double CpuRates::*value;
};
constexpr RateField kRateFields[] = {{"flop_per_s", &CpuRates::flop_per_s},
                                     {"memory_bytes_per_s", &CpuRates::memory_bytes_per_s},
                                     {"cache_bytes_per_s", &CpuRates::cache_bytes_per_s}};

// Optional: files of earlier versions do not have them.
constexpr char kMemorySpread[] = "memory_log_sd";
constexpr char kBlockKey[] = "block_channels";
constexpr char kDotKey[] = "int8_products";
constexpr char kTfliteErrorKey[] = "error.tflite_time";
constexpr char kCacheKey[] = "cache_bytes";

double required_number(const Board& board, const std::string& key, double least, double most) {
  const auto found = board.twin.numbers.find(key);
  if (found == board.twin.numbers.end()) {
    throw InputError("the [twin] of the board file lacks a number", board.source + ": twin." + key);
  }
  return within(found->second, least, most, board.source + ": twin." + key);
}

std::string text_of(const Board& board, const std::string& key) {
  const auto found = board.twin.texts.find(key);
  return found == board.twin.texts.end() ? "" : found->second;
}

void refuse_unknown_keys(const Board& board) {
  std::set<std::string, std::less<>> known = {"error.time", kTfliteErrorKey, "error.degrees",
                                              kCacheKey,    kBlockKey,       kDotKey};
  for (const auto& spec : kCpuSpecs) {
    for (const char* part : {".value", ".lo", ".hi"}) known.insert(std::string(spec.key) + part);
  }
  for (int n = 1; n <= board.cpu_cores; ++n) {
    for (const auto& field : kRateFields) {
      known.insert(thread_key(static_cast<std::size_t>(n)) + field.key);
    }
    known.insert(thread_key(static_cast<std::size_t>(n)) + kMemorySpread);
  }
  for (const auto& [key, value] : board.twin.numbers) {
    if (!known.contains(key)) {
      throw InputError("is not a key that a CPU's twin has", board.source + ": twin." + key);
    }
  }
}

}  // namespace

std::span<const CpuParamSpec> cpu_parameters() {
  return kCpuSpecs;
}

const CpuRates& CpuTwin::at(int threads) const {
  const auto last = static_cast<int>(rates.size());
  return rates[static_cast<std::size_t>(std::clamp(threads, 1, last) - 1)];
}

CpuTwin prior_cpu_twin(std::vector<CpuRates> rates, const CpuInstructions& instructions) {
  CpuTwin twin;
  twin.rates = std::move(rates);
  for (const auto& spec : kCpuSpecs) {
    twin.values[static_cast<std::size_t>(spec.param)] = spec.prior;
    twin.log_sd[static_cast<std::size_t>(spec.param)] = spec.prior_log_sd;
  }
  if (!instructions.int8_products) {
    twin.values[static_cast<std::size_t>(C::kInteger)] = kIntegerWithoutDot;
  }
  twin.block_channels = instructions.block_channels;
  twin.int8_products = instructions.int8_products;
  twin.error_time = kPriorError;
  twin.error_tflite_time = kPriorTfliteError;
  twin.error_degrees = kPriorDegrees;
  twin.status = "priors on measured peaks";
  return twin;
}

CpuTwin read_cpu_twin(const Board& board) {
  if (board.twin.numbers.empty()) {
    throw NotSupportedError(
        "the board is a CPU whose board file has no twin", board.source,
        "write a board file with `ridgewatt calibrate --device local -o FILE.toml`");
  }
  if (text_of(board, "kind") != kCpuTwinKind) {
    throw InputError("a board without a GPU needs a twin of kind 'cpu'",
                     board.source + ": twin.kind");
  }
  refuse_unknown_keys(board);
  std::vector<CpuRates> rates(static_cast<std::size_t>(board.cpu_cores));
  for (std::size_t n = 0; n < rates.size(); ++n) {
    for (const auto& field : kRateFields) {
      rates[n].*field.value = required_number(board, thread_key(n + 1) + field.key, 1e3, 1e18);
    }
    const std::string spread = thread_key(n + 1) + kMemorySpread;
    if (board.twin.numbers.contains(spread)) {
      rates[n].memory_log_sd = required_number(board, spread, 0, 3);
    }
  }
  CpuTwin twin = prior_cpu_twin(std::move(rates));
  for (const auto& spec : kCpuSpecs) {
    const auto i = static_cast<std::size_t>(spec.param);
    const std::string key(spec.key);
    // Files written before these runtimes were modelled have no such keys and keep the priors.
    const bool later = key.starts_with("llama_") || key.starts_with("tflite_");
    if (later && !board.twin.numbers.contains(key + ".value")) continue;
    const auto bound = [&](const char* part) {
      const std::string name = key + part;
      return near_prior(required_number(board, name, 1e-30, 1e30), spec.prior,
                        board.source + ": twin." + name);
    };
    twin.values[i] = bound(".value");
    const double lo = bound(".lo"), hi = bound(".hi");
    if (hi < lo) {
      throw InputError("the interval of a twin parameter must have lo <= hi",
                       board.source + ": twin." + key);
    }
    twin.log_sd[i] = std::log(hi / lo) / (2 * kNormal95);
  }
  twin.cache_bytes = required_number(board, kCacheKey, 1e3, 1e12);
  if (board.twin.numbers.contains(kBlockKey)) {
    twin.block_channels = required_number(board, kBlockKey, 1, 1024);
  }
  if (board.twin.numbers.contains(kDotKey)) {
    twin.int8_products = required_number(board, kDotKey, 0, 1) != 0;
  }
  twin.error_time = required_number(board, "error.time", 1e-6, 100);
  if (board.twin.numbers.contains(kTfliteErrorKey)) {
    twin.error_tflite_time = required_number(board, kTfliteErrorKey, 1e-6, 100);
  }
  twin.error_degrees = required_number(board, "error.degrees", 1e-3, 1e9);
  twin.status = text_of(board, "status");
  twin.origin = text_of(board, "origin");
  return twin;
}

TwinTable cpu_twin_table(const CpuTwin& twin) {
  TwinTable table;
  const auto rounded = [](double value) { return std::stod(fmt::format("{:.5g}", value)); };
  table.texts["kind"] = kCpuTwinKind;
  for (std::size_t n = 0; n < twin.rates.size(); ++n) {
    for (const auto& field : kRateFields) {
      table.numbers[thread_key(n + 1) + field.key] = rounded(twin.rates[n].*field.value);
    }
    table.numbers[thread_key(n + 1) + kMemorySpread] = rounded(twin.rates[n].memory_log_sd);
  }
  for (const auto& spec : kCpuSpecs) {
    const auto i = static_cast<std::size_t>(spec.param);
    const std::string key(spec.key);
    const double width = std::exp(kNormal95 * twin.log_sd[i]);
    table.numbers[key + ".value"] = rounded(twin.values[i]);
    table.numbers[key + ".lo"] = rounded(twin.values[i] / width);
    table.numbers[key + ".hi"] = rounded(twin.values[i] * width);
    table.texts[key + ".unit"] = std::string(spec.unit);
    table.texts[key + ".source"] = twin.log_sd[i] < 0.9 * spec.prior_log_sd ? "fitted" : "prior";
  }
  table.numbers[kCacheKey] = rounded(twin.cache_bytes);
  table.numbers[kBlockKey] = twin.block_channels;
  table.numbers[kDotKey] = twin.int8_products ? 1 : 0;
  table.numbers["error.time"] = rounded(twin.error_time);
  table.numbers[kTfliteErrorKey] = rounded(twin.error_tflite_time);
  table.numbers["error.degrees"] = rounded(twin.error_degrees);
  table.texts["status"] = twin.status;
  table.texts["origin"] = twin.origin;
  return table;
}

}  // namespace ridgewatt::twin
