// Test helper: a language model as the graph of one step, an ordinary Model for shape inference and
// cost. Also computes the cost of that graph with every weight in its stored width. Tests compare
// it with the closed forms of footprint.h, which do not use graphs.
//
//   Model decode = step_graph(description, {.phase = StepPhase::kDecode, .tokens = 2048});
//   WorkloadCost cost = step_cost(description, tensors, {.tokens = 2048});
//
// A graph is created for one batch and one number of tokens, since both determine how many experts
// a step reads.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ridgewatt/llm/description.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/forecast_answer.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/stored_type.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/graph.h"
#include "ridgewatt/workload/graph_builder.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::llm {

using workload::GraphBuilder;
using Value = GraphBuilder::Value;

struct StepOptions {
  StepPhase phase = StepPhase::kDecode;
  std::int64_t batch = 1;
  std::int64_t tokens = 512;  // prompt length; for decode, tokens in the cache before the step
};

constexpr double kGraphBits = 16;

// The step as ONNX operators; nodes are named after their weights ("blk.0.attn_q/MatMul_0").
// * Every query attends to all keys, or to all keys in the window of its layer. The part of a
//   prompt that a causal kernel skips is included.
// * Of the routed experts, the graph contains as many as the step is expected to read, each with an
//   equal share of the tokens. Therefore it has fewer parameters than the model. Biases of experts
//   are left out.
// * Latent attention uses the latent cache in decode, and keys and values in prefill.
// * Only the last token of a prompt goes through the output head.
class StepGraph {
 public:
  StepGraph(const Description& model, const StepOptions& options)
      : model_(model),
        family_(family_row(model.family)),
        batch_(options.batch),
        decode_(options.phase == StepPhase::kDecode),
        fresh_(decode_ ? 1 : options.tokens),
        past_(decode_ ? options.tokens : 0),
        g_(model.name.empty() ? "language_model" : model.name, 23) {}

  std::string serialize() {
    const auto ids = g_.input("input_ids", {batch_, fresh_}, GraphBuilder::Element::kInt64);
    Value x;
    {
      const auto scope = g_.scope("token_embd");
      x = g_.embedding(ids, "weight", model_.vocabulary, model_.hidden);
    }
    if (family_.four_norms) x = g_.mul(x, g_.scalar(1));
    for (std::size_t i = 0; i < model_.layers.size(); ++i) x = layer(x, i);
    x = norm("output_norm", x);
    if (!decode_)
      x = g_.op("Slice", {x, g_.constant({-1}), g_.constant({1 << 30}), g_.constant({1})});
    g_.output(head(x), "logits", {batch_, 1, model_.vocabulary});
    return g_.serialize();
  }

 private:
  Value dense(const std::string& name, const Value& x, std::int64_t out, bool bias = false) {
    const auto scope = g_.scope(name);
    return g_.dense(x, out, bias);
  }
  Value norm(const std::string& name, const Value& x) {
    const auto scope = g_.scope(name);
    return g_.layer("RMSNormalization", x, {{"weight", {x.channels}}}, {{"epsilon", 1e-6}},
                    x.channels);
  }
  Value head(const Value& x) {
    if (!model_.tied) return dense("output", x, model_.vocabulary);
    const auto scope = g_.scope("output");
    const auto weight = g_.transpose(g_.named("token_embd.weight", model_.hidden), {1, 0});
    return g_.matmul(x, {weight.tensor, model_.vocabulary});
  }

  // Tables of angles are inputs, not parameters.
  Value rotate(const Value& x, std::int64_t heads, std::int64_t size) {
    const std::string name = fmt::format("rotary_{}", size);
    auto& tables = rotary_[size];
    if (tables.empty()) {
      for (const char* part : {"cos", "sin"}) {
        tables.push_back(g_.input(name + "_" + part, {batch_, fresh_, size / 2}));
      }
    }
    return g_.op("RotaryEmbedding", {x, tables[0], tables[1]}, {{"num_heads", heads}});
  }
  Value of_heads(const Value& x, std::int64_t heads, std::int64_t size, const std::string& weight) {
    Value y = g_.reshape(x, {0, 0, heads, size});
    y.channels = size;
    return g_.reshape(norm(weight, y), {0, 0, heads * size});
  }

