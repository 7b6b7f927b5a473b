// Transformer encoders as exporters write them, attention spelled out: BERT, DistilBERT, ViT.
#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

struct Encoder {
  std::int64_t layers;
  std::int64_t width;
  std::int64_t heads;
  std::int64_t hidden() const { return 4 * width; }
};

// softmax(Q K^T / sqrt(d) + mask) V for x [batch, sequence, width]; an empty mask masks nothing.
Value self_attention(GraphBuilder& g, const Value& x, const Encoder& e, const Value& mask) {
  const std::int64_t head = e.width / e.heads;
  const auto heads_of = [&](const Value& y, const std::vector<std::int64_t>& order) {
    return g.transpose(g.reshape(y, {0, 0, e.heads, head}), order);
  };
  const Value q = heads_of(g.dense(x, e.width), {0, 2, 1, 3});
  const Value k = heads_of(g.dense(x, e.width), {0, 2, 3, 1});
  const Value v = heads_of(g.dense(x, e.width), {0, 2, 1, 3});
  const Value root = g.scalar(std::sqrt(static_cast<float>(head)));
  Value scores = g.div(g.matmul(q, k), root);
  if (!mask.name.empty()) scores = g.add(scores, mask);
  const Value weights = g.op("Softmax", {scores}, {{"axis", std::int64_t{-1}}});
  const Value mixed = g.transpose(g.matmul(weights, v), {0, 2, 1, 3});
  return g.dense(g.reshape(mixed, {0, 0, e.width}), e.width);
}

Value feed_forward(GraphBuilder& g, const Value& x, const Encoder& e) {
  return g.dense(g.gelu(g.dense(x, e.hidden())), e.width);
}

// The first token [batch, width] of x [batch, sequence, width].
Value first_token(GraphBuilder& g, const Value& x) {
  return {g.op("Gather", {x, g.op("Squeeze", {g.constant({0})})}, {{"axis", std::int64_t{1}}}).name,
          x.channels};
}

struct BertOptions {
  bool token_types = true;
  bool pooler = true;
};

// 0 where attention is allowed and a large negative number elsewhere, [batch, 1, 1, sequence].
Value additive_mask(GraphBuilder& g, const Value& attention_mask) {
  const Value mask = g.op("Unsqueeze", {attention_mask, g.constant({1, 2})});
  const Value allowed = g.op("Cast", {mask}, {{"to", std::int64_t{1}}});
  const Value large = g.scalar(-10000);
  return g.mul(g.sub(g.scalar(1), allowed), large);
}

Value embed(GraphBuilder& g, const Value& ids, const Encoder& e, const BertOptions& options) {
  const auto scope = g.scope("embeddings");
  Value x = g.embedding(ids, "word", 30522, e.width);
  if (options.token_types) {
    const Value types =
        g.input("token_type_ids", {"batch", "sequence"}, GraphBuilder::Element::kInt64);
    x = g.add(x, g.embedding(types, "token_type", 2, e.width));
  }
  const Value length = g.op("Shape", {ids}, {{"start", std::int64_t{1}}});
  const Value positions = g.op(
      "Slice", {g.parameter("position", {512, e.width}), g.constant({0}), length, g.constant({0})});
  return g.layer_norm(g.add(x, positions), 1e-12);
}

std::string bert(const std::string& name, const Encoder& e, const BertOptions& options = {}) {
  GraphBuilder g(name, 17);
  g.default_dim("sequence", 128);
  const auto ids = g.input("input_ids", {"batch", "sequence"}, GraphBuilder::Element::kInt64);
  const auto attention_mask =
      g.input("attention_mask", {"batch", "sequence"}, GraphBuilder::Element::kInt64);
  Value x = embed(g, ids, e, options);
  const Value mask = additive_mask(g, attention_mask);
  for (int i = 0; i < e.layers; ++i) {
    const auto scope = g.scope(fmt::format("encoder.layer.{}", i));
    x = g.layer_norm(g.add(self_attention(g, x, e, mask), x), 1e-12);
    x = g.layer_norm(g.add(feed_forward(g, x, e), x), 1e-12);
  }
  g.output(x, "last_hidden_state", {"batch", "sequence", e.width});
  if (options.pooler) {
    const auto scope = g.scope("pooler");
    const Value pooled =
        g.op("Tanh", {g.linear(first_token(g, {"last_hidden_state", e.width}), e.width)});
    g.output(pooled, "pooler_output", {"batch", e.width});
  }
  return g.serialize();
}

}  // namespace

std::string bert_tiny() {
  return bert("bert_tiny", {2, 128, 2});
}

std::string bert_base() {
  return bert("bert_base", {12, 768, 12});
}

std::string bert_large() {
  return bert("bert_large", {24, 1024, 16});
}

std::string distilbert() {
  return bert("distilbert", {6, 768, 12}, {.token_types = false, .pooler = false});
}

std::string vit_b_16() {
  const Encoder e = {12, 768, 12};
  constexpr std::int64_t kPatches = 14 * 14;
  GraphBuilder g("vit_b_16", 17);
  auto x = g.input("input", {"batch", 3, 224, 224});
  const Value batch = g.op("Shape", {x}, {{"start", std::int64_t{0}}, {"end", std::int64_t{1}}});
  x = g.reshape(g.conv(x, e.width, {.kernel = 16, .stride = 16}), {0, e.width, kPatches});
  x = g.transpose(x, {0, 2, 1});
  const Value class_shape = g.concat({batch, g.constant({1, e.width})}, 0);
  const Value class_token =
      g.op("Expand", {g.parameter("class_token", {1, 1, e.width}), class_shape});
  x = g.concat({class_token, x}, 1);
  x.channels = e.width;
  x = g.add(x, g.parameter("position", {1, kPatches + 1, e.width}));
  for (int i = 0; i < e.layers; ++i) {
    const auto scope = g.scope(fmt::format("encoder.layer.{}", i));
    x = g.add(x, self_attention(g, g.layer_norm(x, 1e-6), e, {}));
    x = g.add(x, feed_forward(g, g.layer_norm(x, 1e-6), e));
  }
  return finish_classifier(g, g.linear(first_token(g, g.layer_norm(x, 1e-6)), 1000));
}

}  // namespace ridgewatt::workload::zoo_builders
