#include "ridgewatt/llm/gguf/gguf_writer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/output_file.h"
#include "ridgewatt/llm/gguf/random_weights.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

// The tokens of a vocabulary that any program can read: SentencePiece's three special tokens, a
// token for each byte, and meaningless words.
void add_vocabulary(std::int64_t size, GgufWriter& writer) {
  enum Kind : std::int32_t { kNormal = 1, kUnknown = 2, kControl = 3, kByte = 6 };
  std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
  std::vector<std::int32_t> kinds = {kUnknown, kControl, kControl};
  for (int byte = 0; byte < 256; ++byte) {
    tokens.push_back(fmt::format("<0x{:02X}>", byte));
    kinds.push_back(kByte);
  }
  const auto count = static_cast<std::size_t>(size);
  tokens.resize(count);
  kinds.resize(count, kNormal);
  std::vector<float> scores(count);
  for (std::size_t i = 259; i < count; ++i) {
    tokens[i] = fmt::format("\u2581w{}", i);
    scores[i] = -static_cast<float>(i);
  }
  writer.text("tokenizer.ggml.model", "llama")
      .texts("tokenizer.ggml.tokens", tokens)
      .reals("tokenizer.ggml.scores", scores)
      .kinds("tokenizer.ggml.token_type", kinds)
      .number("tokenizer.ggml.bos_token_id", 1)
      .number("tokenizer.ggml.eos_token_id", 2);
}

}  // namespace

std::string GgufWriter::write(const std::string& path) const {
  const std::string bytes = header();
  write_output(path, bytes);
  std::error_code failed;
  std::filesystem::resize_file(path, bytes.size() + data_bytes_, failed);
  if (!failed) return path;
  ::unlink(path.c_str());
  throw_errno(failed.value(), "cannot write the file", path);
}

std::string GgufWriter::write_random(const std::string& path, std::uint64_t seed) const {
  OutputFile file(path);
  file.append(header());
  RandomWeights weights(seed);
  for (const Data& one : data_) {
    weights.fill(one.type, one.vector, one.bytes, [&](std::string_view part) {
      check_work();
      file.append(part);
    });
    file.append(std::string(padded(one.bytes) - one.bytes, '\0'));
  }
  file.finish();
  return path;
}

GgufWriter gguf_of(const Description& model, std::string_view architecture, std::uint32_t version) {
  GgufWriter writer(version);
  const std::string arch(architecture);
  const auto small = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const Layer& layer = model.layers.front();
  const FeedForward& f = layer.feed_forward;
  writer.text("general.architecture", arch).text("general.name", model.name);
  writer.number(arch + ".block_count", small(static_cast<std::int64_t>(model.layers.size())))
      .number(arch + ".context_length", small(model.context))
      .number(arch + ".embedding_length", small(model.hidden))
      .number(arch + ".feed_forward_length", small(f.experts > 0 ? f.expert_width : f.width))
      .number(arch + ".attention.head_count", small(layer.attention.heads))
      .number(arch + ".attention.head_count_kv", small(layer.attention.kv_heads))
      .number(arch + ".attention.key_length", small(layer.attention.key_size))
      .number(arch + ".attention.value_length", small(layer.attention.value_size))
      .number(arch + ".vocab_size", small(model.vocabulary));
  if (f.experts > 0) {
    writer.number(arch + ".expert_count", small(f.experts))
        .number(arch + ".expert_used_count", small(f.experts_used))
        .number(arch + ".expert_feed_forward_length", small(f.expert_width));
  }
  for (const Layer& one : model.layers) {
    if (one.attention.window == 0) continue;
    writer.number(arch + ".attention.sliding_window", small(one.attention.window));
    break;
  }
  return writer;
}

void write_language_model(const ZooModel& model, const Recipe& recipe, const std::string& path,
                          std::optional<std::uint64_t> random_seed) {
  find_gguf_recipe(recipe.name);
  const Description description = describe(model.numbers, std::string(model.name));
  const FamilyRow& family = family_row(model.numbers.family);
  // Mistral and Mixtral share the architecture of Llama.
  const std::string arch(family.gguf.empty() ? "llama" : family.gguf);
  const Layer& layer = description.layers.front();
  if (layer.convolution_kernel > 0 || layer.attention.kind != AttentionKind::kGrouped) {
    throw NotSupportedError("cannot write models of this family as GGUF", std::string(model.name));
  }
  GgufWriter writer = gguf_of(description, arch);
  writer.real(arch + ".attention.layer_norm_rms_epsilon", 1e-6F)
      .real(arch + ".rope.freq_base", 1e4F)
      .number(arch + ".rope.dimension_count", static_cast<std::uint32_t>(layer.attention.key_size))
      .number("general.file_type", static_cast<std::uint32_t>(recipe.gguf_file_type));
  add_vocabulary(description.vocabulary, writer);
  writer.tensors(quantized(description, recipe));
  random_seed ? writer.write_random(path, *random_seed) : writer.write(path);
}

}  // namespace ridgewatt::llm
