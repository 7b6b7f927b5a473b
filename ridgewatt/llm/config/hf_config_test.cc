// Tests configurations of model families that express the same properties differently.
#include "ridgewatt/llm/config/hf_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/llm/config/folder.h"
#include "ridgewatt/llm/footprint.h"

namespace ridgewatt::llm {
namespace {

using ::testing::HasSubstr;

LanguageModel model_from(const std::string& json) {
  return model_of_config(parse_config_json(json, "folder/config.json"), {}, "folder/config.json");
}

std::string config_refusal(const std::string& json) {
  try {
    model_from(json);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// Public counts: safetensors.total of Qwen/Qwen3-30B-A3B, mistralai/Mistral-7B-v0.3,
// microsoft/Phi-3.5-mini-instruct and google/gemma-3-4b-it's text part.
TEST(HfConfig, FamiliesHaveTheirPublicCounts) {
  const auto qwen = model_from(R"({"model_type": "qwen3_moe", "hidden_size": 2048,
    "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
    "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
    "num_experts_per_tok": 8, "decoder_sparse_step": 1, "mlp_only_layers": [],
    "vocab_size": 151936, "tie_word_embeddings": false, "max_position_embeddings": 40960})");
  EXPECT_EQ(parameters_of(qwen.description), 30'532'122'624);
  EXPECT_NEAR(static_cast<double>(active_parameters_of(qwen.description)), 3.3e9, 0.06e9);
  const auto mistral = model_from(R"({"model_type": "mistral", "hidden_size": 4096,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
    "intermediate_size": 14336, "vocab_size": 32768, "sliding_window": null})");
  EXPECT_EQ(parameters_of(mistral.description), 7'248'023'552);
  const auto phi = model_from(R"({"model_type": "phi3", "hidden_size": 3072,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 32,
    "intermediate_size": 8192, "vocab_size": 32064, "sliding_window": 262144})");
  EXPECT_EQ(parameters_of(phi.description), 3'821'079'552);
}

// The biases that transformers creates: LlamaMLP, and the router of DeepseekV3TopkRouter.
TEST(HfConfig, BiasesOfDenseLayersAndRoutersCount) {
  const auto parameters = [](const std::string& json) {
    return parameters_of(model_from(json).description);
  };
  const std::string llama = R"({"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 3,
    "num_attention_heads": 4, "intermediate_size": 160, "vocab_size": 100)";
  EXPECT_EQ(parameters(llama + R"(, "mlp_bias": true})"), parameters(llama + "}") + 3 * 384);
  const std::string deepseek = R"({"model_type": "deepseek_v3", "hidden_size": 64,
    "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 160, "vocab_size": 100,
    "kv_lora_rank": 32, "qk_rope_head_dim": 8, "qk_nope_head_dim": 16, "v_head_dim": 16,
    "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
    "first_k_dense_replace": 1)";
  EXPECT_EQ(parameters(deepseek + "}"),
            parameters(deepseek + R"(, "topk_method": "greedy"})") + 3 * 8);
  EXPECT_EQ(parameters(deepseek + "}"), parameters(deepseek + R"(, "topk_method": "noaux_tc"})"));
}

TEST(HfConfig, QuantizedConfigurationsTellTheirTensors) {
  const std::string qwen = R"({"model_type": "qwen2", "hidden_size": 896, "num_hidden_layers": 24,
    "num_attention_heads": 14, "num_key_value_heads": 2, "intermediate_size": 4864,
    "vocab_size": 151936, "tie_word_embeddings": true, "quantization_config": )";
  const auto gptq = model_from(qwen + R"({"quant_method": "gptq", "bits": 8, "group_size": 128}})");
  EXPECT_EQ(gptq.stored_as, "gptq, 8 bits");
  EXPECT_GT(bytes_of(gptq.tensors), 136134656 * 2.0 + 357e6);  // embedding in 16 bits, others in 8
  const auto fp8 = model_from(qwen + R"({"quant_method": "fp8"}})");
  EXPECT_EQ(fp8.stored_as, "fp8, 8 bits");
  const auto packed = model_from(qwen + R"({"quant_method": "compressed-tensors",
    "format": "pack-quantized", "config_groups": {"group_0": {"weights": {"num_bits": 4,
    "group_size": 128}}}}})");
  EXPECT_EQ(packed.stored_as, "compressed-tensors, 4 bits");
  const auto novel = model_from(qwen + R"({"quant_method": "novel"}})");
  EXPECT_TRUE(novel.tensors.empty());
  ASSERT_EQ(novel.remarks.size(), 1U);
  EXPECT_THAT(novel.remarks[0], HasSubstr("'novel' is not known"));
}

