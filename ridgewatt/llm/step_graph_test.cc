// Compares the graphs of steps with the closed forms of footprint.h, which do not use graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/llm/config/hf_config.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/language_model.h"
#include "ridgewatt/llm/step_graph_fixture.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::llm {
namespace {

Description described(const char* json) {
  return describe(parse_hf_config(parse_config_json(json, "test"), "test").numbers, "test");
}

// Small models of the families that the zoo lacks.
constexpr const char* kSmallDeepseek = R"({"model_type": "deepseek_v3", "hidden_size": 512,
  "num_hidden_layers": 3, "num_attention_heads": 8, "num_key_value_heads": 8,
  "intermediate_size": 1024, "vocab_size": 2000, "kv_lora_rank": 64, "q_lora_rank": 96,
  "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32, "n_routed_experts": 16,
  "n_shared_experts": 1, "num_experts_per_tok": 4, "moe_intermediate_size": 256,
  "first_k_dense_replace": 1})";
constexpr const char* kSmallGptOss = R"({"model_type": "gpt_oss", "hidden_size": 512,
  "num_hidden_layers": 4, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64,
  "intermediate_size": 512, "vocab_size": 2000, "num_local_experts": 8,
  "num_experts_per_tok": 2, "sliding_window": 128})";

// A model of each family: the first one of the zoo, with a few layers, or a small one.
std::vector<Description> all_kinds() {
  std::vector<Description> all;
  std::set<Family> seen;
  for (const ZooModel& model : language_zoo()) {
    if (!seen.insert(model.numbers.family).second) continue;
    Numbers numbers = model.numbers;
    numbers.layers = std::min<std::int64_t>(numbers.layers, 6);
    const auto layers = static_cast<std::size_t>(numbers.layers);
    if (!numbers.sliding.empty()) numbers.sliding.resize(layers);
    if (!numbers.convolution.empty()) numbers.convolution.resize(layers);
    all.push_back(describe(numbers, std::string(model.name)));
  }
  for (const char* json : {kSmallDeepseek, kSmallGptOss}) all.push_back(described(json));
  return all;
}

struct StepSums {
  double macs = 0, weights = 0, attention_reads = 0;
};
StepSums sums_of(const workload::WorkloadCost& cost) {
  StepSums sums;
  for (const auto& kernel : cost.kernels) {
    sums.macs += kernel.macs;
    sums.weights += kernel.weight_bytes;
    if (kernel.op_class == workload::OpClass::kAttention) sums.attention_reads += kernel.read_bytes;
  }
  return sums;
}

TEST(StepGraph, EveryOperatorHasACost) {
  for (const Description& model : all_kinds()) {
    for (const StepPhase phase : {StepPhase::kPrefill, StepPhase::kDecode}) {
      workload::Model graph = step_graph(model, {phase, 2, 300});
      const auto cost = workload::workload_cost(graph, {});
      for (const auto& line : cost.caveats.lines()) {
        ADD_FAILURE() << name_of(model.family) << " " << name_of(phase) << ": " << line;
      }
    }
  }
}

// For one sequence, a step reads all weights of its active experts, so graph and closed form must
// agree.
// label: slow
TEST(StepGraph, ADecodeStepDoesAndReadsWhatTheClosedFormSays) {
  constexpr std::int64_t kContext = 1000;
  for (const Description& model : all_kinds()) {
    for (const char* recipe : {"bf16", "q8_0", "q4_k_m", "awq"}) {
      const auto tensors = quantized(model, find_recipe(recipe));
      const auto closed = decode_step(model, tensors, StoredType::kF16, kContext, 1);
      const auto cost = step_cost(model, tensors, {StepPhase::kDecode, 1, kContext});
      const StepSums sums = sums_of(cost);
      const std::string where = std::string(name_of(model.family)) + " " + recipe;
      EXPECT_NEAR(sums.macs * 2 / closed.work_flop, 1, 2e-3) << where;
      // The graph lacks the biases of experts, which matter in a model as small as this gpt-oss.
      const double margin = model.family == Family::kGptOss ? 0.04 : 3e-3;
      EXPECT_NEAR(sums.weights / closed.weight_bytes, 1, margin) << where;
    }
  }
}

TEST(StepGraph, TheCacheIsReadAsWideAsItIsStored) {
  for (const Description& model : all_kinds()) {
    const auto tensors = quantized(model, find_recipe("q8_0"));
    const auto reads = [&](StoredType type, std::int64_t context) {
      return sums_of(step_cost(model, tensors, {StepPhase::kDecode, 3, context}, type))
          .attention_reads;
    };
    const auto closed = [&](StoredType type, std::int64_t context) {
      return decode_step(model, tensors, type, context, 3).kv_read_bytes;
    };
    for (const StoredType type : {StoredType::kF16, StoredType::kQ80}) {
      EXPECT_NEAR(
          (reads(type, 2000) - reads(type, 1000)) / (closed(type, 2000) - closed(type, 1000)), 1,
          0.01)
          << name_of(model.family);
    }
  }
}

TEST(StepGraph, ABatchReadsWeightsOnceAndMoreExperts) {
  const auto mixtral = read_language_model("zoo:mixtral-8x7b").description;
  const auto tensors = quantized(mixtral, find_recipe("bf16"));
  const double one = sums_of(step_cost(mixtral, tensors, {StepPhase::kDecode, 1, 100})).weights;
  const double many = sums_of(step_cost(mixtral, tensors, {StepPhase::kDecode, 64, 100})).weights;
  EXPECT_GT(many / one, 3);
  EXPECT_NEAR(many / (bytes_of(tensors) - 32000.0 * 4096 * 2), 1, 0.01);
  const auto dense = read_language_model("zoo:qwen3-0.6b").description;
  const auto weights = quantized(dense, find_recipe("bf16"));
  EXPECT_NEAR(sums_of(step_cost(dense, weights, {StepPhase::kDecode, 64, 100})).weights /
                  sums_of(step_cost(dense, weights, {StepPhase::kDecode, 1, 100})).weights,
              1, 1e-3);
}

// 2 n x matrices without the head, which computes only one token, and 2 n n pairs of each head.
TEST(StepGraph, APromptGoesThroughAllMatricesAndItsLastTokenThroughTheHead) {
  const auto model = read_language_model("zoo:llama-3.1-8b").description;
  const auto tensors = quantized(model, find_recipe("bf16"));
  constexpr double kTokens = 1024;
  const auto cost = step_cost(model, tensors, {StepPhase::kPrefill, 1, 1024});
  const double head = 128256.0 * 4096, matrices = 8030261248.0 - 2 * head - 65 * 4096;
  const double pairs = 32.0 * 2 * 32 * 128 * kTokens * kTokens;
  EXPECT_NEAR(sums_of(cost).macs / (kTokens * matrices + head + pairs), 1, 1e-3);
  // With a window, the number of pairs grows linearly with the tokens.
  const auto gemma = read_language_model("zoo:gemma3-1b").description;
  const auto small = quantized(gemma, find_recipe("bf16"));
  const auto attention_macs = [&](std::int64_t tokens) {
    double macs = 0;
    const auto cost_of_all = step_cost(gemma, small, {StepPhase::kPrefill, 1, tokens});
    for (const auto& kernel : cost_of_all.kernels) {
      if (kernel.op_class == workload::OpClass::kAttention) macs += kernel.macs;
    }
    return macs;
  };
  EXPECT_DOUBLE_EQ(attention_macs(4096), 2.0 * 4 * 256 * 4096 * (4 * 4096 + 22 * 512));
}

}  // namespace
}  // namespace ridgewatt::llm
