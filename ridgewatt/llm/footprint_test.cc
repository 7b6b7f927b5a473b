// Tests the cache bytes per token of eight families, counted by hand, the steps of decoding, and
// buffers.
#include "ridgewatt/llm/footprint.h"

#include <gtest/gtest.h>

#include "ridgewatt/llm/config/folder.h"
#include "ridgewatt/llm/config/hf_config.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

constexpr double kMiB = 1024.0 * 1024;

Description of_config(const char* json) {
  return describe(parse_hf_config(parse_config_json(json, "test"), "test").numbers, "test");
}
Description of_zoo(const std::string& name) {
  return read_language_model("zoo:" + name).description;
}
double f16_bytes(const Description& model) {
  return kv_bytes_per_token(model, StoredType::kF16);
}

// 2 (keys and values) x layers x heads x head size x 2 bytes.
TEST(KvBytes, GroupedHeads) {
  EXPECT_DOUBLE_EQ(f16_bytes(of_zoo("llama-3.1-8b")), 2 * 32 * 8 * 128 * 2);  // 131,072
  EXPECT_DOUBLE_EQ(f16_bytes(of_zoo("qwen2.5-0.5b")), 2 * 24 * 2 * 64 * 2);   // 12,288
  EXPECT_DOUBLE_EQ(f16_bytes(of_zoo("qwen3-0.6b")), 2 * 28 * 8 * 128 * 2);    // head 128, not 64
  EXPECT_DOUBLE_EQ(f16_bytes(of_zoo("mixtral-8x7b")), 2 * 32 * 8 * 128 * 2);
}

TEST(KvBytes, BlocksOfEightBits) {
  const auto model = of_zoo("llama-3.1-8b");
  EXPECT_DOUBLE_EQ(kv_bytes_per_token(model, StoredType::kQ80), 2 * 32 * 8 * 128 * 34 / 32.0);
}

// Gemma 3 1B: 26 layers with one head of 256. Every sixth layer attends to all tokens, the others
// to 512.
TEST(KvBytes, SlidingLayersHoldTheirWindow) {
  const auto model = of_zoo("gemma3-1b");
  const double of_layer = 2 * 256 * 2;
  EXPECT_DOUBLE_EQ(f16_bytes(model), 26 * of_layer);
  EXPECT_DOUBLE_EQ(kv_bytes(model, StoredType::kF16, 512), 26 * of_layer * 512);
  EXPECT_DOUBLE_EQ(kv_bytes(model, StoredType::kF16, 8192), of_layer * (4 * 8192 + 22 * 512));
}

// LFM2.5: 6 of 16 layers have attention; the other ten store two inputs of 2,048 F32 values each.
TEST(KvBytes, ConvolutionsHoldNoTokens) {
  const auto model = of_zoo("lfm2.5-1.2b");
  EXPECT_DOUBLE_EQ(f16_bytes(model), 6 * 2 * 8 * 64 * 2);
  EXPECT_DOUBLE_EQ(kv_bytes(model, StoredType::kF16, 1000),
                   6 * 2 * 8 * 64 * 2 * 1000 + 10 * 2048 * 2 * 4);
}

// DeepSeek-V3 (arXiv 2412.19437): 61 layers with 512 latent and 64 rotated values: 70,272 bytes.
constexpr const char* kDeepseekV3 = R"({"model_type": "deepseek_v3", "hidden_size": 7168,
  "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128,
  "intermediate_size": 18432, "vocab_size": 129280, "kv_lora_rank": 512, "q_lora_rank": 1536,
  "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "n_routed_experts": 256,
  "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
  "first_k_dense_replace": 3, "topk_method": "noaux_tc", "max_position_embeddings": 163840})";

TEST(KvBytes, LatentAttention) {
  const auto model = of_config(kDeepseekV3);
  EXPECT_DOUBLE_EQ(f16_bytes(model), 61 * (512 + 64) * 2);
  // The paper states 671 billion parameters, 37 of them active, without the layer that predicts
  // further tokens.
  EXPECT_NEAR(static_cast<double>(parameters_of(model)), 671e9, 0.5e9);
  EXPECT_NEAR(static_cast<double>(active_parameters_of(model)), 37e9, 0.8e9);
}

// Gemma 3n E2B: 30 layers with 2 heads of 256. The last ten layers read the cache of earlier
// layers. Of the layers with their own cache, every fifth attends to all tokens.
TEST(KvBytes, LayersThatShareACacheHoldNone) {
  const auto model = of_config(R"({"model_type": "gemma3n", "text_config": {
    "model_type": "gemma3n_text", "hidden_size": 2048, "num_hidden_layers": 30,
    "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 256,
    "intermediate_size": [8192, 8192], "vocab_size": 262400, "num_kv_shared_layers": 10}})");
  EXPECT_DOUBLE_EQ(f16_bytes(model), 20 * 2 * 2 * 256 * 2);
}

// gpt-oss-20b: 24 layers with 8 heads of 64; every second layer attends to the last 128 tokens.
constexpr const char* kGptOss = R"({"model_type": "gpt_oss", "hidden_size": 2880,
  "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64,
  "intermediate_size": 2880, "vocab_size": 201088, "num_local_experts": 32,
  "num_experts_per_tok": 4, "sliding_window": 128, "max_position_embeddings": 131072})";

