#include "ridgewatt/llm/quantization/checkpoint.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ridgewatt::llm {
namespace {

constexpr std::int64_t kScaleBlock = 128;  // of DeepSeek V3's FP8, in both dimensions

std::int64_t parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

// Names of tensors in the layouts below.
constexpr std::string_view kOnlyPacked[] = {".qweight", "_packed", "_blocks", ".weight_scale"};
constexpr std::string_view kZerosAndScales[] = {"zeros", "zero_point", "weight_scale", "scales",
                                                "absmax"};

bool ends_with_any(std::string_view name, std::span<const std::string_view> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](std::string_view end) { return name.ends_with(end); });
}

}  // namespace

// A matrix of `out` rows and `in` columns, and the tensors that store it under its name. The
// arguments of the constructor must outlive the object.
class PackedMatrix {
 public:
  PackedMatrix(const Weight& weight, const Recipe& recipe, std::vector<Tensor>& all)
      : out(weight.shape[0]),
        in(weight.shape[1]),
        group(recipe.group),
        groups(group > 0 ? parts(in, group) : 1),
        weight_(weight),
        recipe_(recipe),
        all_(all) {
    stem_ = weight.hf.substr(0, weight.hf.size() - std::string_view("weight").size());
  }

  // 32-bit words that hold this number of packed numbers.
  std::int64_t words(std::int64_t numbers) const { return parts(numbers, 32 / recipe_.bits); }

  void add(const char* name, StoredType type, std::vector<std::int64_t> shape) {
    Tensor tensor{stem_ + name,   std::move(shape), type,         0,
                  weight_.copies, weight_.role,     weight_.layer};
    std::int64_t elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= extent;
    tensor.bytes = stored_bytes(type, elements) * static_cast<double>(tensor.copies);
    all_.push_back(std::move(tensor));
  }

  const std::int64_t out, in;
  const std::int64_t group;   // weights that share a scale; 0: a whole row
  const std::int64_t groups;  // of a row

 private:
  const Weight& weight_;
  const Recipe& recipe_;
  std::vector<Tensor>& all_;
  std::string stem_;
};

// A scale per output.
template <StoredType kType>
void per_output(PackedMatrix& m) {
  m.add("weight", kType, {m.out, m.in});
  m.add("weight_scale", StoredType::kBf16, {m.out, 1});
}