  Value attend(const Value& q, Value k, Value v, std::int64_t heads, std::int64_t kv_heads,
               std::int64_t key_size, std::int64_t value_size, std::int64_t window) {
    const auto last = [&](const Value& x) {
      return g_.op("Slice", {x, g_.constant({-window}), g_.constant({1 << 30}), g_.constant({1})});
    };
    if (window > 0 && fresh_ > window) {
      k = last(k);
      v = last(v);
    }
    std::vector<Value> inputs = {q, k, v};
    const std::int64_t past = window > 0 ? std::min(past_, window) : past_;
    if (past > 0) {
      inputs.push_back({});
      const std::string at = fmt::format(".{}", caches_++);
      inputs.push_back(g_.input("past_key" + at, {batch_, kv_heads, past, key_size}));
      inputs.push_back(g_.input("past_value" + at, {batch_, kv_heads, past, value_size}));
    }
    Value out = g_.node(
        "Attention", inputs,
        {{"q_num_heads", heads}, {"kv_num_heads", kv_heads}, {"is_causal", std::int64_t{1}}}, 1)[0];
    out.channels = heads * value_size;
    return out;
  }

  Value grouped(const Value& x, const Attention& a, const std::string& at) {
    const bool bias = model_.query_key_value_bias;
    const std::int64_t queries = a.heads * a.key_size;
    const std::int64_t keys = a.kv_heads * a.key_size, values = a.kv_heads * a.value_size;
    Value q, k, v;
    if (family_.fused) {
      const auto parts = g_.split(dense(at + "attn_qkv", x, queries + keys + values, bias),
                                  {queries, keys, values}, -1);
      q = parts[0], k = parts[1], v = parts[2];
    } else {
      q = dense(at + "attn_q", x, queries, bias);
      k = dense(at + "attn_k", x, keys, bias);
      v = dense(at + "attn_v", x, values, bias);
    }
    if (family_.head_norms) {
      q = of_heads(q, a.heads, a.key_size, at + "attn_q_norm");
      k = of_heads(k, a.kv_heads, a.key_size, at + "attn_k_norm");
    }
    q = rotate(q, a.heads, a.key_size);
    k = rotate(k, a.kv_heads, a.key_size);
    const auto scope = g_.scope(at + "attn");
    return attend(q, k, v, a.heads, a.kv_heads, a.key_size, a.value_size, a.window);
  }

  // Multiplies each head with its own matrix: [batch, tokens, heads x in] to heads x out.
  Value per_head(const std::string& name, const Value& x, std::int64_t heads, std::int64_t in,
                 std::int64_t out) {
    const auto scope = g_.scope(name);
    const Value split = g_.transpose(g_.reshape(x, {0, 0, heads, in}), {0, 2, 1, 3});
    const Value y = g_.matmul(split, g_.parameter("weight", {heads, in, out}));
    Value joined = g_.reshape(g_.transpose(y, {0, 2, 1, 3}), {0, 0, heads * out});
    joined.channels = heads * out;
    return joined;
  }
  Value split_heads(const Value& x, std::int64_t heads, std::int64_t first, std::int64_t second,
                    Value* rest) {
    Value y = g_.reshape(x, {0, 0, heads, first + second});
    const auto parts = g_.split(y, {first, second}, -1);
    *rest = g_.reshape(parts[1], {0, 0, heads * second});
    rest->channels = heads * second;
    Value out = g_.reshape(parts[0], {0, 0, heads * first});
    out.channels = heads * first;
    return out;
  }
  Value join_heads(const Value& a, const Value& b, std::int64_t heads, std::int64_t first,
                   std::int64_t second) {
    Value joined = g_.reshape(
        g_.concat({g_.reshape(a, {0, 0, heads, first}), g_.reshape(b, {0, 0, heads, second})}, -1),
        {0, 0, heads * (first + second)});
    joined.channels = heads * (first + second);
    return joined;
  }

