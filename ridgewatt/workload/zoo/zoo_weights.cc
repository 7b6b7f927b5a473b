#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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

std::int64_t largest_weight_bytes(const std::string& onnx, const std::string& name) {
  const Model model = load_model_from_memory(onnx, name);
  std::int64_t most = 0;
  for (const TensorId id : model.graph.initializers) {
    const auto& tensor = model.tensors[static_cast<std::size_t>(id)];
    if (!tensor.constant) most = std::max(most, tensor.byte_count().value_or(0));
  }
  return most;
}

void write_zeros(const std::string& path, std::int64_t bytes) {
  write_output(path, "");
  std::error_code failed;
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes), failed);
  if (!failed) return;
  ::unlink(path.c_str());
  throw_errno(failed.value(), "cannot write the file", path);
}

void write_random(const std::string& path, std::int64_t bytes, std::uint64_t seed) {
  constexpr double kMost = 0.05;  // chosen: sums of thousands of products stay finite
  Random random(seed);
  std::string content(static_cast<std::size_t>(bytes), '\0');
  for (std::size_t at = 0; at + sizeof(float) <= content.size(); at += sizeof(float)) {
    const auto number = static_cast<float>(random.uniform(-kMost, kMost));
    std::memcpy(content.data() + at, &number, sizeof(number));
  }
  write_output(path, content);
}

}  // namespace

void write_zoo_model(const ZooEntry& entry, const std::string& model, ZooWeights weights,
                     std::uint64_t seed) {
  const std::string onnx = entry.build();
  const std::string path = fmt::format("{}/{}.onnx.data", folder_of(model), entry.name);
  const std::int64_t bytes = largest_weight_bytes(onnx, std::string(entry.name));
  std::error_code unseen, missing;
  const bool is_file = model != "-" && (!std::filesystem::exists(model, unseen) ||
                                        std::filesystem::is_regular_file(model, unseen));
  const auto there = std::filesystem::file_size(path, missing);
  // The model determines the name of its weights file. A file with another size is not ours, so do
  // not replace it.
  if (is_file && !missing && static_cast<std::int64_t>(there) != bytes) {
    throw InputError(
        fmt::format("is not the file of {} bytes with the weights of {}", bytes, entry.name), path,
        "remove it, or write to another folder");
  }
  write_output(model, onnx);
  if (!is_file) return;
  switch (weights) {
    case ZooWeights::kZeros:
      return write_zeros(path, bytes);
    case ZooWeights::kRandom:
      return write_random(path, bytes, seed);
  }
}

}  // namespace ridgewatt::workload
