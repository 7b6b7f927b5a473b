// The description of a language model without the storage of its weights: layers, embeddings, and
// every weight with its shape and its names in GGUF and at Hugging Face.
//
//   const Description model = describe(numbers);   // Numbers: of a configuration
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

// The numbers of a configuration, from any kind of file. 0: not stated, or not present.
struct Numbers {
  Family family = Family::kLlama;
  std::string name;
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;  // 0: as many as heads
  std::int64_t key_size = 0;  // of a head; 0: hidden / heads
  std::int64_t value_size = 0;
  std::int64_t feed_forward = 0;
  std::int64_t vocabulary = 0;
  std::int64_t context = 0;  // that it was trained for
  bool tied = false;         // the head is the token embedding

  std::vector<std::int64_t> layer_kv_heads;  // one per layer if they differ; 0: no attention
  std::int64_t window = 0;                   // of sliding layers
  std::vector<bool> sliding;                 // per layer; empty: none
  std::int64_t cacheless_layers = 0;         // the last layers, which read an earlier cache
  bool query_key_value_bias = false;
  bool output_bias = false;

  std::int64_t experts = 0;
  std::int64_t experts_used = 0;
  std::int64_t expert_width = 0;       // feed-forward width of one expert; 0: feed_forward
  std::int64_t shared_width = 0;       // of all shared experts together; 0: none
  std::vector<bool> sparse = {};       // per layer; empty: all, if there are experts
  bool expert_selection_bias = false;  // DeepSeek V3

  std::int64_t kv_rank = 0;  // above 0: latent attention
  std::int64_t query_rank = 0;
  std::int64_t rope_size = 0;
  std::int64_t nope_size = 0;

  std::vector<bool> convolution = {};  // per layer: a short convolution instead of attention
  std::int64_t convolution_kernel = 0;
};

enum class AttentionKind { kNone, kGrouped, kLatent };

struct Attention {
  AttentionKind kind = AttentionKind::kNone;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t key_size = 0;
  std::int64_t value_size = 0;
  std::int64_t window = 0;      // tokens that it looks back; 0: all
  bool shares_cache = false;    // reads the cache of an earlier layer and holds none
  std::int64_t query_rank = 0;  // of latent attention, like the next ones
  std::int64_t kv_rank = 0;
  std::int64_t rope_size = 0;
  std::int64_t nope_size = 0;

  // Numbers that one token leaves in the cache.
  std::int64_t cached_elements() const {
    if (kind == AttentionKind::kNone || shares_cache) return 0;
    return kind == AttentionKind::kLatent ? kv_rank + rope_size
                                          : kv_heads * (key_size + value_size);
  }
};

struct FeedForward {
  std::int64_t width = 0;  // dense; 0: routed experts
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
  bool expert_selection_bias = false;
  std::vector<Layer> layers;
};

// The role of a weight in a decode step.
enum class Role {
  kTokenEmbedding,  // one row per token is read, or all of it if it is also the head
  kHead,
  kMatrix,  // read whole in every step
  kExpert,  // read if a token is routed to it
  kSmall,   // norms, biases, routers' corrections: read whole, never quantized
};

struct Weight {
  std::string gguf;  // "blk.0.ffn_up_exps.weight"
  std::string hf;    // "model.layers.0.mlp.experts.{}.up_proj.weight", {}: the expert
  std::vector<std::int64_t> shape;  // of one copy, outermost first
  std::int64_t copies = 1;          // experts: one tensor for all in GGUF, one each elsewhere
  Role role = Role::kMatrix;
  int layer = -1;
  bool router = false;  // kept in high precision everywhere

  std::int64_t elements() const {
    std::int64_t product = copies;
    for (const std::int64_t extent : shape) product *= extent;
    return product;
  }
};

// The layers that follow from the numbers. Throws InputError if a number is missing or out of
// range, so that no product of them overflows; `where` names the file.
Description describe(const Numbers& numbers, const std::string& where);

// Every weight once, in the order of the layers.
std::vector<Weight> weights_of(const Description& description);
std::int64_t parameters_of(const Description& description);
// The weights used for one token: all except the experts that it is not routed to.
std::int64_t active_parameters_of(const Description& description);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
