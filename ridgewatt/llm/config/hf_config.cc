#include "ridgewatt/llm/config/hf_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/llm/config/sliding_layers.h"

namespace ridgewatt::llm {
namespace {

constexpr std::size_t kMostConfigBytes = std::size_t{4} << 20;
constexpr int kMostConfigDepth = 32;
constexpr std::int64_t kMostConfigLayers = 1024;

// Fields may be absent or null. A wrong type is an error.
class ConfigFields {
 public:
  ConfigFields(const Json& json, const std::string& file) : json_(json), file_(file) {}

  const Json* find(std::string_view name) const {
    const auto found = json_.find(std::string(name));
    return found == json_.end() || found->is_null() ? nullptr : &*found;
  }
  // The first existing field of these names. If it is a list, its first entry.
  std::int64_t number(std::initializer_list<std::string_view> names,
                      std::int64_t fallback = 0) const {
    for (const std::string_view name : names) {
      const Json* field = find(name);
      if (field == nullptr) continue;
      if (field->is_array() && !field->empty()) field = &field->front();
      if (!field->is_number_integer()) fail(name);
      const bool huge =
          field->is_number_unsigned() && field->get<std::uint64_t>() > std::uint64_t{1} << 62;
      if (huge) fail(name);
      return field->get<std::int64_t>();
    }
    return fallback;
  }
  bool flag(std::string_view name, bool fallback) const {
    const Json* field = find(name);
    if (field == nullptr) return fallback;
    if (!field->is_boolean()) fail(name);
    return field->get<bool>();
  }
  std::string text(std::string_view name) const {
    const Json* field = find(name);
    if (field == nullptr) return "";
    if (!field->is_string()) fail(name);
    return field->get<std::string>();
  }

