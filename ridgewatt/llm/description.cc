#include "ridgewatt/llm/description.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"

namespace ridgewatt::llm {
namespace {

// Far above any published model, and small enough that no sum of products passes 2^62.
constexpr std::int64_t kMostLayers = 1024;
constexpr std::int64_t kMostWidth = std::int64_t{1} << 18;
constexpr std::int64_t kMostVocabulary = std::int64_t{1} << 22;
constexpr std::int64_t kMostExperts = 4096;
constexpr std::int64_t kMostContext = std::int64_t{1} << 30;

struct Check {
  const std::string& where;

  void between(std::string_view what, std::int64_t value, std::int64_t least,
               std::int64_t most) const {
    if (value < least || value > most) {
      throw InputError(fmt::format("{} is {}, but must be from {} to {}", what, value, least, most),
                       where);
    }
  }
  void per_layer(std::string_view what, std::size_t size, std::int64_t layers) const {
    if (size != 0 && size != static_cast<std::size_t>(layers)) {
      throw InputError(fmt::format("{} has {}, but the model has {}", what, counted(size, "entry"),
                                   counted(layers, "layer")),
                       where);
    }
  }
};

Numbers completed(Numbers n, const std::string& where) {
  const Check check{where};
  check.between("number of layers", n.layers, 1, kMostLayers);
  check.between("hidden size", n.hidden, 1, kMostWidth);
  check.between("number of heads", n.heads, 1, kMostWidth);
  if (n.kv_heads == 0) n.kv_heads = n.heads;
  check.between("number of heads of keys and values", n.kv_heads, 1, n.heads);
  if (n.key_size == 0 && n.kv_rank > 0) n.key_size = n.nope_size + n.rope_size;
  if (n.key_size == 0) n.key_size = n.hidden / n.heads;
  if (n.value_size == 0) n.value_size = n.key_size;
  check.between("size of a head", n.key_size, 1, kMostWidth / n.heads);
  check.between("size of a value", n.value_size, 1, kMostWidth / n.heads);
  check.between("vocabulary", n.vocabulary, 1, kMostVocabulary);
  check.between("trained context", n.context, 0, kMostContext);
  check.between("window", n.window, 0, kMostContext);
  check.between("layers without a cache", n.cacheless_layers, 0, n.layers);
  check.between("number of experts", n.experts, 0, kMostExperts);
  if (n.experts > 0) {
    check.between("experts per token", n.experts_used, 1, n.experts);
    if (n.expert_width == 0) n.expert_width = n.feed_forward;
    check.between("width of an expert", n.expert_width, 1, kMostWidth);
  }
  check.between("width of the shared experts", n.shared_width, 0, kMostWidth);
  const bool dense = n.experts == 0 || std::count(n.sparse.begin(), n.sparse.end(), false) > 0;
  check.between("width of the feed-forward", n.feed_forward, dense ? 1 : 0, kMostWidth);
  if (n.kv_rank != 0) {
    check.between("rank of keys and values", n.kv_rank, 1, kMostWidth);
    check.between("rank of queries", n.query_rank, 0, kMostWidth);
    check.between("rotated part of a head", n.rope_size, 1, n.key_size);
    n.nope_size = n.key_size - n.rope_size;
  }
  check.per_layer("heads of keys and values", n.layer_kv_heads.size(), n.layers);
  for (const std::int64_t heads : n.layer_kv_heads) {
    check.between("number of heads of keys and values", heads, 0, n.heads);
  }
  check.per_layer("sliding layers", n.sliding.size(), n.layers);
  check.per_layer("layers with experts", n.sparse.size(), n.layers);
  check.per_layer("layers with a convolution", n.convolution.size(), n.layers);
  if (!n.convolution.empty()) {
    check.between("length of the convolution", n.convolution_kernel, 1, 1024);
  }
  return n;
}

Attention attention_of(const Numbers& n, std::size_t layer) {
  Attention attention;
  attention.kind = n.kv_rank > 0 ? AttentionKind::kLatent : AttentionKind::kGrouped;
  attention.heads = n.heads;
  attention.kv_heads = n.layer_kv_heads.empty() ? n.kv_heads : n.layer_kv_heads[layer];
  if (attention.kv_heads == 0) return {};
  attention.key_size = n.key_size;
  attention.value_size = n.value_size;
  if (!n.sliding.empty() && n.sliding[layer]) attention.window = n.window;
  attention.shares_cache = static_cast<std::int64_t>(layer) >= n.layers - n.cacheless_layers;
  attention.query_rank = n.query_rank;
  attention.kv_rank = n.kv_rank;
  attention.rope_size = n.rope_size;
  attention.nope_size = n.nope_size;
  return attention;
}

// Adds the weights of one layer.
class LayerWeights {
 public:
  LayerWeights(const Description& model, int layer, std::vector<Weight>& all)
      : model_(model),
        family_(family_row(model.family)),
        names_(family_.names),
        layer_(layer),
        all_(all) {}

