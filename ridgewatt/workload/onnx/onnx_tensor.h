// Stored tensors and types of the ONNX format: the leaves of the reader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/workload/graph.h"
#include "ridgewatt/workload/onnx/external_data.h"

namespace ridgewatt::workload::onnx_format {

// Types in types and values in values are nested no deeper than this.
inline constexpr int kMaxTypeDepth = 16;

struct NamedValue {
  std::string_view name;
  ValueInfo value;
  std::vector<std::string> symbols;  // of ValueInfoProto: names of the extents, or empty
};

// All take the bytes of one message and throw InputError.
NamedValue read_tensor(std::string_view message,
                       ExternalFolder& external);  // TensorProto
NamedValue read_sparse_tensor(std::string_view message,
                              ExternalFolder& external);  // Sparse...
NamedValue read_value_info(std::string_view message);
ValueInfo read_type(std::string_view message, std::vector<std::string>* symbols = nullptr,
                    int depth = 0);
ValueInfo read_sequence(std::string_view message, ExternalFolder& external, int depth = 0);
ValueInfo read_optional(std::string_view message, ExternalFolder& external, int depth = 0);

}  // namespace ridgewatt::workload::onnx_format
