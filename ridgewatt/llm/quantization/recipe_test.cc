// Compares predicted sizes of models with published sizes.
#include "ridgewatt/llm/recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

Description zoo_model(const std::string& name) {
  return read_language_model("zoo:" + name).description;
}

double size_of(const std::string& model, const std::string& recipe) {
  return bytes_of(quantized(zoo_model(model), find_recipe(recipe)));
}

// llama.cpp, tools/quantize/README.md: bits per weight and GiB of Llama-3.1-8B.
TEST(Recipe, TotalsOfLlama8bAreThoseOfLlamaCpp) {
  struct Row {
    const char* recipe;
    double bits;
    double gib;
  };
  for (const Row& row :
       {Row{"f16", 16.0005, 14.96}, Row{"q8_0", 8.5008, 7.95}, Row{"q6_k", 6.5633, 6.14},
        Row{"q5_k_m", 5.7036, 5.33}, Row{"q4_k_m", 4.8944, 4.58}, Row{"iq4_xs", 4.4597, 4.17},
        Row{"q3_k_l", 4.2979, 4.02}, Row{"q5_k_s", 5.5704, 5.21}, Row{"q4_k_s", 4.6672, 4.36},
        Row{"q3_k_m", 4.0012, 3.74}, Row{"q3_k_s", 3.6429, 3.41}, Row{"iq4_nl", 4.6818, 4.38}}) {
    const double bytes = size_of("llama-3.1-8b", row.recipe);
    EXPECT_NEAR(8 * bytes / 8030261248.0, row.bits, 0.003 * row.bits) << row.recipe;
    EXPECT_NEAR(bytes / kGib, row.gib, 0.003 * row.gib + 0.005) << row.recipe;
  }
}

TEST(Recipe, EnginesHaveOtherNames) {
  EXPECT_EQ(find_recipe("fp16").name, "f16");
  EXPECT_EQ(find_recipe("FP16").name, "f16");
  EXPECT_EQ(find_recipe("int4").name, "awq");
  EXPECT_EQ(find_recipe("int8").name, "int8");
  EXPECT_EQ(find_recipe("SmoothQuant").name, "int8");
}

// The sizes of all tensors of a file that llama.cpp reported in public logs of other people's runs
// (`model_size` of llama-bench, `size` of /v1/models). They were not used to write the rules.
TEST(Recipe, SizesThatLlamaCppPrintedAreMetToTheByte) {
  EXPECT_DOUBLE_EQ(size_of("qwen3-4b", "q4_k_m"), 2491323904.0);
  EXPECT_DOUBLE_EQ(size_of("qwen3-8b", "q4_k_m"), 5021827072.0);
  EXPECT_DOUBLE_EQ(size_of("smollm2-360m", "q8_0"), 384618240.0);
  EXPECT_DOUBLE_EQ(size_of("qwen2.5-0.5b", "q2_k"), 332659200.0);
}

// Sizes of whole files, which start with the vocabulary (up to some MB).
TEST(Recipe, PublicFilesAreALittleLargerThanTheirTensors) {
  struct File {
    const char* model;
    const char* recipe;
    double bytes;
  };
  for (const File& file :
       {File{"llama-3.2-1b", "q4_k_m", 807694464}, File{"llama-3.1-8b", "q4_k_m", 4920734272},
        File{"lfm2.5-1.2b", "q8_0", 1246253888}, File{"lfm2.5-1.2b", "q4_k_m", 730895168},
        File{"qwen3-4b", "q4_k_m", 2497280256}, File{"qwen3-0.6b", "q4_k_m", 396705472}}) {
    const double vocabulary = file.bytes - size_of(file.model, file.recipe);
    EXPECT_GT(vocabulary, 0) << file.model << " " << file.recipe;
    EXPECT_LT(vocabulary, 9e6) << file.model << " " << file.recipe;
  }
}

// The length of a row is not a multiple of 256: 896 in Qwen2.5-0.5B, 576 in SmolLM2-135M.
TEST(Recipe, RowsThatAreNoWholeBlocksFallBack) {
  std::map<std::string, StoredType> types;
  for (const auto& tensor : quantized(zoo_model("qwen2.5-0.5b"), find_recipe("q4_k_m"))) {
    types[tensor.name] = tensor.type;
  }
  EXPECT_EQ(types["token_embd.weight"], StoredType::kQ80);      // tied: the head
  EXPECT_EQ(types["blk.0.attn_q.weight"], StoredType::kQ50);    // instead of Q4_K
  EXPECT_EQ(types["blk.0.attn_v.weight"], StoredType::kQ80);    // instead of Q6_K
  EXPECT_EQ(types["blk.0.ffn_down.weight"], StoredType::kQ6K);  // 4864 is 19 x 256
  EXPECT_EQ(types["blk.0.attn_q.bias"], StoredType::kF32);
}