TEST(KvBytes, AlternatingWindows) {
  const auto model = of_config(kGptOss);
  const double of_layer = 2 * 8 * 64 * 2;
  EXPECT_DOUBLE_EQ(f16_bytes(model), 24 * of_layer);
  EXPECT_DOUBLE_EQ(kv_bytes(model, StoredType::kF16, 10000), of_layer * 12 * (10000 + 128));
  // OpenAI's model card (arXiv 2508.10925): 20.91 billion parameters, of which 3.61 are active, not
  // counting the embedding's 0.58.
  EXPECT_NEAR(static_cast<double>(parameters_of(model)), 20.91e9, 0.01e9);
  EXPECT_NEAR(static_cast<double>(active_parameters_of(model)), 3.61e9 + 0.58e9, 0.01e9);
}

// Gemma 2 2B: 26 layers with 4 heads of 256; the even layers attend to the last 4,096 tokens.
TEST(KvBytes, EverySecondLayerOfGemma2Slides) {
  const auto model = of_config(R"({"model_type": "gemma2", "hidden_size": 2304,
    "num_hidden_layers": 26, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
    "intermediate_size": 9216, "vocab_size": 256000, "sliding_window": 4096})");
  EXPECT_DOUBLE_EQ(kv_bytes(model, StoredType::kF16, 8192),
                   2 * 4 * 256 * 2.0 * (13 * 8192 + 13 * 4096));
  EXPECT_EQ(parameters_of(model), 2'614'341'888);  // safetensors.total of google/gemma-2-2b
}

TEST(ExpertShare, OneTokenReadsItsOwnManyReadAlmostAll) {
  FeedForward f;
  EXPECT_DOUBLE_EQ(expert_share(f, 5), 1);
  f.experts = 8;
  f.experts_used = 2;
  EXPECT_DOUBLE_EQ(expert_share(f, 1), 0.25);
  EXPECT_DOUBLE_EQ(expert_share(f, 2), 1 - 0.75 * 0.75);
  EXPECT_GT(expert_share(f, 32), 0.999);
}

TEST(DecodeStep, ReadsEveryMatrixOnceAndTheCacheOfEachSequence) {
  const auto model = of_zoo("llama-3.1-8b");
  const auto tensors = quantized(model, find_recipe("f16"));
  const auto step = decode_step(model, tensors, StoredType::kF16, 1000, 4);
  const double embedding = 128256.0 * 4096 * 2;
  EXPECT_NEAR(step.weight_bytes, bytes_of(tensors) - embedding + 4 * 4096 * 2, 1);
  EXPECT_DOUBLE_EQ(step.kv_read_bytes, 4.0 * 1000 * 131072);
  EXPECT_DOUBLE_EQ(step.kv_write_bytes, 4.0 * 131072);
  // 2 B x matrices + 4 B H d c per layer, for batch B, H heads of size d and context c.
  const double matrices = 8030261248.0 - 128256.0 * 4096 - 65 * 4096;
  EXPECT_NEAR(step.work_flop, 2 * 4 * matrices + 4.0 * 4 * 32 * 128 * 1000 * 32, 1e3);
}

TEST(DecodeStep, ATiedEmbeddingIsReadOnceAndAFewExpertsAlone) {
  const auto tied = of_zoo("llama-3.2-1b");
  const auto tensors = quantized(tied, find_recipe("q4_k_m"));
  const auto step = decode_step(tied, tensors, StoredType::kF16, 1, 1);
  EXPECT_DOUBLE_EQ(step.weight_bytes, bytes_of(tensors));
  const auto mixtral = of_zoo("mixtral-8x7b");
  const auto f16 = quantized(mixtral, find_recipe("bf16"));
  // The active parameters without the embedding, of which only one row is read.
  EXPECT_NEAR(decode_step(mixtral, f16, StoredType::kF16, 1, 1).weight_bytes,
              2 * (12'879'925'248.0 - 32000.0 * 4096), 5e6);
}

// The files of DeepSeek-V3 hold an additional layer that predicts the token after the next. A
// decode step must not count it.
TEST(DecodeStep, LayersBehindTheLastAreNoPartOfIt) {
  const auto model = of_zoo("mixtral-8x7b");
  auto tensors = quantized(model, find_recipe("awq"));
  const auto step = decode_step(model, tensors, StoredType::kF16, 100, 1);
  Tensor behind = tensors.back();
  behind.layer = 32;
  behind.role = Role::kExpert;
  behind.bytes = 1e9;
  tensors.push_back(behind);
  EXPECT_EQ(decode_step(model, tensors, StoredType::kF16, 100, 1).weight_bytes, step.weight_bytes);
}

// The "compute buffer size" that llama.cpp printed in public logs for micro-batches of 512.
// Llama-3-8B: 258.50 MiB. Qwen2.5-3B: 300.75 MiB on the GPU and 12.01 MiB on the host at 4,096
// tokens (github.com/SciSharp/LLamaSharp/issues/1099). TriLM 3.9B: 105.00 MiB
// (github.com/mozilla-ai/llamafile/pull/552).
TEST(ComputeBuffer, IsWhatLlamaCppPrints) {
  const auto device_mib = [](std::int64_t hidden, std::int64_t words) {
    // Without the host's part: the embeddings of 512 tokens.
    return (compute_buffer_bytes(hidden, words, 0) - 512.0 * 4 * hidden) / kMiB;
  };
  EXPECT_NEAR(device_mib(4096, 128256), 258.50, 0.01);
  EXPECT_NEAR(device_mib(2048, 151936), 300.75, 0.01);
  EXPECT_NEAR(device_mib(3072, 50688), 105.00, 0.01);
  const double host = compute_buffer_bytes(2048, 151936, 4096) / kMiB - device_mib(2048, 151936);
  EXPECT_NEAR(host, 12.01, 0.02);
}

}  // namespace
}  // namespace ridgewatt::llm
