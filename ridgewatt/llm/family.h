// Families of language models whose weights can be computed from their configuration, with one row
// of facts each. The readers of files, the list of weights, the graph of a step and the
// quantization recipes use these rows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "ridgewatt/base/enum_rows.h"

#pragma GCC visibility push(default)

namespace ridgewatt::llm {

// SmolLM2 and Mistral have the structure of Llama.
enum class Family {
  kLlama,
  kMistral,
  kMixtral,
  kQwen2,
  kQwen2Moe,
  kQwen3,
  kQwen3Moe,
  kGemma2,
  kGemma3,
  kPhi3,
  kDeepseek2,
  kGptOss,
  kLfm2,
};

// Names of the weights of a layer, where families differ. Sources: llama.cpp's
// gguf-py/gguf/constants.py and transformers' modeling files.
struct WeightNames {
  std::string_view attention_norm = "input_layernorm";
  std::string_view gguf_feed_norm = "ffn_norm";
  std::string_view feed_norm = "post_attention_layernorm";
  std::string_view query_norm = "self_attn.q_norm", key_norm = "self_attn.k_norm";
  std::string_view attention_out = "self_attn.o_proj";
  std::string_view gate = "mlp.gate_proj", up = "mlp.up_proj", down = "mlp.down_proj";
  std::string_view gguf_last_norm = "output_norm", last_norm = "model.norm";
  // Names of the weights of experts.
  std::string_view block = "mlp.", router = "gate", shared = "mlp.shared_experts.";
  std::string_view expert_gate = "gate_proj", expert_up = "up_proj", expert_down = "down_proj";
};

enum class Bias { kAsStated, kQueryKeyValue, kAll };  // kAll: unless the configuration says no

// Values that configurations may omit. 0: no default.
struct ConfigDefaults {
  std::int64_t heads = 0, kv_heads = 0, head_size = 0, vocabulary = 0, context = 0;
  bool tied = false;
};

// The layers that attend only to a window (transformers, configuration_*.py; llama.cpp,
// set_swa_pattern in src/llama-model.cpp).
struct SlidingRule {
  std::int64_t window = 0;  // default in tokens; 0: none
  std::int64_t period = 0;  // the last layer of each period attends to all tokens; 0: no such layer
  bool states_period = false;  // configurations state the period
  bool switched = false;       // configurations enable the window, from a given layer on
};

struct FamilyRow {
  Family id;
  std::string_view name;
  std::string_view gguf = "";  // its GGUF architecture; empty: shared with another family
  std::array<std::string_view, 2> model_types = {};  // model_type in config.json
  WeightNames names = {};
  ConfigDefaults defaults = {};
  SlidingRule sliding = {};
  Bias bias = Bias::kAsStated;
  bool head_norms = false;       // normalization of queries and keys per head
  bool four_norms = false;       // a norm before and after attention and feed-forward
  bool fused = false;            // queries, keys and values share one weight; gate and up share one
  bool expert_biases = false;    // biases of experts and router, and attention sinks of heads
  bool shared_gate = false;      // the shared expert has a gate
  bool gelu = false;             // GELU instead of SiLU
  bool convolutions = false;     // short convolutions replace attention in some layers
  bool dense_from_zero = false;  // in "every n-th layer has experts", layers are counted from 0
  // The family of models with the same GGUF architecture that have experts.
  Family with_experts = id;
  // If the model has this number of layers, value weights have at least 5 bits in llama.cpp's
  // mixtures. 0: no such number.
  int wide_values_at = 0;

