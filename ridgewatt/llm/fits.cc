#include "ridgewatt/llm/fits.h"

#include <fmt/format.h>

#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/twin/memory_footprint.h"

namespace ridgewatt::llm {
namespace {

constexpr std::string_view kStored = "stored";
constexpr std::string_view kAssumed = "q4_k_m";  // if the model has no stored weights
constexpr std::int64_t kMostTokens = std::int64_t{1} << 30;
constexpr std::int64_t kMostSequences = 65536;
// cuBLAS on a Jetson, github.com/NVIDIA/TensorRT/issues/2217 (docs/methods/memory.md).
constexpr double kCublasBytes = 182.0 * 1024 * 1024;
// llama-bench of llama.cpp 0.5.0 without a model, measured on an x86-64 processor.
constexpr double kProcessorBytes = 9.6e6;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Candidate {
  std::string name;
  double bytes = 0;
  double bits_per_weight = kUnknown;
  DecodeStep step;
};

Candidate candidate_of(const std::string& name, const LanguageModel& model,
                       std::span<const Tensor> tensors, const FitsOptions& options) {
  Candidate one;
  one.name = name;
  one.bytes = bytes_of(tensors);
  one.step.weight_bytes = one.step.work_flop = kUnknown;
  if (!model.weights_known) return one;
  one.bits_per_weight = 8 * one.bytes / static_cast<double>(parameters_of(model.description));
  one.step = decode_step(model.description, tensors, stored_type_of(options.kv_type),
                         options.context, options.batch);
  return one;
}

Candidate candidate(const LanguageModel& model, const std::string& name,
                    const FitsOptions& options) {
  if (name == kStored) {
    if (model.tensors.empty()) {
      throw UsageError("the model has no stored weights, so its stored quantization is not known",
                       name, "give --quantization NAME");
    }
    return candidate_of(model.stored_as.empty() ? name : model.stored_as, model, model.tensors,
                        options);
  }
  const Recipe& recipe = find_recipe(name);
  if (!model.weights_known) {
    throw UsageError("only the size of the stored quantization is known for this model", name,
                     "omit --quantization");
  }
  return candidate_of(recipe.name, model, quantized(model.description, recipe), options);
}

std::vector<Candidate> candidates(const LanguageModel& model, const FitsOptions& options) {
  std::vector<Candidate> all;
  for (const auto& name : options.quantizations) all.push_back(candidate(model, name, options));
  if (all.empty()) {
    const auto name = model.tensors.empty() ? kAssumed : kStored;
    all.push_back(candidate(model, std::string(name), options));
  }
  return all;
}

// The largest integer up to `most` for which `holds` is true, or 0. Once `holds` is false, it must
// stay false for larger numbers.
template <typename Holds>
std::int64_t largest(std::int64_t most, const Holds& holds) {
  std::int64_t good = 0, bad = most + 1;
  while (bad - good > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (holds(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

ProcessMemory process_memory(const Board& board) {
  if (!board.has_gpu()) {
    return {kProcessorBytes, fmt::format("llama-bench of llama.cpp 0.5.0 without a model: {:g} MB",
                                         kProcessorBytes / 1e6)};
  }
  // A C++ program and its context need the same memory with and without TensorRT.
  const auto constants = twin::runtime_memory(Runtime::kTensorRt);
  return {constants[0].bytes + constants[1].bytes + kCublasBytes,
          std::string(constants[0].source) + "; " + std::string(constants[1].source) +
              "; cuBLAS: 182 MiB (the same report)"};
}

std::vector<Fit> fits(const LanguageModel& model, std::span<const Board> boards,
                      const FitsOptions& options) {
  const StoredType kv = stored_type_of(options.kv_type);
  const Description& description = model.description;
  const auto candidates_here = candidates(model, options);
  const auto needs = [&](Fit fit, std::int64_t context, std::int64_t batch) {
    const auto cells = context * batch;
    fit.kv_bytes = kv_bytes(description, kv, context) * static_cast<double>(batch);
    fit.buffer_bytes = compute_buffer_bytes(description.hidden, description.vocabulary, cells);
    return fit;
  };
  std::vector<Fit> all;
  for (const Board& board : boards) {
    const ProcessMemory runtime = process_memory(board);
    for (const Candidate& one : candidates_here) {
      Fit fit;
      fit.board = board.name;
      fit.quantization = one.name;
      fit.board_bytes = board.visible_memory_bytes;
      fit.system_bytes = options.reserve_bytes.value_or(board.system_memory_bytes);
      const Fact* fact = find_fact(board, "memory.system_mib");
      fit.system_source = options.reserve_bytes ? "given" : fact != nullptr ? fact->source : "";
      fit.runtime_bytes = runtime.bytes;
      fit.runtime_source = runtime.source;
      fit.weights_bytes = one.bytes;
      fit.bits_per_weight = one.bits_per_weight;
      fit.decode_bytes = one.step.bytes();
      fit.decode_flop = one.step.work_flop;
      const std::int64_t trained = description.context > 0 ? description.context : kMostTokens;
      fit.largest_context =
          largest(trained, [&](std::int64_t c) { return needs(fit, c, options.batch).fits(); });
      fit.beyond_training = std::max<std::int64_t>(0, options.context - trained);
      fit.context_of_model = description.context > 0 && fit.largest_context == trained;
      fit.largest_batch = largest(
          kMostSequences, [&](std::int64_t b) { return needs(fit, options.context, b).fits(); });
      all.push_back(needs(fit, options.context, options.batch));
    }
  }
  return all;
}

}  // namespace ridgewatt::llm
