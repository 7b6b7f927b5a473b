// The rules are facts about llama.cpp (src/llama-quant.cpp at 007dbbf3, without an importance
// matrix, which changes IQ4 and the legacy types a little).
#include "ridgewatt/llm/quantization/mixture.h"

namespace ridgewatt::llm {
namespace {

bool named_in(const Weight& weight, std::string_view part) {
  return weight.gguf.find(part) != std::string::npos;
}

// Values, or what holds values among others.
bool holds_values(const Weight& weight) {
  return named_in(weight, "attn_v.weight") || named_in(weight, "attn_qkv.weight") ||
         named_in(weight, "attn_kv_b.weight");
}

// The first and the last eighth of the layers, and every third between.
bool gets_more_bits(int layer, int layers) {
  return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

// What takes the place of a type whose blocks do not divide the rows.
StoredType fallback(StoredType type, std::int64_t columns) {
  if (columns % facts_of(type).elements == 0) return type;
  StoredType other = StoredType::kF16;
  switch (type) {
    case StoredType::kIq4Xs:
      other = StoredType::kIq4Nl;
      break;
    case StoredType::kQ2K:
    case StoredType::kQ3K:
      other = StoredType::kQ40;
      break;
    case StoredType::kQ4K:
      other = StoredType::kQ50;
      break;
    case StoredType::kQ5K:
      other = StoredType::kQ51;
      break;
    case StoredType::kQ6K:
      other = StoredType::kQ80;
      break;
    default:
      return StoredType::kF16;
  }
  return columns % facts_of(other).elements == 0 ? other : StoredType::kF16;
}

}  // namespace

Mixture::Mixture(const Description& description, const Recipe& recipe)
    : model_(description), recipe_(recipe), name_(recipe.name) {
  layers_ = static_cast<int>(description.layers.size());
  for (const Layer& layer : description.layers) {
    const Attention& attention = layer.attention;
    if (attention.kind != AttentionKind::kNone) ++value_layers_;
    if (attention.kv_heads > 0 && attention.heads / attention.kv_heads >= 4) many_queries_ = true;
    if (layer.feed_forward.experts == 8) eight_experts_ = true;
  }
  seventy_ = description.family == Family::kLlama && layers_ == 80;
}

StoredType Mixture::type_of(const Weight& weight) {
  // Vectors, routers and convolutions stay as the conversion writes them.
  if (weight.role == Role::kSmall || weight.router) return StoredType::kF32;
  if (facts_of(recipe_.type).elements == 1) return recipe_.type;
  return fallback(chosen(weight), weight.shape.back());
}

StoredType Mixture::chosen(const Weight& weight) {
  const StoredType type = recipe_.type;
  const bool head =
      weight.role == Role::kHead || (model_.tied && weight.role == Role::kTokenEmbedding);
  if (head) {
    if (recipe_.kind == RecipeKind::kExpertsMxfp4) return StoredType::kQ80;
    if (weight.shape.back() % facts_of(type).elements != 0) return StoredType::kQ80;
    return type == StoredType::kQ80 ? type : StoredType::kQ6K;
  }
  if (recipe_.kind == RecipeKind::kExpertsMxfp4) {
    return weight.role == Role::kExpert ? StoredType::kMxfp4 : StoredType::kQ80;
  }
  if (weight.role == Role::kTokenEmbedding) return type;
  if (holds_values(weight)) return of_values(type);
  if (named_in(weight, "attn_k.weight")) return eight_experts_ ? StoredType::kQ80 : type;
  if (named_in(weight, "ffn_down")) return of_down(type, weight.layer);
  if (named_in(weight, "attn_output.weight")) return of_output(type);
  return type;
}

StoredType Mixture::of_values(StoredType type) {
  const int seen = values_seen_++;
  if (name_ == "q2_k") {
    type = many_queries_ ? StoredType::kQ4K : StoredType::kQ3K;
  } else if (name_ == "q3_k_m") {
    type = seen < 2 ? StoredType::kQ5K : StoredType::kQ4K;
  } else if (name_ == "q3_k_l" || (name_.starts_with("iq4_") && many_queries_)) {
    type = StoredType::kQ5K;
  } else if ((name_ == "q4_k_m" || name_ == "q5_k_m") && gets_more_bits(seen, value_layers_)) {
    type = StoredType::kQ6K;
  } else if (name_ == "q4_k_s" && seen < 4) {
    type = StoredType::kQ5K;
  }
  if (seventy_ && (type == StoredType::kQ3K || type == StoredType::kQ4K)) type = StoredType::kQ5K;
  return eight_experts_ ? StoredType::kQ80 : type;
}

StoredType Mixture::of_down(StoredType type, int layer) const {
  if (name_ == "q2_k") return StoredType::kQ3K;
  if (name_ == "q3_k_m") return layer < layers_ / 16 ? StoredType::kQ5K : StoredType::kQ4K;
  if (name_ == "q3_k_l") return StoredType::kQ5K;
  if ((name_ == "q4_k_m" || name_ == "q5_k_m") && gets_more_bits(layer, layers_)) {
    return StoredType::kQ6K;
  }
  const bool first_eighth = layer < layers_ / 8;
  if (first_eighth && (name_.starts_with("iq4_") || name_ == "q4_k_s")) return StoredType::kQ5K;
  return type;
}

StoredType Mixture::of_output(StoredType type) const {
  if (eight_experts_) {
    for (const char* name : {"q2_k", "q3_k_s", "q3_k_m", "q4_k_s", "q4_k_m", "iq4_nl", "iq4_xs"}) {
      if (name_ == name) return StoredType::kQ5K;
    }
    return type;
  }
  if (name_ == "q2_k") return StoredType::kQ3K;
  if (name_ == "q3_k_m") return StoredType::kQ4K;
  if (name_ == "q3_k_l") return StoredType::kQ5K;
  return type;
}

}  // namespace ridgewatt::llm
