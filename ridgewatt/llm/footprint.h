// Memory and memory traffic of a language model: its cache, one decode step, the buffers of an
// engine. Formulas and their sources: docs/methods/language_models.md.
#pragma once

#include <cstdint>
#include <span>

#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"

namespace ridgewatt::llm {

// Bytes of the key-value cache per token, as long as no sliding window is full.
double kv_bytes_per_token(const Description& description, StoredType type);
// Bytes of the cache for one sequence of `context` tokens. A sliding layer stores at most its
// window; a layer that reads the cache of another layer stores nothing. Short convolutions store
// their last inputs in F32.
double kv_bytes(const Description& description, StoredType type, std::int64_t context);

// Share of a layer's experts that a step of `batch` tokens reads: 1 - (1 - used / all)^batch, if
// the tokens are routed independently.
double expert_share(const FeedForward& feed_forward, std::int64_t batch);

// One decode step: one token for each of `batch` sequences with `context` tokens.
struct DecodeStep {
  double weight_bytes = 0;
  double kv_read_bytes = 0;
  double kv_write_bytes = 0;
  double work_flop = 0;  // 2 per multiply-add

  double bytes() const { return weight_bytes + kv_read_bytes + kv_write_bytes; }
};
DecodeStep decode_step(const Description& description, std::span<const Tensor> tensors,
                       StoredType kv_type, std::int64_t context, std::int64_t batch);

// Bytes of llama.cpp's buffers for chunks of 512 tokens with fused attention: logits and their
// input in F32 for the GPU; embeddings and the mask over `cells` cached tokens in F32 for the host.
// On a Jetson both use the same memory.
double compute_buffer_bytes(std::int64_t hidden, std::int64_t vocabulary, std::int64_t cells);

}  // namespace ridgewatt::llm
