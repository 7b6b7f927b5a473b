// Writes GGUF files with a complete header and data that are zeros or random.
//
//   GgufWriter writer = gguf_of(description, "llama");
//   writer.tensors(quantized(description, find_recipe("q4_0")));
//   writer.write("model.gguf");
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/llm/recipe.h"

namespace ridgewatt::llm {

// Keys, values and tensors are written in the order in which they are added. Lengths have 64 bits
// (32 bits in version 1).
class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t version = 3) : version_(version) {}

  GgufWriter& text(std::string_view key, std::string_view value) {
    begin(key, 8);
    put_text(keys_, value);
    return *this;
  }
  GgufWriter& number(std::string_view key, std::uint32_t value) {
    begin(key, 4);
    put(keys_, value);
    return *this;
  }
  GgufWriter& real(std::string_view key, float value) {
    begin(key, 6);
    put(keys_, value);
    return *this;
  }
  // A value of any type, given as bytes.
  GgufWriter& value(std::string_view key, std::uint32_t type, std::string_view bytes) {
    begin(key, type);
    keys_ += bytes;
    return *this;
  }
  GgufWriter& numbers(std::string_view key, const std::vector<std::uint32_t>& values) {
    return array(key, 4, values);
  }
  GgufWriter& kinds(std::string_view key, const std::vector<std::int32_t>& values) {
    return array(key, 5, values);
  }
  GgufWriter& reals(std::string_view key, const std::vector<float>& values) {
    return array(key, 6, values);
  }
  GgufWriter& texts(std::string_view key, const std::vector<std::string>& values) {
    begin(key, 9);
    put(keys_, std::uint32_t{8});
    put_length(keys_, values.size());
    for (const std::string& one : values) put_text(keys_, one);
    return *this;
  }
  GgufWriter& tensor(std::string_view name, const std::vector<std::int64_t>& shape,
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
  GgufWriter& tensors(const std::vector<Tensor>& all) {
    for (const Tensor& one : all) {
      const auto id = static_cast<std::uint32_t>(facts_of(one.type).gguf_id);
      tensor(one.name, one.shape, id, data_bytes_);
      data_.push_back({one.type, one.shape.size() == 1, static_cast<std::uint64_t>(one.bytes)});
      data_bytes_ += padded(data_.back().bytes);
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
  // Writes the whole file with zeros that use no disk space. Returns the path. Throws the errors of
  // write_output().
  std::string write(const std::string& path) const;
  // Writes the whole file with random weights of the tensors that tensors() added. Throws the
  // errors of write_output().
  std::string write_random(const std::string& path, std::uint64_t seed) const;

 private:
  struct Data {
    StoredType type;
    bool vector;
    std::uint64_t bytes;
  };
  static std::uint64_t padded(std::uint64_t bytes) { return (bytes + 31) / 32 * 32; }
  template <typename T>
  GgufWriter& array(std::string_view key, std::uint32_t type, const std::vector<T>& values) {
    begin(key, 9);
    put(keys_, type);
    put_length(keys_, values.size());
    for (const T one : values) put(keys_, one);
    return *this;
  }
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
  std::vector<Data> data_;
  std::uint64_t key_count_ = 0, tensor_count_ = 0, data_bytes_ = 0;
};

// A writer with the keys that a reader needs for a dense or Mixtral model: sizes of layers, heads
// and windows. `architecture` is the GGUF name of the family.
GgufWriter gguf_of(const Description& model, std::string_view architecture,
                   std::uint32_t version = 3);

}  // namespace ridgewatt::llm
