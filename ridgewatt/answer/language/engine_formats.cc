#include "ridgewatt/answer/language/engine_formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/llm/engine_facts.h"

namespace ridgewatt::answer {
namespace {

bool takes(const llm::EngineFacts& engine, const WeightFormat& weights) {
  if (weights.plain) return true;
  if (weights.gguf) {
    return engine.gguf || std::any_of(engine.variants.begin(), engine.variants.end(),
                                      [](const llm::EngineVariant& one) { return one.gguf; });
  }
  // An unknown checkpoint is accepted by the engines that read checkpoints.
  if (weights.recipe == nullptr) return !engine.gguf;
  return std::any_of(engine.takes.begin(), engine.takes.end(), [&](const std::string& name) {
    return &llm::find_recipe(name) == weights.recipe;
  });
}

std::string taken_by(const llm::EngineFacts& engine) {
  if (engine.gguf) return "f16, bf16 and every type of GGUF, q8_0 to q2_k";
  std::string names = "f16, bf16";
  for (const llm::Recipe& recipe : llm::recipes()) {
    const WeightFormat weights = format_of(recipe);
    if (!weights.plain && takes(engine, weights)) names += ", " + recipe.name;
  }
  return names;
}

}  // namespace

WeightFormat format_of(const llm::Recipe& recipe) {
  const bool plain = recipe.gguf() && llm::facts_of(recipe.type).bits() >= 16;
  return {recipe.name, recipe.gguf() && !plain, plain, &recipe};
}

WeightFormat format_of_stored(const llm::LanguageModel& model) {
  const auto wide = [](const llm::Tensor& tensor) {
    return tensor.role == llm::Role::kSmall || tensor.type == llm::StoredType::kF32 ||
           tensor.type == llm::StoredType::kF16 || tensor.type == llm::StoredType::kBf16;
  };
  WeightFormat weights;
  weights.name = model.stored_as.empty() ? "stored" : model.stored_as;
  weights.plain = std::all_of(model.tensors.begin(), model.tensors.end(), wide);
  weights.gguf = !weights.plain && model.format == llm::ModelFormat::kGguf;
  for (const llm::Recipe& recipe : llm::recipes()) {
    // A configuration's "awq, 4 bits" is the recipe "awq".
    if (model.stored_as.substr(0, model.stored_as.find(',')) == recipe.name) {
      weights.recipe = &recipe;
    }
  }
  return weights;
}

std::string why_not_taken(std::string_view engine, const WeightFormat& weights, llm::KvType cache) {
  const llm::EngineFacts* facts = llm::find_engine_facts(engine);
  if (facts == nullptr) return "";
  if (!takes(*facts, weights)) {
    return fmt::format("{} does not run {}: it takes {}", engine, weights.name, taken_by(*facts));
  }
  if (!contains(facts->caches, name_of(cache))) {
    return fmt::format("{} does not store the cache of keys and values in {}: it takes {}", engine,
                       name_of(cache), fmt::join(facts->caches, ", "));
  }
  return "";
}

std::string why_not_run(std::string_view engine, const WeightFormat& weights, llm::KvType cache,
                        const Board& board) {
  const llm::EngineFacts* facts = llm::find_engine_facts(engine);
  if (facts == nullptr) return "";
  if (!board.has_gpu() && board.cpu_cores > 0 && !facts->processor) {
    return fmt::format("{} is modelled on GPUs only; on {}, only llama.cpp is modelled", engine,
                       board.name);
  }
  if (std::string reason = why_not_taken(engine, weights, cache); !reason.empty()) return reason;
  const Arithmetic units = weights.recipe != nullptr ? weights.recipe->units : Arithmetic::kFp16;
  const ArithmeticRow& row = kArithmeticRows[units];
  const bool narrow = row.floats && row.bits < kArithmeticRows[Arithmetic::kFp16].bits;
  if (!narrow || supports(board, units)) return "";
  const std::string name = upper_case(row.name);
  if (facts->needs_fp8) {
    return fmt::format("{} does not run {} on {}: its GPU does not compute in {}", engine,
                       weights.name, board.name, name);
  }
  // Kernels that widen these numbers when they read them need compute capability 8.0 or later, the
  // first with BF16.
  if (!supports(board, Arithmetic::kBf16)) {
    return fmt::format("{} does not run {} on {}: its GPU neither computes in {} nor widens it",
                       engine, weights.name, board.name, name);
  }
  return "";
}

std::string_view usual_recipe(std::string_view engine) {
  const llm::EngineFacts* facts = llm::find_engine_facts(engine);
  return facts == nullptr ? std::string_view("f16") : std::string_view(facts->usual);
}

}  // namespace ridgewatt::answer
