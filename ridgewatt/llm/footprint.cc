#include "ridgewatt/llm/footprint.h"

#include <algorithm>
#include <cmath>

namespace ridgewatt::llm {
namespace {

constexpr double kFloatBytes = 4;
constexpr double kChunk = 512;  // llama.cpp's --ubatch-size

double bytes_of_elements(StoredType type, std::int64_t elements) {
  const StoredTypeFacts& facts = facts_of(type);
  return static_cast<double>(elements) * facts.bytes / facts.elements;
}

std::int64_t tokens_held(const Attention& attention, std::int64_t context) {
  return attention.window > 0 ? std::min(context, attention.window) : context;
}

// Elements that a token is multiplied with per earlier token, in the products with keys and values.
// Latent attention multiplies the cached form directly (DeepSeek-V2, arXiv 2405.04434, section
// 2.1.2).
std::int64_t attended_elements(const Attention& attention) {
  if (attention.kind == AttentionKind::kLatent) {
    return attention.heads * (2 * attention.kv_rank + attention.rope_size);
  }
  return attention.heads * (attention.key_size + attention.value_size);
}

}  // namespace

double kv_bytes_per_token(const Description& description, StoredType type) {
  std::int64_t elements = 0;
  for (const Layer& layer : description.layers) elements += layer.attention.cached_elements();
  return bytes_of_elements(type, elements);
}

double kv_bytes(const Description& description, StoredType type, std::int64_t context) {
  double bytes = 0;
  for (const Layer& layer : description.layers) {
    bytes += bytes_of_elements(type, layer.attention.cached_elements()) *
             static_cast<double>(tokens_held(layer.attention, context));
    if (layer.convolution_kernel > 0) {
      bytes += kFloatBytes * static_cast<double>(description.hidden) *
               static_cast<double>(layer.convolution_kernel - 1);
    }
  }
  return bytes;
}

double expert_share(const FeedForward& feed_forward, std::int64_t batch) {
  if (feed_forward.experts == 0) return 1;
  const double used =
      static_cast<double>(feed_forward.experts_used) / static_cast<double>(feed_forward.experts);
  return 1 - std::pow(1 - used, static_cast<double>(batch));
}

DecodeStep decode_step(const Description& description, std::span<const Tensor> tensors,
                       StoredType kv_type, std::int64_t context, std::int64_t batch) {
  DecodeStep step;
  const auto sequences = static_cast<double>(batch);
  for (const Tensor& tensor : tensors) {
    // Layers after the last one predict further tokens (DeepSeek-V3) and are not part of a plain
    // step.
    if (tensor.layer >= static_cast<int>(description.layers.size())) continue;
    if (tensor.role == Role::kTokenEmbedding && !description.tied) {
      step.weight_bytes += tensor.bytes * sequences / static_cast<double>(description.vocabulary);
    } else if (tensor.role == Role::kExpert && tensor.layer >= 0) {
      const auto& layer = description.layers[static_cast<std::size_t>(tensor.layer)];
      step.weight_bytes += tensor.bytes * expert_share(layer.feed_forward, batch);
    } else {
      step.weight_bytes += tensor.bytes;
    }
  }
  for (const Weight& weight : weights_of(description)) {
    if (weight.role == Role::kSmall) continue;
    if (weight.role == Role::kTokenEmbedding && !description.tied) continue;
    double active = static_cast<double>(weight.elements());
    if (weight.role == Role::kExpert) {
      const auto& layer = description.layers[static_cast<std::size_t>(weight.layer)];
      active *= expert_share(layer.feed_forward, 1);
    }
    step.work_flop += 2 * sequences * active;
  }
  for (const Layer& layer : description.layers) {
    const Attention& attention = layer.attention;
    if (attention.kind == AttentionKind::kNone) continue;
    const auto held = static_cast<double>(tokens_held(attention, context));
    step.work_flop += 2 * sequences * held * static_cast<double>(attended_elements(attention));
    // A layer that shares another layer's cache still reads it.
    Attention own = attention;
    own.shares_cache = false;
    step.kv_read_bytes += sequences * held * bytes_of_elements(kv_type, own.cached_elements());
    step.kv_write_bytes += sequences * bytes_of_elements(kv_type, attention.cached_elements());
  }
  return step;
}

double compute_buffer_bytes(std::int64_t hidden, std::int64_t vocabulary, std::int64_t cells) {
  const auto width = static_cast<double>(hidden);
  return kChunk * kFloatBytes *
         (static_cast<double>(vocabulary) + width + width + static_cast<double>(cells));
}

}  // namespace ridgewatt::llm
