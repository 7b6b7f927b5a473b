#include "ridgewatt/answer/language/engine_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

namespace ridgewatt::answer {
namespace {

using llm::RecipeKind;

// Formats that an engine reads beside F32, F16 and BF16, by its documentation in 2026:
// llama.cpp (docs/build and tools/quantize), vLLM and SGLang ("Quantization": their paths for GGUF
// files are other kernels than those that were fitted, so they are not among these), TensorRT-LLM
// ("Numerical precision" and its support matrix), MLC (q4f16 and AWQ), PyTorch with torchao,
// AutoAWQ and GPTQModel.
struct EngineFormats {
  std::string_view engine;
  bool gguf = false;
  std::vector<RecipeKind> kinds;
  std::string_view usual;
  bool needs_fp8_units = false;  // does not unpack FP8 on GPUs without it
};

const std::array<EngineFormats, 6>& table_of_formats() {
  using enum RecipeKind;
  static const std::array<EngineFormats, 6> table = {{
      {"llama.cpp", true, {}, "q4_k_m"},
      {"vllm", false, {kAwq, kGptq, kPackedInt4, kInt8, kFp8, kFp8Blocks, kMxfp4}, "awq"},
      {"sglang", false, {kAwq, kGptq, kPackedInt4, kInt8, kFp8, kFp8Blocks, kMxfp4}, "awq"},
      {"tensorrt-llm",
       false,
       {kAwq, kGptq, kPackedInt4, kInt8, kFp8, kFp8Blocks, kMxfp4},
       "awq",
       true},
      {"mlc", false, {kAwq, kPackedInt4}, "w4a16"},
      {"pytorch", false, {kAwq, kGptq, kPackedInt4, kInt8}, "awq"},
  }};
  return table;
}

const EngineFormats* find_formats(std::string_view engine) {
  const auto& table = table_of_formats();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& row) { return row.engine == engine; });
  return found == table.end() ? nullptr : &*found;
}

bool takes(const EngineFormats& formats, const WeightFormat& weights) {
  if (weights.plain) return true;
  if (weights.gguf) return formats.gguf;
  // A checkpoint of a kind that is not known is left to those that read checkpoints.
  if (!weights.kind) return !formats.gguf;
  return std::find(formats.kinds.begin(), formats.kinds.end(), *weights.kind) !=
         formats.kinds.end();
}

std::string taken_by(const EngineFormats& formats) {
  if (formats.gguf) return "f16, bf16 and every type of GGUF, q8_0 to q2_k";
  std::string names = "f16, bf16";
  for (const llm::Recipe& recipe : llm::recipes()) {
    const WeightFormat weights = format_of(recipe);
    if (!weights.plain && takes(formats, weights)) names += ", " + recipe.name;
  }
  return names;
}

}  // namespace

WeightFormat format_of(const llm::Recipe& recipe) {
  return {recipe.name, recipe.gguf() && recipe.kind != RecipeKind::kPlain,
          recipe.kind == RecipeKind::kPlain, recipe.kind};
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
    // "awq, 4 bits" of a configuration is the recipe "awq".
    if (model.stored_as.substr(0, model.stored_as.find(',')) == recipe.name) {
      weights.kind = recipe.kind;
    }
  }
  return weights;
}

std::string why_not_run(std::string_view engine, const WeightFormat& weights, const Board& board) {
  const EngineFormats* formats = find_formats(engine);
  if (formats == nullptr) return "";
  if (!takes(*formats, weights)) {
    return fmt::format("{} does not run {}: it takes {}", engine, weights.name, taken_by(*formats));
  }
  const bool fp8 = weights.kind == RecipeKind::kFp8 || weights.kind == RecipeKind::kFp8Blocks;
  if (formats->needs_fp8_units && fp8 && !supports(board, Arithmetic::kFp8)) {
    return fmt::format("{} does not run {} on {}: its GPU does not compute in FP8", engine,
                       weights.name, board.name);
  }
  return "";
}

std::string_view usual_recipe(std::string_view engine) {
  const EngineFormats* formats = find_formats(engine);
  return formats == nullptr ? "f16" : formats->usual;
}

}  // namespace ridgewatt::answer