std::vector<Recipe> checkpoint_recipes() {
  using enum StoredType;
  return {
      // In TensorRT-LLM, INT4 is AWQ, and INT8 is SmoothQuant, whose weights equal those of
      // compressed-tensors in 8 bits.
      {.name = "int8",
       .description = "compressed-tensors: 8 bits, a scale per output",
       .layout = per_output<kI8>,
       .type = kBf16,
       .bits = 8,
       .group = 0,
       .units = Arithmetic::kInt8,
       .words = {"int8_sq", "smoothquant", "w8a8", "w8a16"},
       .configs = {{"compressed-tensors", "int-quantized"}}},
      {.name = "fp8",
       .description = "compressed-tensors: FP8, a scale per output",
       .layout = per_output<kF8E4m3>,
       .type = kBf16,
       .bits = 8,
       .group = 0,
       .units = Arithmetic::kFp8,
       .configs = {{"fp8"}, {"compressed-tensors", "float-quantized"}}},
      {.name = "fp8_block",
       .description = "DeepSeek V3: FP8, a scale per 128 x 128",
       .layout =
           [](PackedMatrix& m) {
             m.add("weight", kF8E4m3, {m.out, m.in});
             m.add("weight_scale_inv", kF32, {parts(m.out, kScaleBlock), parts(m.in, kScaleBlock)});
           },
       .type = kBf16,
       .bits = 8,
       .group = 0,
       .units = Arithmetic::kFp8,
       .configs = {{.method = "fp8", .blocks = true}}},
      {.name = "awq",
       .description = "AWQ: 4 bits in groups of 128, with zeros",
       .layout =
           [](PackedMatrix& m) {  // AutoAWQ, WQLinear_GEMM
             m.add("qweight", kI32, {m.in, m.words(m.out)});
             m.add("qzeros", kI32, {m.groups, m.words(m.out)});
             m.add("scales", kF16, {m.groups, m.out});
           },
       .sized = true,
       .words = {"int4", "int4_awq", "w4a16_awq"},
       .configs = {{"awq"}}},
      {.name = "gptq",
       .description = "GPTQ: 4 bits in groups of 128, with zeros and order",
       .layout =
           [](PackedMatrix& m) {  // AutoGPTQ, QuantLinear
             m.add("qweight", kI32, {m.words(m.in), m.out});
             m.add("qzeros", kI32, {m.groups, m.words(m.out)});
             m.add("scales", kF16, {m.groups, m.out});
             m.add("g_idx", kI32, {m.in});
           },
       .sized = true,
       .configs = {{"gptq"}}},
      {.name = "w4a16",
       .description = "compressed-tensors: 4 bits in groups of 128",
       .layout =
           [](PackedMatrix& m) {  // pack-quantized, symmetric
             m.add("weight_packed", kI32, {m.out, m.words(m.in)});
             m.add("weight_scale", kBf16, {m.out, m.groups});
             m.add("weight_shape", kI64, {2});
           },
       .type = kBf16,
       .sized = true,
       .configs = {{"compressed-tensors", "pack-quantized"}}},
      {.name = "nf4",
       .description = "bitsandbytes: 4 bits in groups of 64",
       .layout =
           [](PackedMatrix& m) {  // one 32-bit scale per group
             m.add("weight", kU8, {parts(m.out * m.in, 2), 1});
             m.add("weight.absmax", kF32, {parts(m.out * m.in, m.group)});
           },
       .type = kBf16,
       .group = 64,
       .words = {"4bit", "bnb_4bit", "bitsandbytes"}},
      {.name = "nvfp4",
       .description = "ModelOpt: FP4 in groups of 16",
       .layout =
           [](PackedMatrix& m) {  // one FP8 scale per group
             m.add("weight", kF4, {m.out, m.in});
             m.add("weight_scale", kF8E4m3, {m.out, m.groups});
             m.add("weight_scale_2", kF32, {1});
           },
       .type = kBf16,
       .group = 16,
       .units = Arithmetic::kFp4,
       .words = {"w4a4", "fp4"}},
      {.name = "mxfp4",
       .description = "gpt-oss: experts in MXFP4, all else in 16 bits",
       .layout =
           [](PackedMatrix& m) {  // 16 bytes of numbers and one byte of scale per 32 numbers
             m.add("weight_blocks", kU8, {m.out, parts(m.in, 32), 16});
             m.add("weight_scales", kU8, {m.out, parts(m.in, 32)});
           },
       .type = kBf16,
       .experts_only = true,
       .configs = {{"mxfp4"}}},
  };
}

bool shows_packing(std::string_view name) {
  return ends_with_any(name, kOnlyPacked);
}

bool is_of_another(std::string_view name) {
  return ends_with_any(name, kZerosAndScales);
}

void add_checkpoint_tensors(const Weight& weight, const Recipe& recipe, std::vector<Tensor>& all) {
  const bool product = (weight.role == Role::kMatrix || weight.role == Role::kExpert) &&
                       !weight.router && weight.hf.ends_with(".weight");
  if (product && (!recipe.experts_only || weight.role == Role::kExpert)) {
    PackedMatrix matrix(weight, recipe, all);
    recipe.layout(matrix);
    return;
  }
  Tensor tensor{weight.hf, weight.shape, recipe.type, 0, weight.copies, weight.role, weight.layer};
  tensor.bytes = stored_bytes(recipe.type, weight.elements());
  all.push_back(std::move(tensor));
}

}  // namespace ridgewatt::llm
