// Single records of the ONNX wire format, read as they stand: a node, an attribute, an operator
// set. What they mean in their graph is the reader's business (onnx_reader.cc). Text points into
// the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/workload/graph.h"
#include "ridgewatt/workload/onnx/external_data.h"

namespace ridgewatt::workload::onnx_format {

using Messages = std::vector<std::string_view>;
using Opsets = std::map<std::string, std::int64_t>;  // domain to version

struct RawNode {
  std::string_view name, op, domain, overload;
  Messages inputs, outputs, attributes;
};

struct RawAttribute {
  Attribute attribute;
  std::string_view reference;  // the caller's attribute that this one stands for
  Messages graphs;
};

// "ai.onnx" is another name of the domain without a name.
std::string_view normal_domain(std::string_view domain);

// Each throws InputError on bytes that are not such a record.
void read_opset(std::string_view message, Opsets& opsets);
RawNode read_raw_node(std::string_view message);
RawAttribute read_raw_attribute(std::string_view message, ExternalFolder& external);

}  // namespace ridgewatt::workload::onnx_format
