// The description of a language model, independent of the storage of its weights: layers,
// embeddings, and every weight with its shape and its names in GGUF and Hugging Face files.
//
//   const Description model = describe(numbers);   // Numbers: from a configuration
//   parameters_of(model);                          // 8,030,261,248
//   weights_of(model);                             // blk.0.attn_q.weight, 4096 x 4096, ...
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/family.h"

#pragma GCC visibility push(default)

namespace ridgewatt::llm {

// The numbers in a configuration of any format. 0: not stated, or not applicable.
struct Numbers {
  Family family = Family::kLlama;
  std::string name;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // 0: equal to heads
  std::int64_t key_size = 0;  // per head; 0: hidden / heads
  std::int64_t value_size = 0;
  std::int64_t feed_forward = 0;
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;  // trained context in tokens
  bool tied = false;         // output head and token embedding share one weight

  std::vector<std::int64_t> layer_kv_heads;  // per layer, if they differ; 0: no attention
  std::int64_t window = 0;                   // of layers with sliding attention, in tokens
  std::vector<bool> sliding;                 // per layer; empty: none
  // Number of layers at the end that read the cache of an earlier layer.
  std::int64_t cacheless_layers = 0;
  bool query_key_value_bias = false;
  bool output_bias = false;
  bool feed_forward_bias = false;  // of dense layers

  std::int64_t experts = 0;
  std::int64_t experts_used = 0;
  std::int64_t expert_width = 0;  // feed-forward width of an expert; 0: feed_forward
  std::int64_t shared_width = 0;  // sum over all shared experts; 0: none
  // Per layer, whether it has experts; empty: all layers, if there are experts.
  std::vector<bool> sparse = {};
  bool expert_selection_bias = false;  // of the router, as in DeepSeek V3

  std::int64_t kv_rank = 0;  // above 0: latent attention
  std::int64_t query_rank = 0;
  std::int64_t rope_size = 0;
  std::int64_t nope_size = 0;

  std::vector<bool> convolution = {};  // per layer, whether a short convolution replaces attention
  std::int64_t convolution_kernel = 0;
};

enum class AttentionKind { kNone, kGrouped, kLatent };

struct Attention {
  AttentionKind kind = AttentionKind::kNone;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t key_size = 0;
  std::int64_t value_size = 0;
  std::int64_t window = 0;      // number of attended tokens; 0: all
  bool shares_cache = false;    // whether it reads the cache of an earlier layer and stores none
  std::int64_t query_rank = 0;  // this and the following fields: for latent attention
  std::int64_t kv_rank = 0;
  std::int64_t rope_size = 0;
  std::int64_t nope_size = 0;

  // Numbers that one token adds to the cache.
  std::int64_t cached_elements() const {
    if (kind == AttentionKind::kNone || shares_cache) return 0;
    return kind == AttentionKind::kLatent ? kv_rank + rope_size
                                          : kv_heads * (key_size + value_size);
  }
};

struct FeedForward {
  std::int64_t width = 0;  // of a dense layer; 0: routed experts
  std::int64_t experts = 0;
  std::int64_t experts_used = 0;
  std::int64_t expert_width = 0;
  std::int64_t shared_width = 0;
};

struct Layer {
  Attention attention;
  FeedForward feed_forward;
  std::int64_t convolution_kernel = 0;  // of a short convolution; 0: none
};

struct Description {
  Family family = Family::kLlama;
  std::string name;
  std::int64_t hidden = 0;
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;
  bool tied = false;
  bool query_key_value_bias = false;
  bool output_bias = false;
  bool feed_forward_bias = false;
  bool expert_selection_bias = false;
  std::vector<Layer> layers;
};

// How a decode step uses a weight.
enum class Role {
  kTokenEmbedding,  // one row per token is read; as output head, all of it
  kHead,
  kMatrix,  // read completely in every step
  kExpert,  // read if a token is routed to it
  kSmall,   // norms, biases, corrections of routers: read completely, never quantized
};

struct Weight {
  std::string gguf;  // "blk.0.ffn_up_exps.weight"
  // "model.layers.0.mlp.experts.{}.up_proj.weight", where {} is the number of the expert.
  std::string hf;
  std::vector<std::int64_t> shape;  // of one copy, outermost dimension first
  // Number of experts for a weight of experts, otherwise 1. GGUF stores all copies in one tensor,
  // other formats have one tensor per copy.
  std::int64_t copies = 1;
  Role role = Role::kMatrix;
  int layer = -1;
  bool router = false;  // stored in high precision by every recipe

  std::int64_t elements() const {
    std::int64_t product = copies;
    for (const std::int64_t extent : shape) product *= extent;
    return product;
  }
};

// Computes the layers. Throws InputError if a number is missing or too large, so products of them
// cannot overflow; `where` names the file in messages.
Description describe(const Numbers& numbers, const std::string& where);

// Returns every weight once, in the order of the layers.
std::vector<Weight> weights_of(const Description& description);
std::int64_t parameters_of(const Description& description);
// Returns the number of weights used for one token. Experts that do not process it do not count.
std::int64_t active_parameters_of(const Description& description);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
