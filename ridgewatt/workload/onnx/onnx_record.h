// Parses single records of an ONNX file: a node, an attribute, an operator set. The reader
// (onnx_reader.cc) interprets them. All string views point into the file.
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
  std::string_view reference;  // attribute of the calling function to which this attribute refers
  Messages graphs;
};

// Returns "" for "ai.onnx", which is another name of the unnamed domain, and `domain` otherwise.
std::string_view normal_domain(std::string_view domain);

// These functions throw InputError if the bytes are not such a record.
void read_opset(std::string_view message, Opsets& opsets);
RawNode read_raw_node(std::string_view message);
RawAttribute read_raw_attribute(std::string_view message, ExternalFolder& external);

}  // namespace ridgewatt::workload::onnx_format
