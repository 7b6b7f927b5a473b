// Reads ONNX models and tensors into the graph of graph.h.
//
// The file is mapped and read field by field with the field numbers of onnx.proto. Weights are not
// copied, because only their sizes are used. Even a model of many gigabytes needs little memory.
// Any IR version and opset is accepted, and external data may be missing. The input is untrusted:
// truncated, cyclic, oversized or contradictory files, and external paths that leave the model's
// folder, cause an InputError with a message of one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

struct LoadOptions {
  // Largest number of nodes after local functions are expanded, over all graphs of the model.
  std::size_t max_nodes = std::size_t{1} << 19;
  // Folder of external data for models read from memory. Empty: external data is not used.
  std::string folder;
};

// Throws NotFoundError, PermissionError or IoError, and InputError if the file is invalid.
Model load_model(const std::string& path, const LoadOptions& options = {});
// Like load_model(), from the bytes of a ModelProto. `name` is used in messages and as Model::name.
Model load_model_from_memory(std::string_view bytes, const std::string& name,
                             const LoadOptions& options = {});

// Reads a TensorProto file, or a SequenceProto or OptionalProto file if `like` is of that kind.
// Returns type, shape and, if it is small, content.
ValueInfo load_value(const std::string& path, const ValueInfo& like = {});

}  // namespace ridgewatt::workload
