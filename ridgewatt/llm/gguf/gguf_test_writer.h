// For tests only: writes GGUF files with a complete header and sparse data.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// Keys, values and tensors are written in the order in which they are added. Lengths have 64 bits,
// in version 1 they have 32 bits.
class GgufTestWriter {
 public:
  explicit GgufTestWriter(std::uint32_t version = 3) : version_(version) {}

  GgufTestWriter& text(std::string_view key, std::string_view value) {
    begin(key, 8);
    put_text(keys_, value);
    return *this;
  }
  GgufTestWriter& number(std::string_view key, std::uint32_t value) {
    begin(key, 4);
    put(keys_, value);
    return *this;
  }
  // A value of any type, given as bytes.
  GgufTestWriter& value(std::string_view key, std::uint32_t type, std::string_view bytes) {
    begin(key, type);
    keys_ += bytes;
    return *this;
  }
  GgufTestWriter& numbers(std::string_view key, const std::vector<std::uint32_t>& values) {
    begin(key, 9);
    put(keys_, std::uint32_t{4});
    put_length(keys_, values.size());
    for (const std::uint32_t one : values) put(keys_, one);
    return *this;
  }
  GgufTestWriter& texts(std::string_view key, const std::vector<std::string>& values) {
    begin(key, 9);
    put(keys_, std::uint32_t{8});
    put_length(keys_, values.size());
    for (const std::string& one : values) put_text(keys_, one);
    return *this;
  }
  GgufTestWriter& tensor(std::string_view name, const std::vector<std::int64_t>& shape,
                         std::uint32_t type, std::uint64_t offset) {
    put_text(list_, name);
    put(list_, static_cast<std::uint32_t>(shape.size()));
    for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
      put_length(list_, static_cast<std::uint64_t>(*extent));
    }
    put(list_, type);
    put(list_, offset);
    ++tensor_count_;
    return *this;
  }
  GgufTestWriter& tensors(const std::vector<Tensor>& all) {
    for (const Tensor& one : all) {
      const auto id = static_cast<std::uint32_t>(facts_of(one.type).gguf_id);
      tensor(one.name, one.shape, id, data_bytes_);
      data_bytes_ += (static_cast<std::uint64_t>(one.bytes) + 31) / 32 * 32;
    }
    return *this;
  }

  std::string header() const {
    std::string bytes = "GGUF";
    put(bytes, version_);
    put_length(bytes, tensor_count_);
    put_length(bytes, key_count_);
    bytes += keys_ + list_;
    bytes.resize((bytes.size() + 31) / 32 * 32);
    return bytes;
  }
  std::uint64_t data_bytes() const { return data_bytes_; }
  // Writes the whole file; its data uses no disk space.
  std::string write(const std::filesystem::path& path) const {
    const std::string bytes = header();
    std::ofstream(path, std::ios::binary) << bytes;
    std::filesystem::resize_file(path, bytes.size() + data_bytes_);
    return path.string();
  }

 private:
  template <typename T>
  static void put(std::string& to, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    to.append(bytes, sizeof value);
  }
  void put_length(std::string& to, std::uint64_t value) const {
    if (version_ == 1) {
      put(to, static_cast<std::uint32_t>(value));
    } else {
      put(to, value);
    }
  }
  void put_text(std::string& to, std::string_view value) const {
    put_length(to, value.size());
    to += value;
  }
  void begin(std::string_view key, std::uint32_t type) {
    put_text(keys_, key);
    put(keys_, type);
    ++key_count_;
  }

  std::uint32_t version_;
  std::string keys_, list_;
  std::uint64_t key_count_ = 0, tensor_count_ = 0, data_bytes_ = 0;
};

// Writes the keys that a reader needs for a dense or Mixtral model of the zoo.
inline GgufTestWriter gguf_of(const Description& model, std::string_view architecture,
                              std::uint32_t version = 3) {
  GgufTestWriter writer(version);
  const std::string arch(architecture);
  const auto small = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
  const Layer& layer = model.layers.front();
  const FeedForward& f = layer.feed_forward;
  writer.text("general.architecture", arch).text("general.name", "a model");
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
        .number(arch + ".expert_used_count", small(f.experts_used));
  }
  for (const Layer& one : model.layers) {
    if (one.attention.window == 0) continue;
    writer.number(arch + ".attention.sliding_window", small(one.attention.window));
    break;
  }
  return writer;
}

}  // namespace ridgewatt::llm
