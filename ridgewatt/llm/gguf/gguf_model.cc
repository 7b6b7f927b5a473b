#include "ridgewatt/llm/gguf/gguf_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/llm/config/sliding_layers.h"
#include "ridgewatt/llm/recipe.h"
#include "ridgewatt/llm/tensor_names.h"
#include "ridgewatt/workload/mapped_file.h"

namespace ridgewatt::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostShards = 10'000;

// Reads the keys of the architecture as numbers of a model.
class GgufNumbers {
 public:
  GgufNumbers(const GgufHeader& header, std::string architecture)
      : header_(header), architecture_(std::move(architecture)) {}

  Numbers numbers(Family family) const {
    Numbers n;
    n.family = family;
    n.name = header_.text("general.name");
    n.layers = number("block_count");
    n.hidden = number("embedding_length");
    n.feed_forward = largest("feed_forward_length");
    n.context = number("context_length");
    n.vocabulary = number("vocab_size");
    n.heads = largest("attention.head_count");
    n.key_size = number("attention.key_length");
    n.value_size = number("attention.value_length");
    add_kv_heads(n);
    add_sliding(n);
    n.experts = number("expert_count");
    n.experts_used = number("expert_used_count");
    n.expert_width = number("expert_feed_forward_length");
    if (n.experts > 0) n.family = family_row(family).with_experts;
    n.shared_width = number("expert_shared_feed_forward_length");
    if (n.shared_width == 0) add_shared_experts(n);
    const std::int64_t dense = number("leading_dense_block_count");
    for (std::int64_t i = 0; i < n.layers && dense > 0 && n.layers <= 1024; ++i) {
      n.sparse.push_back(i >= dense);
    }
    n.kv_rank = number("attention.kv_lora_rank");
    n.query_rank = number("attention.q_lora_rank");
    if (n.kv_rank > 0) add_latent(n);
    n.cacheless_layers = number("attention.shared_kv_layers");
    n.convolution_kernel = number("shortconv.l_cache");
    n.query_key_value_bias = family_row(family).bias != Bias::kAsStated;
    n.output_bias = family_row(family).bias == Bias::kAll;
    return n;
  }

 private:
  std::string key(std::string_view name) const { return fmt::format("{}.{}", architecture_, name); }
  std::int64_t number(std::string_view name) const {
    return header_.integer(key(name)).value_or(0);
  }
  std::int64_t largest(std::string_view name) const {
    const auto all = header_.integers(key(name));
    return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
  }
  // Sets -1, which describe() refuses, for invalid values.
  void add_shared_experts(Numbers& n) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 30;  // the product does not overflow
    const std::int64_t count = number("expert_shared_count");
    const bool sound =
        count >= 0 && count <= kMost && n.expert_width >= 0 && n.expert_width <= kMost;
    n.shared_width = sound ? count * n.expert_width : -1;
  }
  // A layer without key-value heads has a short convolution instead of attention (LFM2).
  void add_kv_heads(Numbers& n) const {
    const auto heads = header_.integers(key("attention.head_count_kv"));
    if (heads.empty()) return;
    n.kv_heads = *std::max_element(heads.begin(), heads.end());
    if (heads.size() == 1) return;
    n.layer_kv_heads = heads;
    if (!family_row(n.family).convolutions) return;
    for (const std::int64_t count : heads) n.convolution.push_back(count == 0);
  }
  void add_sliding(Numbers& n) const {
    StatedWindow stated{.window = number("attention.sliding_window")};
    const auto pattern = header_.integers(key("attention.sliding_window_pattern"));
    if (pattern.size() == 1) stated.period = pattern[0];
    if (pattern.size() > 1) {
      for (const std::int64_t slides : pattern) stated.layers.push_back(slides != 0);
    }
    set_sliding_layers(stated, n);
  }
  // Files made for a cache in latent form state the sizes of heads as key_length_mla.
  void add_latent(Numbers& n) const {
    n.rope_size = number("rope.dimension_count");
    if (number("attention.key_length_mla") > 0) {
      n.key_size = number("attention.key_length_mla");
      n.value_size = number("attention.value_length_mla");
    }
    n.expert_selection_bias = number("expert_gating_func") == 2;  // sigmoid: DeepSeek V3
  }

  const GgufHeader& header_;
  std::string architecture_;
};