  void add() {
    const Layer& layer = model_.layers[static_cast<std::size_t>(layer_)];
    add_norms();
    if (layer.convolution_kernel > 0) add_convolution(layer.convolution_kernel);
    if (layer.attention.kind == AttentionKind::kGrouped) add_grouped(layer.attention);
    if (layer.attention.kind == AttentionKind::kLatent) add_latent(layer.attention);
    if (layer.feed_forward.experts > 0) {
      add_experts(layer.feed_forward);
    } else {
      add_dense(layer.feed_forward.width);
    }
  }

 private:
  using Shape = std::vector<std::int64_t>;

  Weight& add(const std::string& gguf, const std::string& hf, Shape shape,
              Role role = Role::kMatrix, std::int64_t copies = 1) {
    all_.push_back({fmt::format("blk.{}.{}", layer_, gguf),
                    fmt::format("model.layers.{}.{}", layer_, hf), std::move(shape), copies, role,
                    layer_, false});
    return all_.back();
  }
  void norm(std::string_view gguf, std::string_view hf, std::int64_t size) {
    add(fmt::format("{}.weight", gguf), fmt::format("{}.weight", hf), {size}, Role::kSmall);
  }
  // Adds a matrix, and its bias if it has one.
  void product(std::string_view gguf, std::string_view hf, std::int64_t out, std::int64_t in,
               bool bias = false) {
    add(fmt::format("{}.weight", gguf), fmt::format("{}.weight", hf), {out, in});
    if (bias) add(fmt::format("{}.bias", gguf), fmt::format("{}.bias", hf), {out}, Role::kSmall);
  }

  void add_norms() {
    const std::int64_t hidden = model_.hidden;
    norm("attn_norm", names_.attention_norm, hidden);
    if (family_.four_norms) {
      norm("post_attention_norm", "post_attention_layernorm", hidden);
      norm("ffn_norm", "pre_feedforward_layernorm", hidden);
      norm("post_ffw_norm", "post_feedforward_layernorm", hidden);
    } else {
      norm(names_.gguf_feed_norm, names_.feed_norm, hidden);
    }
  }

  void add_convolution(std::int64_t kernel) {
    const std::int64_t hidden = model_.hidden;
    product("shortconv.in_proj", "conv.in_proj", 3 * hidden, hidden);
    add("shortconv.conv.weight", "conv.conv.weight", {hidden, 1, kernel}, Role::kSmall);
    product("shortconv.out_proj", "conv.out_proj", hidden, hidden);
  }

  void add_grouped(const Attention& a) {
    const std::int64_t hidden = model_.hidden;
    const std::int64_t queries = a.heads * a.key_size;
    const std::int64_t keys = a.kv_heads * a.key_size, values = a.kv_heads * a.value_size;
    const bool bias = model_.query_key_value_bias;
    if (family_.fused) {
      product("attn_qkv", "self_attn.qkv_proj", queries + keys + values, hidden, bias);
    } else {
      product("attn_q", "self_attn.q_proj", queries, hidden, bias);
      product("attn_k", "self_attn.k_proj", keys, hidden, bias);
      product("attn_v", "self_attn.v_proj", values, hidden, bias);
    }
    product("attn_output", names_.attention_out, hidden, a.heads * a.value_size,
            model_.output_bias);
    if (family_.head_norms) {
      norm("attn_q_norm", names_.query_norm, a.key_size);
      norm("attn_k_norm", names_.key_norm, a.key_size);
    }
    if (family_.expert_biases) {
      add("attn_sinks.weight", "self_attn.sinks", {a.heads}, Role::kSmall);
    }
  }

  // DeepSeek-V2 (arXiv 2405.04434), section 2.1.
  void add_latent(const Attention& a) {
    const std::int64_t hidden = model_.hidden;
    if (a.query_rank > 0) {
      product("attn_q_a", "self_attn.q_a_proj", a.query_rank, hidden);
      norm("attn_q_a_norm", "self_attn.q_a_layernorm", a.query_rank);
      product("attn_q_b", "self_attn.q_b_proj", a.heads * a.key_size, a.query_rank);
    } else {
      product("attn_q", "self_attn.q_proj", a.heads * a.key_size, hidden);
    }
    product("attn_kv_a_mqa", "self_attn.kv_a_proj_with_mqa", a.kv_rank + a.rope_size, hidden);
    norm("attn_kv_a_norm", "self_attn.kv_a_layernorm", a.kv_rank);
    product("attn_kv_b", "self_attn.kv_b_proj", a.heads * (a.nope_size + a.value_size), a.kv_rank);
    product("attn_output", "self_attn.o_proj", hidden, a.heads * a.value_size);
  }