 private:
  [[noreturn]] void fail(std::string_view name) const {
    throw InputError(fmt::format("{} has the wrong type", name), file_);
  }
  const Json& json_;
  const std::string& file_;
};

// From the list of layer types if there is one, else from the fields that the family's
// configuration has (transformers, configuration_*.py).
void add_sliding_layers(const ConfigFields& fields, Numbers& n) {
  const SlidingRule& rule = family_row(n.family).sliding;
  StatedWindow stated{.window = fields.number({"sliding_window"})};
  const Json* types = fields.find("layer_types");
  if (types != nullptr && types->is_array()) {
    const bool one_per_layer = types->size() == static_cast<std::size_t>(n.layers);
    for (const Json& type : *types) {
      stated.layers.push_back(one_per_layer && type == "sliding_attention");
      if (one_per_layer && family_row(n.family).convolutions)
        n.convolution.push_back(type == "conv");
    }
  } else if (rule.switched) {
    stated.switched_off = !fields.flag("use_sliding_window", false);
    stated.first = fields.number({"max_window_layers"});
  } else if (rule.states_period) {
    stated.period = fields.number({"sliding_window_pattern", "_sliding_window_pattern"});
  }
  set_sliding_layers(stated, n);
}

// Sets which layers have experts (Qwen: every decoder_sparse_step-th, DeepSeek: all after the first
// dense ones).
void add_sparse_layers(const ConfigFields& fields, Numbers& n) {
  const std::int64_t dense = fields.number({"first_k_dense_replace"});
  const std::int64_t step = fields.number({"decoder_sparse_step", "moe_layer_freq"}, 1);
  const Json* only = fields.find("mlp_only_layers");
  if (n.experts == 0) return;
  for (std::int64_t i = 0; i < n.layers; ++i) {
    const bool listed = only != nullptr && only->is_array() &&
                        std::find(only->begin(), only->end(), Json(i)) != only->end();
    const bool from_zero = family_row(n.family).dense_from_zero;
    const bool at_step = step <= 1 || (from_zero ? i % step == 0 : (i + 1) % step == 0);
    n.sparse.push_back(i >= dense && at_step && !listed);
  }
}

void add_experts(const ConfigFields& fields, Numbers& n) {
  n.experts = fields.number({"num_experts", "num_local_experts", "n_routed_experts"});
  n.experts_used = fields.number({"num_experts_per_tok", "experts_per_token"});
  n.expert_width = fields.number({"moe_intermediate_size"});
  n.shared_width = fields.number({"shared_expert_intermediate_size"});
  const std::int64_t shared = fields.number({"n_shared_experts"});
  constexpr std::int64_t kMostShared = 1024, kMostExpertWidth = std::int64_t{1} << 30;
  if (n.shared_width == 0 && shared > 0 && shared < kMostShared && n.expert_width > 0 &&
      n.expert_width < kMostExpertWidth) {
    n.shared_width = shared * n.expert_width;
  }
  // The newer configurations of DeepSeek V3 do not state the method.
  const std::string method = fields.text("topk_method");
  n.expert_selection_bias =
      method == "noaux_tc" || (method.empty() && fields.text("model_type") == "deepseek_v3");
}

// Early configurations of LFM2 give a width to which transformers applies a rule: two thirds of it,
// rounded up to a multiple (configuration_lfm2.py and modeling_lfm2.py).
void add_convolutions(const ConfigFields& fields, Numbers& n) {
  n.convolution_kernel = fields.number({"conv_L_cache"}, 3);
  n.feed_forward = fields.number({"block_ff_dim", "intermediate_size"});
  const std::int64_t multiple = fields.number({"block_multiple_of"}, 256);
  const bool sound = n.feed_forward > 0 && n.feed_forward < (std::int64_t{1} << 30);
  if (fields.flag("block_auto_adjust_ff_dim", true) && sound && multiple > 0 &&
      multiple < (std::int64_t{1} << 20)) {
    double factor = 1;
    if (const Json* field = fields.find("block_ffn_dim_multiplier");
        field != nullptr && field->is_number()) {
      factor = field->get<double>();
    }
    factor = factor > 0 && factor < 64 ? factor : 1;
    const std::int64_t two_thirds = 2 * n.feed_forward / 3;
    const auto width = static_cast<std::int64_t>(factor * static_cast<double>(two_thirds));
    n.feed_forward = (width + multiple - 1) / multiple * multiple;
  }
  if (const Json* full = fields.find("full_attn_idxs");
      n.convolution.empty() && full != nullptr && full->is_array()) {
    for (std::int64_t i = 0; i < n.layers; ++i) {
      n.convolution.push_back(std::find(full->begin(), full->end(), Json(i)) == full->end());
    }
  }
}

std::optional<Recipe> recipe_of(const ConfigFields& fields, const std::string& method,
                                std::int64_t bits, std::int64_t group) {
  const bool blocks = fields.find("weight_block_size") != nullptr;
  const Recipe* found = nullptr;
  for (const Recipe& one : recipes()) {
    for (const ConfigQuantization& config : one.configs) {
      const bool fits = config.method == method &&
                        (config.format.empty() || config.format == fields.text("format")) &&
                        (blocks || !config.blocks);
      if (fits && (found == nullptr || config.blocks)) found = &one;
    }
  }
  if (found == nullptr) return std::nullopt;
  Recipe recipe = *found;
  if (!recipe.sized) return recipe;
  const bool sound = (bits == 2 || bits == 4 || bits == 8) && group >= -1 && group <= 65536;
  if (!sound) return std::nullopt;
  recipe.bits = static_cast<int>(bits);
  recipe.group = static_cast<int>(std::max<std::int64_t>(0, group));
  return recipe;
}

// compressed-tensors states bits and group size in config_groups.*.weights.
const Json* weights_of_groups(const ConfigFields& fields) {
  const Json* groups = fields.find("config_groups");
  if (groups == nullptr || !groups->is_object() || groups->empty()) return nullptr;
  const Json& group = groups->begin().value();
  if (!group.is_object() || !group.contains("weights")) return nullptr;
  return group["weights"].is_object() ? &group["weights"] : nullptr;
}

void add_quantization(const Json& json, const std::string& file, HfConfig& config) {
  const auto found = json.find("quantization_config");
  if (found == json.end() || found->is_null()) return;
  if (!found->is_object()) throw InputError("quantization_config has the wrong type", file);
  const ConfigFields fields(*found, file);
  const std::string method = fields.text("quant_method");
  const Json* weights = weights_of_groups(fields);
  const ConfigFields numbers(weights != nullptr ? *weights : *found, file);
  const std::int64_t bits = numbers.number({"bits", "num_bits", "w_bit"}, 4);
  const std::int64_t group = numbers.number({"group_size", "q_group_size"}, 128);
  config.quantization_name = escape_terminal(method);
  config.quantization = recipe_of(fields, method, bits, group);
  if (config.quantization) {
    config.quantization_name = fmt::format("{}, {} bits", method, config.quantization->bits);
  }
}

void add_head_sizes(const ConfigFields& fields, Numbers& n) {
  n.key_size = fields.number({"head_dim"});
  if (n.key_size == 0) n.key_size = family_row(n.family).defaults.head_size;
  n.kv_rank = fields.number({"kv_lora_rank"});
  if (n.kv_rank == 0) return;
  n.query_rank = fields.number({"q_lora_rank"});
  n.rope_size = fields.number({"qk_rope_head_dim"});
  n.nope_size = fields.number({"qk_nope_head_dim"});
  n.value_size = fields.number({"v_head_dim"});
  constexpr std::int64_t kMostHeadPart = std::int64_t{1} << 20;
  const bool sound = n.nope_size >= 0 && n.nope_size < kMostHeadPart && n.rope_size >= 0 &&
                     n.rope_size < kMostHeadPart;
  n.key_size = sound ? n.nope_size + n.rope_size : -1;
}

}  // namespace

Json parse_config_json(std::string_view text, const std::string& file) {
  if (text.size() > kMostConfigBytes) throw InputError("is larger than 4 MiB", file);
  const auto bounded = [&](int depth, Json::parse_event_t /*event*/, Json& /*value*/) {
    if (depth > kMostConfigDepth) throw InputError("is nested too deeply", file);
    return true;
  };
  Json json = Json::parse(text, bounded, false);
  if (!json.is_object()) throw InputError("is not a JSON object", file);
  return json;
}

Json read_config_json(const std::string& path) {
  return parse_config_json(read_file(path, kMostConfigBytes), path);
}

HfConfig parse_hf_config(const Json& json, const std::string& file) {
  HfConfig config;
  add_quantization(json, file, config);
  config.has_vision = json.contains("vision_config") || json.contains("audio_config");
  const auto nested = json.find("text_config");
  const bool inner = nested != json.end() && nested->is_object();
  const ConfigFields fields(inner ? *nested : json, file);
  config.architecture = fields.text("model_type");
  if (config.architecture.empty())
    config.architecture = ConfigFields(json, file).text("model_type");
  const FamilyRow* known = family_of_model_type(config.architecture);
  config.known = known != nullptr;
  Numbers& n = config.numbers;
  if (config.known) n.family = known->id;
  const FamilyRow& family = family_row(n.family);
  const ConfigDefaults& defaults = family.defaults;
  n.name = ConfigFields(json, file).text("_name_or_path");
  n.layers = fields.number({"num_hidden_layers", "n_layer"});
  n.hidden = fields.number({"hidden_size", "n_embd"});
  n.heads = fields.number({"num_attention_heads", "n_head"}, defaults.heads);
  n.kv_heads = fields.number({"num_key_value_heads"}, defaults.kv_heads);
  n.vocabulary = fields.number({"vocab_size"}, defaults.vocabulary);
  if (n.layers < 1 || n.layers > kMostConfigLayers) {
    throw InputError(
        "is not the configuration of a language model, because it lacks num_hidden_layers", file);
  }
  n.feed_forward = fields.number({"intermediate_size"});
  n.context = fields.number({"max_position_embeddings"}, defaults.context);
  n.tied = fields.flag("tie_word_embeddings", fields.flag("tie_embedding", defaults.tied));
  add_head_sizes(fields, n);
  add_experts(fields, n);
  add_sparse_layers(fields, n);
  add_sliding_layers(fields, n);
  if (family.convolutions) add_convolutions(fields, n);
  n.cacheless_layers = fields.number({"num_kv_shared_layers"});
  const bool bias = fields.flag("attention_bias", family.bias == Bias::kAll);
  const bool three = family.bias == Bias::kQueryKeyValue;
  n.query_key_value_bias = three || bias;
  n.output_bias = bias && !three;
  n.feed_forward_bias = fields.flag("mlp_bias", false);
  return config;
}

}  // namespace ridgewatt::llm
