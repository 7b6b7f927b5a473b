// Parses stored tensors and types of an ONNX file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/workload/graph.h"
#include "ridgewatt/workload/onnx/external_data.h"

namespace ridgewatt::workload::onnx_format {

// Greatest nesting depth of types within types and of values within values.
inline constexpr int kMaxTypeDepth = 16;

struct NamedValue {
  std::string_view name;
  ValueInfo value;
  std::vector<std::string> symbols;  // for ValueInfoProto: names of the extents, or empty
};

// These functions parse the bytes of one message. They throw InputError if it is invalid.
NamedValue read_tensor(std::string_view message, ExternalFolder& external);
NamedValue read_sparse_tensor(std::string_view message, ExternalFolder& external);
NamedValue read_value_info(std::string_view message);
ValueInfo read_type(std::string_view message, std::vector<std::string>* symbols = nullptr,
                    int depth = 0);
ValueInfo read_sequence(std::string_view message, ExternalFolder& external, int depth = 0);
ValueInfo read_optional(std::string_view message, ExternalFolder& external, int depth = 0);

}  // namespace ridgewatt::workload::onnx_format
