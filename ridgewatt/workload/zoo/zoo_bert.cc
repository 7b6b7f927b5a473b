// Text encoders as exporters write them, with expanded attention: BERT, DistilBERT.
#include <fmt/format.h>

#include "ridgewatt/workload/zoo/encoder_parts.h"
#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {
namespace {

using Value = GraphBuilder::Value;

struct BertOptions {
  int sequence = 128;  // default length
  bool token_types = true;
  bool pooler = true;
};

// 0 where attention is allowed, a large negative number elsewhere; [batch, 1, 1, sequence].
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
  g.default_dim("sequence", options.sequence);
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
    const Value pooled = g.op("Tanh", {g.linear(first_token(g, x), e.width)});
    g.output(pooled, "pooler_output", {"batch", e.width});
  }
  return g.serialize();
}

}  // namespace

// The lengths are those of published runs: 512 words in the report on the energy of inference; 384
// tokens, the limit for questions of SQuAD; 128 for BERT-large in Pagoda.
std::string bert_tiny() {
  return bert("bert_tiny", {2, 128, 2}, {.sequence = 512});
}

std::string bert_base() {
  return bert("bert_base", {12, 768, 12}, {.sequence = 384});
}

std::string bert_large() {
  return bert("bert_large", {24, 1024, 16});
}

std::string distilbert() {
  return bert("distilbert", {6, 768, 12}, {.sequence = 512, .token_types = false, .pooler = false});
}

}  // namespace ridgewatt::workload::zoo_builders