TEST(Recipe, MoreBitsGoToTheFirstAndLastEighthAndEveryThirdBetween) {
  std::set<int> more;
  for (const auto& tensor : quantized(zoo_model("llama-3.1-8b"), find_recipe("q4_k_m"))) {
    if (tensor.name.ends_with("ffn_down.weight") && tensor.type == StoredType::kQ6K) {
      more.insert(tensor.layer);
    }
  }
  // Counted by hand for 32 layers: 0 to 3, 6, 9, .. 27, 28 to 31.
  EXPECT_EQ(more, (std::set<int>{0, 1, 2, 3, 6, 9, 12, 15, 18, 21, 24, 27, 28, 29, 30, 31}));
}

TEST(Recipe, EightExpertsHaveKeysAndValuesInEightBits) {
  std::map<std::string, Tensor> tensors;
  for (const auto& tensor : quantized(zoo_model("mixtral-8x7b"), find_recipe("q4_k_m"))) {
    tensors[tensor.name] = tensor;
  }
  EXPECT_EQ(tensors["blk.5.attn_k.weight"].type, StoredType::kQ80);
  EXPECT_EQ(tensors["blk.5.attn_v.weight"].type, StoredType::kQ80);
  EXPECT_EQ(tensors["blk.5.attn_output.weight"].type, StoredType::kQ5K);
  EXPECT_EQ(tensors["blk.5.ffn_gate_inp.weight"].type, StoredType::kF32);
  const std::vector<std::int64_t> experts = {8, 14336, 4096};
  EXPECT_EQ(tensors["blk.5.ffn_up_exps.weight"].shape, experts);
}

// 4 bits per weight and a 16-bit scale per 128 weights make 4.125 bits; 4-bit zeros make
// it 4.15625.
TEST(Recipe, PackedCheckpointsAlsoHoldScales) {
  const auto bits = [](const char* recipe) {
    double bytes = 0, elements = 0;
    for (const auto& tensor : quantized(zoo_model("llama-3.1-8b"), find_recipe(recipe))) {
      if (tensor.name.find("layers.0.mlp.up_proj.") == std::string::npos) continue;
      bytes += tensor.bytes;
      elements = 14336.0 * 4096;
    }
    return 8 * bytes / elements;
  };
  EXPECT_NEAR(bits("w4a16"), 4.125, 1e-4);
  EXPECT_NEAR(bits("awq"), 4.15625, 1e-9);
  EXPECT_NEAR(bits("gptq"), 4.15625 + 32.0 / 14336, 1e-9);  // a group index per input
  EXPECT_NEAR(bits("int8"), 8 + 16.0 / 4096, 1e-9);
}

TEST(Recipe, NamesAreFoundInAnyCase) {
  EXPECT_EQ(find_recipe("Q4_K_M").name, "q4_k_m");
  EXPECT_EQ(find_recipe("IQ4-XS").name, "iq4_xs");
  EXPECT_THROW(find_recipe("q4_k_xl"), UsageError);
}

TEST(StoredType, BlocksAreThoseOfGgml) {
  EXPECT_DOUBLE_EQ(facts_of(StoredType::kQ4K).bits(), 4.5);
  EXPECT_DOUBLE_EQ(facts_of(StoredType::kQ6K).bits(), 6.5625);
  EXPECT_DOUBLE_EQ(facts_of(StoredType::kIq4Xs).bits(), 4.25);
  EXPECT_DOUBLE_EQ(facts_of(StoredType::kMxfp4).bits(), 4.25);
  EXPECT_EQ(stored_type_of_gguf(14), StoredType::kQ6K);
  EXPECT_EQ(stored_type_of_gguf(4), std::nullopt);  // Q4_2, removed
  EXPECT_EQ(stored_type_of_safetensors("F8_E4M3"), StoredType::kF8E4m3);
  for (const auto& facts : stored_types()) EXPECT_EQ(facts_of(facts.id).name, facts.name);
}

}  // namespace
}  // namespace ridgewatt::llm
