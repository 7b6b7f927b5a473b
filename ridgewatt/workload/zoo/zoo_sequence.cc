// Language models that generate text word by word: an LSTM and a Llama-style decoder.
#include <fmt/format.h>

#include "ridgewatt/workload/zoo/zoo_builders.h"

namespace ridgewatt::workload::zoo_builders {

using Value = GraphBuilder::Value;

std::string lstm_lm() {
  constexpr std::int64_t kVocabulary = 29423;
  constexpr std::int64_t kWidth = 256;
  constexpr std::int64_t kGates = 4;
  GraphBuilder g("lstm_lm", 17);
  g.default_dim("sequence", 32);
  const auto ids = g.input("input", {"batch", "sequence"}, GraphBuilder::Element::kInt64);
  // The operator expects the time axis first.
  auto x = g.transpose(g.embedding(ids, "embedding", kVocabulary, kWidth), {1, 0, 2});
  for (int i = 0; i < 2; ++i) {
    x = g.layer("LSTM", x,
                {{"input_weight", {1, kGates * kWidth, kWidth}},
                 {"recurrent_weight", {1, kGates * kWidth, kWidth}},
                 {"bias", {1, 2 * kGates * kWidth}}},
                {{"hidden_size", kWidth}}, kWidth);
    x = g.op("Squeeze", {x, g.constant({1})});  // one direction
  }
  // The output layer multiplies by the embedding (Press and Wolf, 2017).
  const auto weight = g.transpose(g.named("embedding", kWidth), {1, 0});
  const auto logits = g.add(g.matmul(g.transpose(x, {1, 0, 2}), {weight.tensor, kVocabulary}),
                            g.parameter("output.bias", {kVocabulary}));
  g.output(logits, "output", {"batch", "sequence", kVocabulary});
  return g.serialize();
}

namespace {

// The shape of TinyLlama 1.1B.
constexpr std::int64_t kVocabulary = 32000;
constexpr std::int64_t kLayers = 22;
constexpr std::int64_t kWidth = 2048;
constexpr std::int64_t kHidden = 5632;
constexpr std::int64_t kHeads = 32;
constexpr std::int64_t kGroups = 4;  // heads of keys and values
constexpr std::int64_t kHead = kWidth / kHeads;
constexpr std::int64_t kMaxPositions = 2048;

Value rms_norm(GraphBuilder& g, const Value& x) {
  return g.layer("RMSNormalization", x, {{"weight", {kWidth}}}, {{"epsilon", 1e-5}}, kWidth);
}

struct Rotary {
  Value cos, sin, positions;
};

Value rotate(GraphBuilder& g, const Value& x, std::int64_t heads, const Rotary& rotary) {
  return g.op("RotaryEmbedding", {x, rotary.cos, rotary.sin, rotary.positions},
              {{"num_heads", heads}});
}

// Attention of `layer` over the tokens and, if `cached`, over the past tokens.
Value attention(GraphBuilder& g, const Value& x, const Rotary& rotary, std::int64_t layer,
                bool cached) {
  const Value q = rotate(g, g.dense(x, kWidth, false), kHeads, rotary);
  const Value k = rotate(g, g.dense(x, kGroups * kHead, false), kGroups, rotary);
  const Value v = g.dense(x, kGroups * kHead, false);
  std::vector<Value> inputs = {q, k, v};
  if (cached) {
    inputs.push_back({});  // no mask beyond the causal one
    for (const char* what : {"key", "value"}) {
      inputs.push_back(g.input(fmt::format("past_{}.{}", what, layer),
                               {"batch", kGroups, "past_sequence", kHead}));
    }
  }
  const auto outputs = g.node(
      "Attention", inputs,
      {{"q_num_heads", kHeads}, {"kv_num_heads", kGroups}, {"is_causal", std::int64_t{1}}}, 3);
  for (int i = 1; i < 3; ++i) {
    g.output(outputs[i], fmt::format("present_{}.{}", i == 1 ? "key" : "value", layer),
             {"batch", kGroups, "total_sequence", kHead});
  }
  return g.dense(outputs[0], kWidth, false);
}

Value gated_feed_forward(GraphBuilder& g, const Value& x) {
  const Value gate = g.silu(g.dense(x, kHidden, false));
  return g.dense(g.mul(gate, g.dense(x, kHidden, false)), kWidth, false);
}

std::string llama(const std::string& name, bool cached) {
  GraphBuilder g(name, 23);
  const GraphBuilder::Dim sequence = cached ? GraphBuilder::Dim(1) : GraphBuilder::Dim("sequence");
  g.default_dim(cached ? "past_sequence" : "sequence", cached ? 511 : 512);
  const auto ids = g.input("input_ids", {"batch", sequence}, GraphBuilder::Element::kInt64);
  const Rotary rotary = {
      g.parameter("rotary_cos", {kMaxPositions, kHead / 2}),
      g.parameter("rotary_sin", {kMaxPositions, kHead / 2}),
      g.input("position_ids", {"batch", sequence}, GraphBuilder::Element::kInt64)};
  Value x = g.embedding(ids, "embedding", kVocabulary, kWidth);
  for (std::int64_t i = 0; i < kLayers; ++i) {
    const auto scope = g.scope(fmt::format("layers.{}", i));
    x = g.add(x, attention(g, rms_norm(g, x), rotary, i, cached));
    x = g.add(x, gated_feed_forward(g, rms_norm(g, x)));
  }
  g.output(g.dense(rms_norm(g, x), kVocabulary, false), "logits", {"batch", sequence, kVocabulary});
  return g.serialize();
}

}  // namespace

std::string llama_small_prefill() {
  return llama("llama_small_prefill", false);
}

std::string llama_small_decode() {
  return llama("llama_small_decode", true);
}

}  // namespace ridgewatt::workload::zoo_builders
