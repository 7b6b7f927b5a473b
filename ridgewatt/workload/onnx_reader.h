// Reads ONNX models and tensors into the graph of graph.h.
//
// The file is mapped and read field by field with the numbers of onnx.proto; weights are never
// copied, only their sizes are used, so a model of many gigabytes needs no more memory than its
// graph. Any IR version and opset; external data may be missing. The input is untrusted: truncated,
// cyclic, oversized or contradictory files and external paths that leave the model's folder cause
// an InputError of one line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

struct LoadOptions {
  // Nodes after local functions are expanded, over all graphs of the model.
  std::size_t max_nodes = std::size_t{1} << 19;
  // Folder of external data, for models from memory. Empty: none is used.
  std::string folder;
};

// Throws NotFoundError, PermissionError, IoError, or InputError for a fault of the file.
Model load_model(const std::string& path, const LoadOptions& options = {});
// The same from the bytes of a ModelProto; `name` is for messages and Model::name.
Model load_model_from_memory(std::string_view bytes, const std::string& name,
                             const LoadOptions& options = {});

// A TensorProto file, or a SequenceProto or OptionalProto file where `like` is of that kind: type,
// shape and, when small, content.
ValueInfo load_value(const std::string& path, const ValueInfo& like = {});

}  // namespace ridgewatt::workload