  Value latent(const Value& x, const Attention& a, const std::string& at) {
    Value q = x;
    if (a.query_rank > 0) q = norm(at + "attn_q_a_norm", dense(at + "attn_q_a", x, a.query_rank));
    q = dense(at + (a.query_rank > 0 ? "attn_q_b" : "attn_q"), q, a.heads * a.key_size);
    const auto down = g_.split(dense(at + "attn_kv_a_mqa", x, a.kv_rank + a.rope_size),
                               {a.kv_rank, a.rope_size}, -1);
    const Value latent_kv = norm(at + "attn_kv_a_norm", {down[0].tensor, a.kv_rank});
    const Value key_rope = rotate({down[1].tensor, a.rope_size}, 1, a.rope_size);
    Value q_rope;
    Value q_nope = split_heads(q, a.heads, a.nope_size, a.rope_size, &q_rope);
    q_rope = rotate(q_rope, a.heads, a.rope_size);
    if (decode_) {
      // Queries are projected to the latent space, and the result of attention is projected back.
      q_nope = per_head(at + "attn_k_b", q_nope, a.heads, a.nope_size, a.kv_rank);
      q = join_heads(q_nope, q_rope, a.heads, a.kv_rank, a.rope_size);
      Value attended;
      {
        const auto scope = g_.scope(at + "attn");
        const Value k = g_.concat({latent_kv, key_rope}, -1);
        attended = attend_latent(q, k, latent_kv, a);
      }
      return per_head(at + "attn_v_b", attended, a.heads, a.kv_rank, a.value_size);
    }
    const Value up = dense(at + "attn_kv_b", latent_kv, a.heads * (a.nope_size + a.value_size));
    Value v;
    const Value k_nope = split_heads(up, a.heads, a.nope_size, a.value_size, &v);
    const Value everywhere = g_.op("Tile", {key_rope, g_.constant({1, 1, a.heads})});
    const Value k = join_heads(k_nope, everywhere, a.heads, a.nope_size, a.rope_size);
    q = join_heads(q_nope, q_rope, a.heads, a.nope_size, a.rope_size);
    const auto scope = g_.scope(at + "attn");
    return attend(q, k, v, a.heads, a.heads, a.key_size, a.value_size, 0);
  }
  // One head of keys, whose first part also serves as the values. The cache is read once, as keys.
  Value attend_latent(const Value& q, const Value& k, const Value& v, const Attention& a) {
    const std::string name = fmt::format("past_latent.{}", caches_++);
    const std::int64_t size = a.kv_rank + a.rope_size;
    const Value past = g_.input(name, {batch_, 1, past_, size});
    Value out = g_.node("Attention", {q, k, v, {}, past},
                        {{"q_num_heads", a.heads},
                         {"kv_num_heads", std::int64_t{1}},
                         {"is_causal", std::int64_t{1}}},
                        1)[0];
    out.channels = a.heads * a.kv_rank;
    return out;
  }

  Value activated(const Value& x) { return family_.gelu ? g_.op("Gelu", {x}) : g_.silu(x); }
  Value gated(const Value& x, const std::string& gate, const std::string& up,
              const std::string& down, std::int64_t width) {
    if (family_.fused) {
      const auto halves = g_.split(dense(up, x, 2 * width), {width, width}, -1);
      return dense(down, g_.mul(activated(halves[0]), {halves[1].tensor, width}), model_.hidden);
    }
    const Value a = activated(dense(gate, x, width));
    return dense(down, g_.mul(a, dense(up, x, width)), model_.hidden);
  }

  Value expert_product(const std::string& name, const Value& x, std::int64_t experts,
                       std::int64_t in, std::int64_t out) {
    const auto scope = g_.scope(name);
    return g_.matmul(x, g_.parameter("weight", {experts, in, out}));
  }
  Value routed(const Value& x, const FeedForward& f, const std::string& at) {
    const std::int64_t rows = batch_ * fresh_;
    const auto read = std::clamp<std::int64_t>(
        std::llround(static_cast<double>(f.experts) * expert_share(f, rows)), 1, f.experts);
    const std::int64_t each = (rows * f.experts_used + read - 1) / read;
    const Value scores = g_.op("Softmax", {dense(at + "ffn_gate_inp", x, f.experts)});
    const auto chosen = g_.node("TopK", {scores, g_.constant({f.experts_used})}, {}, 2);
    // The input rows of each expert, next to each other.
    const Value flat = g_.reshape(x, {-1, model_.hidden});
    const Value order = g_.op("Expand", {g_.constant({0}), g_.constant({read, each})});
    Value gathered = {g_.op("Gather", {flat, order}).tensor, model_.hidden};
    const Value gate =
        expert_product(at + "ffn_gate_exps", gathered, read, model_.hidden, f.expert_width);
    const Value up =
        expert_product(at + "ffn_up_exps", gathered, read, model_.hidden, f.expert_width);
    Value down = expert_product(at + "ffn_down_exps", g_.mul(activated(gate), up), read,
                                f.expert_width, model_.hidden);
    // Sums the weighted outputs of the experts of each token.
    const Value back =
        g_.op("Expand", {g_.constant({0}), g_.constant({batch_, fresh_, f.experts_used})});
    down = {g_.op("Gather", {g_.reshape(down, {-1, model_.hidden}), back}).tensor, model_.hidden};
    const Value weights = g_.op("Unsqueeze", {chosen[0], g_.constant({-1})});
    Value sum = {g_.op("ReduceSum", {g_.mul(down, weights), g_.constant({2})},
                       {{"keepdims", std::int64_t{0}}})
                     .tensor,
                 model_.hidden};
    if (f.shared_width > 0) {
      sum = g_.add(sum, gated(x, at + "ffn_gate_shexp", at + "ffn_up_shexp", at + "ffn_down_shexp",
                              f.shared_width));
    }
    return sum;
  }