// Gemma 3 4B's configuration omits values that are defaults in transformers. Its text part has
// 3,880,099,328 parameters (keras-hub, gemma3_presets.py).
TEST(HfConfig, NestedTextIsRead) {
  const auto gemma = model_from(R"({"model_type": "gemma3", "vision_config": {},
    "text_config": {"model_type": "gemma3_text", "hidden_size": 2560, "intermediate_size": 10240,
    "num_hidden_layers": 34, "sliding_window": 1024}})");
  EXPECT_NEAR(static_cast<double>(parameters_of(gemma.description)), 3.880e9, 0.001e9);
  EXPECT_EQ(gemma.description.layers[4].attention.window, 1024);
  EXPECT_EQ(gemma.description.layers[5].attention.window, 0);
  ASSERT_EQ(gemma.remarks.size(), 1U);
  EXPECT_THAT(gemma.remarks[0], HasSubstr("vision and audio parts"));
}

TEST(HfConfig, LiesAreRefused) {
  EXPECT_THAT(config_refusal("[]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(config_refusal("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(config_refusal("{}"), HasSubstr("num_hidden_layers"));
  const std::string start = R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64,
    "num_attention_heads": 4, "intermediate_size": 128, "vocab_size": 1000)";
  EXPECT_EQ(config_refusal(start + "}"), "");
  EXPECT_THAT(config_refusal(start + R"(, "head_dim": "x"})"), HasSubstr("wrong type"));
  EXPECT_THAT(config_refusal(start + R"(, "head_dim": 1e3})"), HasSubstr("wrong type"));
  EXPECT_THAT(config_refusal(start + R"(, "head_dim": 18446744073709551615})"),
              HasSubstr("wrong type"));
  EXPECT_THAT(config_refusal(start + R"(, "head_dim": -7})"), HasSubstr("size of a head"));
  EXPECT_THAT(config_refusal(start + R"(, "num_key_value_heads": 5})"), HasSubstr("heads"));
  EXPECT_THAT(config_refusal(start + R"(, "num_experts": 8})"), HasSubstr("experts per token"));
  EXPECT_THAT(config_refusal(start + R"(, "quantization_config": 4})"), HasSubstr("wrong type"));
  EXPECT_THAT(config_refusal(R"({"model_type": "novel", "num_hidden_layers": 2})"),
              HasSubstr("'novel' is not known"));
  EXPECT_THAT(config_refusal(R"({"model_type": "novel", "num_hidden_layers": 2})"),
              HasSubstr("choose one of llama, "));
  EXPECT_THAT(config_refusal(R"({"model_type": "qwn2", "num_hidden_layers": 2})"),
              HasSubstr("did you mean qwen2?"));
  std::string deep = "{\"a\":";
  for (int i = 0; i < 1000; ++i) deep += "[";
  EXPECT_THAT(config_refusal(deep), HasSubstr("nested too deep"));
}

TEST(GenAi, FoldersOfOnnxModelsAreRead) {
  const testing::TemporaryFolder folder;
  folder.write("genai_config.json", R"({"model": {"type": "llama", "vocab_size": 128256,
    "context_length": 131072, "decoder": {"filename": "model.onnx", "head_size": 64,
    "hidden_size": 2048, "num_attention_heads": 32, "num_hidden_layers": 16,
    "num_key_value_heads": 8}}})");
  EXPECT_THROW(read_language_model(folder.path().string()), NotFoundError);
  folder.write("model.onnx", std::string(1000, 'x'));
  folder.write("model.onnx.data", std::string(5000, 'x'));
  const auto model = read_language_model(folder.path().string());
  EXPECT_DOUBLE_EQ(bytes_of(model.tensors), 6000);
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(model.description, StoredType::kF16), 2 * 16 * 8 * 64 * 2);
  EXPECT_FALSE(model.weights_known);
}

TEST(GenAi, FilesOutsideTheFolderAreRefused) {
  for (const char* name : {"../model.onnx", "/etc/passwd", "..", ""}) {
    const auto json = parse_config_json(
        std::string(R"({"model": {"decoder": {"filename": ")") + name + "\"}}}", "g");
    EXPECT_THROW(genai_decoder_file(json, "g"), InputError) << name;
  }
  EXPECT_THROW(genai_decoder_file(parse_config_json("{}", "g"), "g"), InputError);
}

}  // namespace
}  // namespace ridgewatt::llm
