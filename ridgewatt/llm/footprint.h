// What a language model needs of memory and of the memory bus: its cache, one step of decoding, the
// buffers of a runtime. Formulas and their sources: docs/methods/language_models.md.
#pragma once

#include <cstdint>
#include <span>

#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"

namespace ridgewatt::llm {

// Bytes that the cache of keys and values grows by with one token, as long as no window is full.
double kv_bytes_per_token(const Description& description, StoredType type);
// Bytes of the cache of one sequence of `context` tokens: a sliding layer holds at most its window,
// a layer that reads another's cache none. Short convolutions hold their last inputs in F32.
double kv_bytes(const Description& description, StoredType type, std::int64_t context);

// Share of a layer's experts that a step of `batch` tokens reads: used / all for one token, else
// 1 - (1 - used / all)^batch, as if every token chose by itself.
double expert_share(const FeedForward& feed_forward, std::int64_t batch);

// One step of decoding: a token for each of `batch` sequences of `context` tokens.
struct DecodeStep {
  double weight_bytes = 0;
  double kv_read_bytes = 0;
  double kv_write_bytes = 0;
  double work_flop = 0;  // 2 per multiply-add

  double bytes() const { return weight_bytes + kv_read_bytes + kv_write_bytes; }
};
DecodeStep decode_step(const Description& description, std::span<const Tensor> tensors,
                       StoredType kv_type, std::int64_t context, std::int64_t batch);

// Buffers of llama.cpp for chunks of 512 tokens with fused attention: logits and their input in
// F32 on the device; embeddings and the mask over `cells` tokens in F32 for the host. Both lie in
// the one memory of a Jetson.
double compute_buffer_bytes(std::int64_t hidden, std::int64_t vocabulary, std::int64_t cells);

}  // namespace ridgewatt::llm
