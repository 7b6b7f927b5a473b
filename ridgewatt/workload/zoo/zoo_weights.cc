// The file of weights of a built-in architecture.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "ridgewatt/base/error.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::workload {
namespace {

// Bytes of the largest weight: all of them are stored from the first byte on.
std::int64_t largest_weight_bytes(const std::string& onnx, const std::string& name) {
  const Model model = load_model_from_memory(onnx, name);
  std::int64_t most = 0;
  for (const TensorId id : model.graph.initializers) {
    const auto& tensor = model.tensors[static_cast<std::size_t>(id)];
    if (!tensor.constant) most = std::max(most, tensor.byte_count().value_or(0));
  }
  return most;
}

// Runtimes want the file of weights that the model names: a hole of zeros, which takes no room on
// the disk. One that is there and long enough stays.
void write_weights(const std::string& path, std::int64_t bytes) {
  std::error_code failed;
  const auto there = std::filesystem::file_size(path, failed);
  if (!failed && static_cast<std::int64_t>(there) >= bytes) return;
  if (!failed) {
    throw InputError("is too short for the weights", path, "remove it, or write elsewhere");
  }
  write_output(path, "");
  std::filesystem::resize_file(path, static_cast<std::uintmax_t>(bytes), failed);
  if (!failed) return;
  ::unlink(path.c_str());
  throw_errno(failed.value(), "cannot write file", path);
}

}  // namespace

void write_zoo_weights(const ZooEntry& entry, const std::string& onnx, const std::string& model) {
  std::error_code failed;
  if (model == "-" || !std::filesystem::is_regular_file(model, failed)) return;
  write_weights(fmt::format("{}/{}.onnx.data", folder_of(model), entry.name),
                largest_weight_bytes(onnx, std::string(entry.name)));
}

}  // namespace ridgewatt::workload
