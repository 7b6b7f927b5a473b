// The rules are those of llama.cpp (src/llama-quant.cpp at 007dbbf3) without an importance matrix,
// which changes IQ4 and the legacy types a little.
#include "ridgewatt/llm/quantization/mixture.h"

namespace ridgewatt::llm {
namespace {

bool named_in(const Weight& weight, std::string_view part) {
  return weight.gguf.find(part) != std::string::npos;
}

// Whether the weight computes values, alone or together with queries or keys.
bool holds_values(const Weight& weight) {
  return named_in(weight, "attn_v.weight") || named_in(weight, "attn_qkv.weight") ||
         named_in(weight, "attn_kv_b.weight");
}

// The first and the last eighth of the layers, and every third layer between them.
bool gets_more_bits(int layer, int layers) {
  return layer < layers / 8 || layer >= 7 * layers / 8 || (layer - layers / 8) % 3 == 2;
}

// The type that replaces one whose blocks do not divide the rows.
StoredType fallback(StoredType type, std::int64_t columns) {
  if (columns % facts_of(type).elements == 0) return type;
  const StoredType other = facts_of(type).instead;
  return columns % facts_of(other).elements == 0 ? other : StoredType::kF16;
}

constexpr MixtureRules kNoRules = {};

}  // namespace

Mixture::Mixture(const Description& description, const Recipe& recipe)
    : model_(description),
      recipe_(recipe),
      rules_(recipe.rules != nullptr ? *recipe.rules : kNoRules) {
  layers_ = static_cast<int>(description.layers.size());
  for (const Layer& layer : description.layers) {
    const Attention& attention = layer.attention;
    if (attention.kind != AttentionKind::kNone) ++value_layers_;
    if (attention.kv_heads > 0 && attention.heads / attention.kv_heads >= 4) many_queries_ = true;
    if (layer.feed_forward.experts == 8) eight_experts_ = true;
  }
  wide_values_ = layers_ > 0 && family_row(description.family).wide_values_at == layers_;
}

StoredType Mixture::type_of(const Weight& weight) {
  // Vectors, routers and convolutions keep the type that the conversion writes.
  if (weight.role == Role::kSmall || weight.router) return StoredType::kF32;
  if (facts_of(recipe_.type).elements == 1) return recipe_.type;
  return fallback(chosen(weight), weight.shape.back());
}

StoredType Mixture::chosen(const Weight& weight) {
  const StoredType type = recipe_.type;
  const bool head =
      weight.role == Role::kHead || (model_.tied && weight.role == Role::kTokenEmbedding);
  if (head) {
    if (recipe_.experts_only) return StoredType::kQ80;
    if (weight.shape.back() % facts_of(type).elements != 0) return StoredType::kQ80;
    return type == StoredType::kQ80 ? type : StoredType::kQ6K;
  }
  if (recipe_.experts_only) {
    return weight.role == Role::kExpert ? StoredType::kMxfp4 : StoredType::kQ80;
  }
  if (weight.role == Role::kTokenEmbedding) return type;
  if (holds_values(weight)) return of_values(type);
  if (named_in(weight, "attn_k.weight")) return eight_experts_ ? StoredType::kQ80 : type;
  if (named_in(weight, "ffn_down")) return changed(type, rules_.down, weight.layer, layers_);
  if (named_in(weight, "attn_output.weight")) return of_output(type);
  return type;
}

StoredType Mixture::changed(StoredType type, std::span<const std::optional<MixtureChange>> changes,
                            int at, int all) const {
  using enum MixtureChange::Where;
  const auto holds = [&](const MixtureChange& change) {
    switch (change.where) {
      case kAll:
        return true;
      case kFirst:
        return at < change.count;
      case kEdges:
        return gets_more_bits(at, all);
      case kShare:
        return at < all / change.count;
      case kManyQueries:
        return many_queries_;
    }
    return false;
  };
  for (const auto& change : changes) {
    if (change && holds(*change)) return change->type;
  }
  return type;
}

StoredType Mixture::of_values(StoredType type) {
  type = changed(type, rules_.values, values_seen_++, value_layers_);
  if (wide_values_ && (type == StoredType::kQ3K || type == StoredType::kQ4K)) {
    type = StoredType::kQ5K;
  }
  return eight_experts_ ? StoredType::kQ80 : type;
}

StoredType Mixture::of_output(StoredType type) const {
  if (eight_experts_) return rules_.more_for_eight ? StoredType::kQ5K : type;
  return rules_.output.value_or(type);
}

}  // namespace ridgewatt::llm
