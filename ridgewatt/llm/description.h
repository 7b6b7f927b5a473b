// What a language model is, apart from how its weights are stored: its layers, its embeddings, and
// from them every weight with its name in both worlds (GGUF and Hugging Face) and its shape.
//
//   const Description model = describe(numbers);   // Numbers: what configurations say
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

// The numbers of a configuration, whichever file they come from. 0: not said, or not there.
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

  std::vector<std::int64_t> layer_kv_heads;  // one per layer where they differ; 0: no attention
  std::int64_t window = 0;                   // of sliding layers
  std::vector<bool> sliding;                 // per layer; empty: none
  std::int64_t cacheless_layers = 0;         // at the end, which read the cache of earlier layers
  bool query_key_value_bias = false;
  bool output_bias = false;

  std::int64_t experts = 0;
  std::int64_t experts_used = 0;
  std::int64_t expert_width = 0;       // feed-forward of one; 0: feed_forward
  std::int64_t shared_width = 0;       // of all shared experts together; 0: none
  std::vector<bool> sparse = {};       // per layer; empty: all, where there are experts
  bool expert_selection_bias = false;  // DeepSeek V3

  std::int64_t kv_rank = 0;  // latent attention where it is set
  std::int64_t query_rank = 0;
  std::int64_t rope_size = 0;
  std::int64_t nope_size = 0;

  std::vector<bool> convolution = {};  // per layer: a short convolution in the place of attention
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
  std::int64_t query_rank = 0;  // of latent attention, as what follows
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

// What a weight is for, as far as a decode step asks.
enum class Role {
  kTokenEmbedding,  // a row per token; read whole where it is the head too
  kHead,
  kMatrix,  // read whole in every step
  kExpert,  // read where a token is routed to it
  kSmall,   // norms, biases, routers' corrections: read whole, never quantized
};

struct Weight {
  std::string gguf;  // "blk.0.ffn_up_exps.weight"
  std::string hf;    // "model.layers.0.mlp.experts.{}.up_proj.weight", {}: the expert
  std::vector<std::int64_t> shape;  // of one copy, outermost first
  std::int64_t copies = 1;          // experts: one tensor of all in GGUF, one each elsewhere
  Role role = Role::kMatrix;
  int layer = -1;
  bool router = false;  // kept in high precision everywhere

  std::int64_t elements() const {
    std::int64_t product = copies;
    for (const std::int64_t extent : shape) product *= extent;
    return product;
  }
};

// The layers that follow from the numbers. InputError when a number is missing or out of range, so
// that no product of them overflows; `where` names the file.
Description describe(const Numbers& numbers, const std::string& where);

// Every weight once, in the order of the layers.
std::vector<Weight> weights_of(const Description& description);
std::int64_t parameters_of(const Description& description);
// Those that take part in computing one token: all but the experts that it is not routed to.
std::int64_t active_parameters_of(const Description& description);

}  // namespace ridgewatt::llm

#pragma GCC visibility pop
