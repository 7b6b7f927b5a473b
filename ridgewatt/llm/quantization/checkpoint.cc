#include "ridgewatt/llm/quantization/checkpoint.h"

#include <string>
#include <utility>

namespace ridgewatt::llm {
namespace {

constexpr std::int64_t kScaleBlock = 128;  // of DeepSeek V3's FP8, in both dimensions

std::int64_t parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

// Adds the tensors that store one weight under its name.
class Packed {
 public:
  Packed(const Weight& weight, std::vector<Tensor>& all) : weight_(weight), all_(all) {
    stem_ = weight.hf.substr(0, weight.hf.size() - std::string_view("weight").size());
  }
  void add(const char* name, StoredType type, std::vector<std::int64_t> shape) {
    Tensor tensor{stem_ + name,   std::move(shape), type,         0,
                  weight_.copies, weight_.role,     weight_.layer};
    std::int64_t elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= extent;
    tensor.bytes = stored_bytes(type, elements) * static_cast<double>(tensor.copies);
    all_.push_back(std::move(tensor));
  }

 private:
  const Weight& weight_;
  std::vector<Tensor>& all_;
  std::string stem_;
};

}  // namespace

void add_checkpoint_tensors(const Weight& weight, const Recipe& recipe, std::vector<Tensor>& all) {
  const bool product = (weight.role == Role::kMatrix || weight.role == Role::kExpert) &&
                       !weight.router && weight.hf.ends_with(".weight");
  const bool taken = product && (!recipe.facts().experts_only || weight.role == Role::kExpert);
  if (!taken) {
    Tensor tensor{weight.hf,     weight.shape, recipe.type, 0,
                  weight.copies, weight.role,  weight.layer};
    tensor.bytes = stored_bytes(recipe.type, weight.elements());
    all.push_back(std::move(tensor));
    return;
  }
  const std::int64_t out = weight.shape[0], in = weight.shape[1];
  const std::int64_t groups = recipe.group > 0 ? parts(in, recipe.group) : 1;
  const std::int64_t in_word = 32 / recipe.bits;  // packed numbers in an I32
  Packed packed(weight, all);
  switch (recipe.kind) {
    case RecipeKind::kAwq:  // AutoAWQ, WQLinear_GEMM
      packed.add("qweight", StoredType::kI32, {in, parts(out, in_word)});
      packed.add("qzeros", StoredType::kI32, {groups, parts(out, in_word)});
      packed.add("scales", StoredType::kF16, {groups, out});
      break;
    case RecipeKind::kGptq:  // AutoGPTQ, QuantLinear
      packed.add("qweight", StoredType::kI32, {parts(in, in_word), out});
      packed.add("qzeros", StoredType::kI32, {groups, parts(out, in_word)});
      packed.add("scales", StoredType::kF16, {groups, out});
      packed.add("g_idx", StoredType::kI32, {in});
      break;
    case RecipeKind::kPackedInt4:  // compressed-tensors, pack-quantized
      packed.add("weight_packed", StoredType::kI32, {out, parts(in, in_word)});
      packed.add("weight_scale", StoredType::kBf16, {out, groups});
      packed.add("weight_shape", StoredType::kI64, {2});
      break;
    case RecipeKind::kInt8:
      packed.add("weight", StoredType::kI8, {out, in});
      packed.add("weight_scale", StoredType::kBf16, {out, 1});
      break;
    case RecipeKind::kFp8:
      packed.add("weight", StoredType::kF8E4m3, {out, in});
      packed.add("weight_scale", StoredType::kBf16, {out, 1});
      break;
    case RecipeKind::kFp8Blocks:
      packed.add("weight", StoredType::kF8E4m3, {out, in});
      packed.add("weight_scale_inv", StoredType::kF32,
                 {parts(out, kScaleBlock), parts(in, kScaleBlock)});
      break;
    case RecipeKind::kMxfp4:  // 16 bytes of numbers and one byte of scale per 32 numbers
      packed.add("weight_blocks", StoredType::kU8, {out, parts(in, 32), 16});
      packed.add("weight_scales", StoredType::kU8, {out, parts(in, 32)});
      break;
    case RecipeKind::kNvfp4:
      packed.add("weight", StoredType::kF4, {out, in});
      packed.add("weight_scale", StoredType::kF8E4m3, {out, groups});
      packed.add("weight_scale_2", StoredType::kF32, {1});
      break;
    case RecipeKind::kNf4:
      packed.add("weight", StoredType::kU8, {parts(out * in, 2), 1});
      packed.add("weight.absmax", StoredType::kF32, {parts(out * in, recipe.group)});
      break;
    case RecipeKind::kPlain:  // GGUF only, not in checkpoints
    case RecipeKind::kMixture:
    case RecipeKind::kExpertsMxfp4:
      break;
  }
}

}  // namespace ridgewatt::llm