void add_tensors(const std::vector<GgufHeader>& headers, const std::string& source,
                 LanguageModel& model) {
  std::unordered_set<std::string_view> names;
  for (const GgufHeader& header : headers) {
    for (const GgufTensor& tensor : header.tensors) {
      if (!names.insert(tensor.name).second) {
        throw InputError("the same tensor is in two shards", source, escape_terminal(tensor.name));
      }
      const TensorPlace place = place_of(tensor.name, tensor.shape.size());
      model.tensors.push_back(
          {tensor.name, tensor.shape, tensor.type, tensor.bytes, 1, place.role, place.layer});
    }
  }
  if (model.tensors.empty()) throw InputError("has no tensors", source);
}

// The rows of the token embedding, if the keys do not state the size of the vocabulary.
std::int64_t vocabulary_of(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors) {
    if (tensor.role == Role::kTokenEmbedding && tensor.shape.size() == 2) return tensor.shape[0];
  }
  return 0;
}

bool has_head(const std::vector<Tensor>& tensors) {
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& tensor) { return tensor.role == Role::kHead; });
}

std::string shard_name(const std::string& stem, std::int64_t number, std::int64_t count) {
  return fmt::format("{}-{:05}-of-{:05}.gguf", stem, number, count);
}

// "model" and 3 for model-00001-of-00003.gguf. The count is 1 for any other form of name.
std::pair<std::string, std::int64_t> shards_of(const std::string& path) {
  constexpr std::size_t kEnding = 20;  // -00001-of-00003.gguf
  if (path.size() <= kEnding) return {path, 1};
  const std::string ending = path.substr(path.size() - kEnding);
  const auto number = parse_int(ending.substr(1, 5)), count = parse_int(ending.substr(10, 5));
  const std::string stem = path.substr(0, path.size() - kEnding);
  if (!number || !count || shard_name(stem, *number, *count) != path) return {path, 1};
  return {stem, *count};
}

}  // namespace

LanguageModel model_of_gguf(const std::vector<GgufHeader>& headers, const std::string& source) {
  const GgufHeader& first = headers.front();
  LanguageModel model;
  model.format = ModelFormat::kGguf;
  model.source = source;
  model.architecture = first.text("general.architecture");
  add_tensors(headers, source, model);
  const FamilyRow* known = family_of_gguf(model.architecture);
  model.weights_known = known != nullptr;
  Numbers numbers =
      GgufNumbers(first, model.architecture).numbers(known != nullptr ? known->id : Family::kLlama);
  if (numbers.vocabulary == 0) numbers.vocabulary = vocabulary_of(model.tensors);
  numbers.tied = !has_head(model.tensors);
  describe_with_tensors(numbers, source, model);
  model.name = !numbers.name.empty()   ? numbers.name
               : is_descriptor(source) ? source
                                       : fs::path(source).filename().string();
  const auto file_type = first.integer("general.file_type");
  for (const Recipe& recipe : recipes()) {
    if (file_type && recipe.gguf() && recipe.gguf_file_type == *file_type) {
      model.stored_as = recipe.name;
    }
  }
  return model;
}

LanguageModel read_gguf(const std::string& path) {
  const auto [stem, count] = shards_of(path);
  if (count < 1 || count > kMostShards)
    throw InputError("the file name states an impossible number of shards", path);
  std::vector<GgufHeader> headers;
  for (std::int64_t i = 1; i <= count; ++i) {
    const std::string file = count == 1 ? path : shard_name(stem, i, count);
    const workload::MappedFile mapped(file);
    headers.push_back(parse_gguf(mapped.bytes(), file));
    const auto stated = headers.back().integer("split.count");
    if (stated && *stated > 1 && *stated != count) {
      throw InputError(fmt::format("is one of {} shards, but its name does not say which", *stated),
                       file,
                       "rename the shards as llama-gguf-split does: NAME-00001-of-0000N.gguf");
    }
  }
  return model_of_gguf(headers, headers.size() > 1 ? shard_name(stem, 1, count) : path);
}

}  // namespace ridgewatt::llm