  // LFM2: gates around a short convolution over the channels.
  Value convolved(const Value& x, std::int64_t kernel, const std::string& at) {
    const std::int64_t width = model_.hidden;
    const auto parts =
        g_.split(dense(at + "shortconv.in_proj", x, 3 * width), {width, width, width}, -1);
    Value y = g_.mul({parts[0].tensor, width}, {parts[2].tensor, width});
    {
      const auto scope = g_.scope(at + "shortconv.conv");
      y = g_.reshape(g_.transpose(y, {0, 2, 1}), {0, 0, 1, -1});
      if (past_ > 0) {
        y = g_.concat(
            {g_.input(fmt::format("past_inputs.{}", caches_++), {batch_, width, 1, kernel - 1}), y},
            3);
      }
      y.channels = width;
      y = g_.layer("Conv", y, {{"weight", {width, 1, 1, kernel}}},
                   {{"group", width},
                    {"kernel_shape", std::vector<std::int64_t>{1, kernel}},
                    {"pads", past_ > 0 ? std::vector<std::int64_t>{0, 0, 0, 0}
                                       : std::vector<std::int64_t>{0, kernel - 1, 0, 0}}},
                   width);
      y = g_.transpose(g_.reshape(y, {0, 0, -1}), {0, 2, 1});
      y.channels = width;
    }
    return dense(at + "shortconv.out_proj", g_.mul({parts[1].tensor, width}, y), width);
  }

  Value mixed(const Value& normed, const Layer& layer, const std::string& at) {
    const Attention& a = layer.attention;
    if (layer.convolution_kernel > 0) return convolved(normed, layer.convolution_kernel, at);
    if (a.kind == AttentionKind::kNone) return normed;
    const Value y =
        a.kind == AttentionKind::kLatent ? latent(normed, a, at) : grouped(normed, a, at);
    return dense(at + "attn_output", y, model_.hidden, model_.output_bias);
  }

  Value layer(const Value& x, std::size_t index) {
    const Layer& layer = model_.layers[index];
    const std::string at = fmt::format("blk.{}.", index);
    const bool four = family_.four_norms;
    Value y = mixed(norm(at + "attn_norm", x), layer, at);
    if (four) y = norm(at + "post_attention_norm", y);
    const Value middle = g_.add(x, y);
    const Value normed = norm(at + std::string(family_.names.gguf_feed_norm), middle);
    const FeedForward& f = layer.feed_forward;
    y = f.experts > 0 ? routed(normed, f, at)
                      : gated(normed, at + "ffn_gate", at + "ffn_up", at + "ffn_down", f.width);
    if (four) y = norm(at + "post_ffw_norm", y);
    return g_.add(middle, y);
  }

  const Description& model_;
  const FamilyRow& family_;
  std::int64_t batch_;
  bool decode_;
  std::int64_t fresh_, past_;
  int caches_ = 0;
  std::map<std::int64_t, std::vector<Value>> rotary_;
  GraphBuilder g_;
};

// "blk.0.attn_q" for "blk.0.attn_q.weight" or "blk.0.attn_q/MatMul_0".
inline std::string stem_before(const std::string& name, char mark) {
  return name.substr(0, name.rfind(mark));
}