  constexpr bool complete() const { return !name.empty() && !model_types[0].empty(); }
};

inline constexpr auto kFamilyRows = enum_rows<FamilyRow>({
    {.id = Family::kLlama,
     .name = "llama",
     .gguf = "llama",
     .model_types = {"llama", "smollm3"},
     .with_experts = Family::kMixtral,
     .wide_values_at = 80},
    {.id = Family::kMistral, .name = "mistral", .model_types = {"mistral"}},
    {.id = Family::kMixtral,
     .name = "mixtral",
     .model_types = {"mixtral"},
     .names = {.block = "block_sparse_moe.",
               .expert_gate = "w1",
               .expert_up = "w3",
               .expert_down = "w2"}},
    {.id = Family::kQwen2,
     .name = "qwen2",
     .gguf = "qwen2",
     .model_types = {"qwen2"},
     .sliding = {.switched = true},
     .bias = Bias::kQueryKeyValue},
    {.id = Family::kQwen2Moe,
     .name = "qwen2moe",
     .gguf = "qwen2moe",
     .model_types = {"qwen2_moe"},
     .names = {.shared = "mlp.shared_expert."},
     .sliding = {.switched = true},
     .bias = Bias::kQueryKeyValue,
     .shared_gate = true},
    {.id = Family::kQwen3,
     .name = "qwen3",
     .gguf = "qwen3",
     .model_types = {"qwen3"},
     .sliding = {.switched = true},
     .head_norms = true},
    {.id = Family::kQwen3Moe,
     .name = "qwen3moe",
     .gguf = "qwen3moe",
     .model_types = {"qwen3_moe"},
     .sliding = {.switched = true},
     .head_norms = true},
    {.id = Family::kGemma2,
     .name = "gemma2",
     .gguf = "gemma2",
     .model_types = {"gemma2"},
     .defaults = {.head_size = 256, .tied = true},
     .sliding = {.window = 4096, .period = 2},
     .four_norms = true,
     .gelu = true},
    // The defaults are the values that nested configurations omit (configuration_gemma3.py).
    {.id = Family::kGemma3,
     .name = "gemma3",
     .gguf = "gemma3",
     .model_types = {"gemma3", "gemma3_text"},
     .defaults = {.heads = 8,
                  .kv_heads = 4,
                  .head_size = 256,
                  .vocabulary = 262208,
                  .context = 131072,
                  .tied = true},
     .sliding = {.window = 4096, .period = 6, .states_period = true},
     .head_norms = true,
     .four_norms = true,
     .gelu = true},
    {.id = Family::kPhi3, .name = "phi3", .gguf = "phi3", .model_types = {"phi3"}, .fused = true},
    {.id = Family::kDeepseek2,
     .name = "deepseek2",
     .gguf = "deepseek2",
     .model_types = {"deepseek_v2", "deepseek_v3"},
     .dense_from_zero = true},
    {.id = Family::kGptOss,
     .name = "gpt-oss",
     .gguf = "gpt-oss",
     .model_types = {"gpt_oss"},
     .names = {.gguf_feed_norm = "post_attention_norm", .router = "router"},
     .sliding = {.period = 2},
     .bias = Bias::kAll,
     .expert_biases = true},
    {.id = Family::kLfm2,
     .name = "lfm2",
     .gguf = "lfm2",
     .model_types = {"lfm2"},
     .names = {.attention_norm = "operator_norm",
               .feed_norm = "ffn_norm",
               .query_norm = "self_attn.q_layernorm",
               .key_norm = "self_attn.k_layernorm",
               .attention_out = "self_attn.out_proj",
               .gate = "feed_forward.w1",
               .up = "feed_forward.w3",
               .down = "feed_forward.w2",
               .gguf_last_norm = "token_embd_norm",
               .last_norm = "model.embedding_norm"},
     .defaults = {.tied = true},
     .head_norms = true,
     .convolutions = true},
});
constexpr auto enum_names(Family) {
  return names_of(kFamilyRows);
}
constexpr const FamilyRow& family_row(Family family) {
  return kFamilyRows.rows[static_cast<std::size_t>(family)];
}

// The row of a GGUF architecture, or of model_type in a config.json; null if unknown.
constexpr const FamilyRow* family_of_gguf(std::string_view architecture) {
  for (const FamilyRow& row : kFamilyRows) {
    if (!row.gguf.empty() && row.gguf == architecture) return &row;
  }
  return nullptr;
}
constexpr const FamilyRow* family_of_model_type(std::string_view type) {
  for (const FamilyRow& row : kFamilyRows) {
    for (const std::string_view known : row.model_types) {
      if (!known.empty() && known == type) return &row;
    }
  }
  return nullptr;
}

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
