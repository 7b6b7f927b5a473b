#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/workload/onnx/onnx.pb.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::workload {
namespace {

// All weights of a zoo model begin at the start of one file.
struct WeightFile {
  std::int64_t bytes = 0;         // of the largest tensor
  std::int64_t vector_bytes = 0;  // of the longest vector
};

WeightFile weight_file_of(const std::string& built, const std::string& name) {
  const Model model = load_model_from_memory(built, name);
  WeightFile file;
  for (const TensorId id : model.graph.initializers) {
    const auto& tensor = model.tensors[static_cast<std::size_t>(id)];
    if (tensor.constant) continue;
    const std::int64_t bytes = tensor.byte_count().value_or(0);
    file.bytes = std::max(file.bytes, bytes);
    const bool vector = tensor.shape && tensor.shape->size() == 1;
    if (vector) file.vector_bytes = std::max(file.vector_bytes, bytes);
  }
  return file;
}

// Returns the model with its weights in the file `name` of its folder.
std::string with_weights_in(const std::string& name, const std::string& built) {
  onnx::ModelProto proto;
  proto.ParseFromString(built);
  for (auto& tensor : *proto.mutable_graph()->mutable_initializer()) {
    for (auto& entry : *tensor.mutable_external_data()) {
      if (entry.key() == "location") entry.set_value(name);
    }
  }
  return proto.SerializeAsString();
}

// Whether `path` is a model of the zoo with its weights in the file `name`.
bool has_weights_in(const std::string& name, const std::string& path) {
  constexpr std::uintmax_t kMostBytes = 64 << 20;  // chosen: zoo models have no data of their own
  std::error_code missing;
  if (!(std::filesystem::file_size(path, missing) <= kMostBytes)) return false;
  onnx::ModelProto proto;
  if (!proto.ParseFromString(read_file(path)) || proto.producer_name() != "ridgewatt") return false;
  const auto& tensors = proto.graph().initializer();
  return std::any_of(tensors.begin(), tensors.end(), [&](const auto& tensor) {
    const auto& entries = tensor.external_data();
    return std::any_of(entries.begin(), entries.end(),
                       [&](const auto& entry) { return entry.value() == name; });
  });
}

void write_zeros(const std::string& path, std::int64_t bytes) {
  write_output(path, "");
  std::error_code failed;
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes), failed);
  if (!failed) return;
  ::unlink(path.c_str());
  throw_errno(failed.value(), "cannot write the file", path);
}

// Vectors are positive, because the variances of batch normalizations are vectors.
void write_random(const std::string& path, const WeightFile& file, std::uint64_t seed) {
  constexpr double kMost = 0.05;  // chosen: sums of thousands of products stay finite
  Random random(seed);
  std::string content(static_cast<std::size_t>(file.bytes), '\0');
  const auto positive = static_cast<std::size_t>(file.vector_bytes);
  for (std::size_t at = 0; at + sizeof(float) <= content.size(); at += sizeof(float)) {
    const double value = random.uniform(-kMost, kMost);
    const auto number = static_cast<float>(at < positive ? std::abs(value) : value);
    std::memcpy(content.data() + at, &number, sizeof(number));
  }
  write_output(path, content);
}

}  // namespace

void write_zoo_model(const ZooEntry& entry, const std::string& model, ZooWeights weights,
                     std::uint64_t seed) {
  const std::string built = entry.build();
  const std::string path = model + ".data";
  const WeightFile file = weight_file_of(built, std::string(entry.name));
  std::error_code unseen, missing;
  const bool is_file = model != "-" && (!std::filesystem::exists(model, unseen) ||
                                        std::filesystem::is_regular_file(model, unseen));
  const auto there = std::filesystem::file_size(path, missing);
  const std::string name = std::filesystem::path(path).filename().string();
  // Do not replace a file of another size, unless a zoo model that is replaced has its weights
  // there.
  if (is_file && !missing && static_cast<std::int64_t>(there) != file.bytes &&
      !has_weights_in(name, model)) {
    throw InputError(
        fmt::format("is not the file of {} bytes with the weights of {}", file.bytes, entry.name),
        path, "remove it, or write to another folder");
  }
  if (!is_file) return write_output(model, built);
  write_output(model, with_weights_in(name, built));
  switch (weights) {
    case ZooWeights::kZeros:
      return write_zeros(path, file.bytes);
    case ZooWeights::kRandom:
      return write_random(path, file, seed);
  }
}

}  // namespace ridgewatt::workload
