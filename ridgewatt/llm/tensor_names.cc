#include "ridgewatt/llm/tensor_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/llm/quantization/checkpoint.h"

namespace ridgewatt::llm {
namespace {

// Above any published matrix, and small enough that a sum over all layers does not overflow.
constexpr std::int64_t kMostRows = std::int64_t{1} << 24;

bool contains_text(std::string_view name, std::string_view part) {
  return name.find(part) != std::string_view::npos;
}

// The number after "blk." or "layers.", or -1 if there is none that fits an int.
int layer_in(std::string_view name) {
  for (const std::string_view before : {"blk.", "layers."}) {
    const auto found = name.find(before);
    if (found == std::string_view::npos) continue;
    const std::string_view rest = name.substr(found + before.size());
    const auto number = parse_int(rest.substr(0, rest.find('.')));
    constexpr std::int64_t kMost = 100'000;
    if (number && *number >= 0 && *number <= kMost) return static_cast<int>(*number);
  }
  return -1;
}

// Whether the number of tensor elements matches the description. The tolerance of 0.5 % is more
// than norms, biases and tables of rotations add.
bool explains(const Description& description, const LanguageModel& model) {
  double elements = 0;
  for (const Tensor& tensor : model.tensors) elements += static_cast<double>(tensor.elements());
  const auto stated = static_cast<double>(parameters_of(description));
  return std::abs(elements - stated) <= 0.005 * stated;
}

// A description with only the keys and values per token, from the rows of the matrices that compute
// them.
Description described_by_rows(const LanguageModel& model) {
  Description description;
  for (const Tensor& tensor : model.tensors) {
    if (tensor.role == Role::kTokenEmbedding && tensor.shape.size() == 2) {
      description.vocabulary = tensor.shape[0];
      description.hidden = tensor.shape[1];
    }
    const bool keys =
        tensor.name.ends_with("attn_k.weight") || tensor.name.ends_with("k_proj.weight");
    const bool values =
        tensor.name.ends_with("attn_v.weight") || tensor.name.ends_with("v_proj.weight");
    if (tensor.layer < 0 || tensor.shape.size() != 2 || !(keys || values)) continue;
    if (tensor.shape[0] > kMostRows) continue;
    const auto layer = static_cast<std::size_t>(tensor.layer);
    if (description.layers.size() <= layer) description.layers.resize(layer + 1);
    Attention& attention = description.layers[layer].attention;
    attention.kind = AttentionKind::kGrouped;
    attention.kv_heads = 1;
    (keys ? attention.key_size : attention.value_size) = tensor.shape[0];
  }
  return description;
}

bool holds_packed(const LanguageModel& model) {
  return std::any_of(model.tensors.begin(), model.tensors.end(),
                     [](const Tensor& tensor) { return shows_packing(tensor.name); });
}

}  // namespace

TensorPlace place_of(std::string_view name, std::size_t dims) {
  TensorPlace place;
  place.layer = layer_in(name);
  if (name == "token_embd.weight" || name.ends_with("embed_tokens.weight")) {
    place.role = Role::kTokenEmbedding;
  } else if (name == "output.weight" || contains_text(name, "lm_head.")) {
    place.role = Role::kHead;
  } else if (contains_text(name, "_exps.") || contains_text(name, ".experts.")) {
    place.role = Role::kExpert;
  } else if (dims < 2) {
    place.role = Role::kSmall;
  }
  return place;
}

void describe_with_tensors(const Numbers& numbers, const std::string& source,
                           LanguageModel& model) {
  const std::string name = "'" + escape_terminal(model.architecture) + "'";
  try {
    model.description = describe(numbers, source);
    if (!model.weights_known) {
      model.remarks.push_back("architecture " + name +
                              " is not known: the weights are taken from the list of tensors, and "
                              "the cache is that of ordinary attention in every layer");
    } else if (!model.tensors.empty() && !holds_packed(model) &&
               !explains(model.description, model)) {
      model.weights_known = false;
      model.remarks.push_back(
          "the tensors do not match the model's description, so the weights are taken from the "
          "list of tensors");
    }
    return;
  } catch (const InputError&) {
    if (model.weights_known && model.tensors.empty()) throw;
  }
  model.weights_known = false;
  model.description = described_by_rows(model);
  if (model.description.layers.empty()) {
    throw InputError("the size of the key-value cache is not known, because architecture " + name +
                         " has neither metadata nor tensors that determine it",
                     source, "give the model's config.json");
  }
  model.remarks.push_back(
      "keys of architecture " + name +
      " are not known, so weights and cache are taken from the list of tensors");
}

}  // namespace ridgewatt::llm