  void add_dense(std::int64_t width) {
    const std::int64_t hidden = model_.hidden;
    const bool bias = model_.feed_forward_bias;
    if (family_.fused) {
      product("ffn_up", "mlp.gate_up_proj", 2 * width, hidden, bias);
    } else {
      product("ffn_gate", names_.gate, width, hidden, bias);
      product("ffn_up", names_.up, width, hidden, bias);
    }
    product("ffn_down", family_.fused ? "mlp.down_proj" : names_.down, hidden, width, bias);
  }

  void add_experts(const FeedForward& f) {
    const std::int64_t hidden = model_.hidden;
    const std::string block(names_.block);
    add("ffn_gate_inp.weight", fmt::format("{}{}.weight", block, names_.router),
        {f.experts, hidden})
        .router = true;
    const auto expert = [&](const char* gguf, std::string_view name, std::int64_t out,
                            std::int64_t in) {
      const std::string hf = fmt::format("{}experts.{{}}.{}", block, name);
      add(std::string(gguf) + ".weight", hf + ".weight", {out, in}, Role::kExpert, f.experts);
      if (family_.expert_biases) {
        add(std::string(gguf) + ".bias", hf + ".bias", {out}, Role::kSmall, f.experts);
      }
    };
    expert("ffn_gate_exps", names_.expert_gate, f.expert_width, hidden);
    expert("ffn_up_exps", names_.expert_up, f.expert_width, hidden);
    expert("ffn_down_exps", names_.expert_down, hidden, f.expert_width);
    if (family_.expert_biases) {
      add("ffn_gate_inp.bias", "mlp.router.bias", {f.experts}, Role::kSmall);
    }
    if (model_.expert_selection_bias) {
      add("exp_probs_b.bias", "mlp.gate.e_score_correction_bias", {f.experts}, Role::kSmall);
    }
    if (f.shared_width == 0) return;
    const std::string shared(names_.shared);
    product("ffn_gate_shexp", shared + "gate_proj", f.shared_width, hidden);
    product("ffn_up_shexp", shared + "up_proj", f.shared_width, hidden);
    product("ffn_down_shexp", shared + "down_proj", hidden, f.shared_width);
    if (family_.shared_gate) {
      add("ffn_gate_inp_shexp.weight", "mlp.shared_expert_gate.weight", {1, hidden}).router = true;
    }
  }

  const Description& model_;
  const FamilyRow& family_;
  const WeightNames& names_;
  int layer_;
  std::vector<Weight>& all_;
};

}  // namespace

Description describe(const Numbers& numbers, const std::string& where) {
  const Numbers n = completed(numbers, where);
  Description description;
  description.family = n.family;
  description.name = n.name;
  description.hidden = n.hidden;
  description.vocabulary = n.vocabulary;
  description.context = n.context;
  description.tied = n.tied;
  description.query_key_value_bias = n.query_key_value_bias;
  description.output_bias = n.output_bias;
  description.feed_forward_bias = n.feed_forward_bias;
  description.expert_selection_bias = n.expert_selection_bias;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n.layers); ++i) {
    Layer layer;
    if (!n.convolution.empty() && n.convolution[i]) {
      layer.convolution_kernel = n.convolution_kernel;
    } else {
      layer.attention = attention_of(n, i);
    }
    if (n.experts > 0 && (n.sparse.empty() || n.sparse[i])) {
      layer.feed_forward = {0, n.experts, n.experts_used, n.expert_width, n.shared_width};
    } else {
      layer.feed_forward.width = n.feed_forward;
    }
    description.layers.push_back(layer);
  }
  return description;
}

std::vector<Weight> weights_of(const Description& description) {
  std::vector<Weight> all;
  const std::int64_t hidden = description.hidden, words = description.vocabulary;
  all.push_back({"token_embd.weight",
                 "model.embed_tokens.weight",
                 {words, hidden},
                 1,
                 Role::kTokenEmbedding});
  for (std::size_t i = 0; i < description.layers.size(); ++i) {
    LayerWeights(description, static_cast<int>(i), all).add();
  }
  const WeightNames& names = family_row(description.family).names;
  all.push_back({fmt::format("{}.weight", names.gguf_last_norm),
                 fmt::format("{}.weight", names.last_norm),
                 {hidden},
                 1,
                 Role::kSmall});
  if (!description.tied) {
    all.push_back({"output.weight", "lm_head.weight", {words, hidden}, 1, Role::kHead});
  }
  return all;
}

std::int64_t parameters_of(const Description& description) {
  std::int64_t sum = 0;
  for (const Weight& weight : weights_of(description)) sum += weight.elements();
  return sum;
}

std::int64_t active_parameters_of(const Description& description) {
  std::int64_t sum = 0;
  for (const Weight& weight : weights_of(description)) {
    if (weight.copies == 1) {
      sum += weight.elements();
      continue;
    }
    const auto& layer = description.layers[static_cast<std::size_t>(weight.layer)];
    sum += weight.elements() / weight.copies * layer.feed_forward.experts_used;
  }
  return sum;
}

}  // namespace ridgewatt::llm