// Stored bits per element of each weight, by the weight's GGUF name without its ending.
inline std::map<std::string, double> stored_bits(const Description& description,
                                                 std::span<const Tensor> tensors) {
  std::map<std::string, double> bytes;  // of all tensors that store a weight
  for (const Tensor& tensor : tensors) {
    std::string name = tensor.name;
    constexpr std::string_view kExperts = ".experts.";
    if (const auto at = name.find(kExperts); at != std::string::npos) {
      const auto begin = at + kExperts.size(), end = name.find('.', begin);
      if (end != std::string::npos) name.replace(begin, end - begin, "{}");
    }
    if (!name.ends_with(".bias")) bytes[stem_before(name, '.')] += tensor.bytes;
  }
  const double average = 8 * bytes_of(tensors) / static_cast<double>(parameters_of(description));
  std::map<std::string, double> bits;
  for (const Weight& weight : weights_of(description)) {
    if (!weight.gguf.ends_with(".weight")) continue;
    auto found = bytes.find(stem_before(weight.gguf, '.'));
    if (found == bytes.end()) found = bytes.find(stem_before(weight.hf, '.'));
    bits[stem_before(weight.gguf, '.')] =
        found == bytes.end() ? average : 8 * found->second / static_cast<double>(weight.elements());
  }
  if (description.tied) bits["output"] = bits["token_embd"];
  // In a decode step of latent attention, the parts for keys and for values are separate.
  for (std::size_t i = 0; i < description.layers.size(); ++i) {
    const auto both = bits.find(fmt::format("blk.{}.attn_kv_b", i));
    if (both == bits.end()) continue;
    const double width = both->second;
    for (const char* part : {"k", "v"}) bits[fmt::format("blk.{}.attn_{}_b", i, part)] = width;
  }
  return bits;
}

// Bytes of the 16-bit cache that the step reads, by the attention of each layer.
inline std::map<std::string, double> cache_bytes(const Description& description,
                                                 const StepOptions& options) {
  std::map<std::string, double> bytes;
  if (options.phase != StepPhase::kDecode) return bytes;
  for (std::size_t i = 0; i < description.layers.size(); ++i) {
    Attention a = description.layers[i].attention;
    const std::int64_t held = a.window > 0 ? std::min(a.window, options.tokens) : options.tokens;
    a.shares_cache = false;
    bytes[fmt::format("blk.{}.attn", i)] =
        2.0 * static_cast<double>(options.batch * held) * static_cast<double>(a.cached_elements());
  }
  return bytes;
}

inline workload::Model step_graph(const Description& description, const StepOptions& options) {
  return workload::load_model_from_memory(StepGraph(description, options).serialize(),
                                          description.name);
}

// The cost of the step in 16-bit arithmetic. Weights have the width in `tensors` (a weight without
// a tensor has the average width), the cache is stored in `kv_type`.
inline workload::WorkloadCost step_cost(const Description& description,
                                        std::span<const Tensor> tensors, const StepOptions& options,
                                        StoredType kv_type = StoredType::kF16) {
  workload::Model model = step_graph(description, options);
  workload::CostOptions cost_options;
  cost_options.precision = workload::Precision::kFp16;
  workload::WorkloadCost cost = workload::workload_cost(model, cost_options);
  cost.batch = static_cast<int>(options.batch);
  const auto bits = stored_bits(description, tensors);
  const auto caches = cache_bytes(description, options);
  const double kv_ratio = facts_of(kv_type).bits() / kGraphBits;
  for (auto& kernel : cost.kernels) {
    const std::string stem = stem_before(kernel.name, '/');
    if (const auto found = bits.find(stem); found != bits.end()) {
      const double stored = kernel.weight_bytes * found->second / kGraphBits;
      kernel.read_bytes += stored - kernel.weight_bytes;
      kernel.weight_bytes = stored;
    }
    if (const auto found = caches.find(stem);
        found != caches.end() && kernel.op_class == workload::OpClass::kAttention) {
      kernel.read_bytes += found->second * (kv_ratio - 1);
    }
  }
  cost.parameter_bytes = bytes_of(tensors);
  cost.parameter_count = static_cast<double>(parameters_of(description));
  return cost;
}

}  // namespace ridgewatt::llm
