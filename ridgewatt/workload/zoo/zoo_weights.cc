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
#include "ridgewatt/io/path.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::workload {
namespace {

// All weights of a zoo model begin at the start of one file.
struct WeightFile {
  std::int64_t bytes = 0;         // of the largest tensor
  std::int64_t vector_bytes = 0;  // of the longest vector
};

WeightFile weight_file_of(const std::string& onnx, const std::string& name) {
  const Model model = load_model_from_memory(onnx, name);
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
  const std::string onnx = entry.build();
  const std::string path = fmt::format("{}/{}.onnx.data", folder_of(model), entry.name);
  const WeightFile file = weight_file_of(onnx, std::string(entry.name));
  std::error_code unseen, missing;
  const bool is_file = model != "-" && (!std::filesystem::exists(model, unseen) ||
                                        std::filesystem::is_regular_file(model, unseen));
  const auto there = std::filesystem::file_size(path, missing);
  // The model determines the name of its weights file. A file with another size is not ours, so do
  // not replace it.
  if (is_file && !missing && static_cast<std::int64_t>(there) != file.bytes) {
    throw InputError(
        fmt::format("is not the file of {} bytes with the weights of {}", file.bytes, entry.name),
        path, "remove it, or write to another folder");
  }
  write_output(model, onnx);
  if (!is_file) return;
  switch (weights) {
    case ZooWeights::kZeros:
      return write_zeros(path, file.bytes);
    case ZooWeights::kRandom:
      return write_random(path, file, seed);
  }
}

}  // namespace ridgewatt::workload
