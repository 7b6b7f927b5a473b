#include "ridgewatt/workload/onnx/onnx_record.h"

#include "ridgewatt/workload/onnx/onnx.pb.h"
#include "ridgewatt/workload/onnx/onnx_tensor.h"
#include "ridgewatt/workload/onnx/wire.h"

namespace ridgewatt::workload::onnx_format {

using onnx::AttributeProto;
using onnx::NodeProto;

std::string_view normal_domain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

void read_opset(std::string_view message, Opsets& opsets) {
  std::string_view domain;
  std::int64_t version = 0;
  for (WireReader in(message); in.next();) {
    if (in.field() == onnx::OperatorSetIdProto::kDomainFieldNumber) domain = in.bytes();
    if (in.field() == onnx::OperatorSetIdProto::kVersionFieldNumber) version = in.integer();
  }
  opsets[std::string(normal_domain(domain))] = version;
}

RawNode read_raw_node(std::string_view message) {
  RawNode node;
  for (WireReader in(message); in.next();) {
    switch (in.field()) {
      case NodeProto::kInputFieldNumber:
        node.inputs.push_back(in.bytes());
        break;
      case NodeProto::kOutputFieldNumber:
        node.outputs.push_back(in.bytes());
        break;
      case NodeProto::kNameFieldNumber:
        node.name = in.bytes();
        break;
      case NodeProto::kOpTypeFieldNumber:
        node.op = in.bytes();
        break;
      case NodeProto::kDomainFieldNumber:
        node.domain = normal_domain(in.bytes());
        break;
      case NodeProto::kOverloadFieldNumber:
        node.overload = in.bytes();
        break;
      case NodeProto::kAttributeFieldNumber:
        node.attributes.push_back(in.bytes());
        break;
      default:
        break;
    }
  }
  return node;
}

namespace {

// A writer may omit a value that is zero or empty.
void fill_in_default(std::int64_t type, Attribute& attribute) {
  if (type == AttributeProto::INT && attribute.ints.empty()) attribute.ints.push_back(0);
  if (type == AttributeProto::FLOAT && attribute.floats.empty()) attribute.floats.push_back(0);
  if (type == AttributeProto::STRING && attribute.strings.empty()) attribute.strings.emplace_back();
}

}  // namespace

RawAttribute read_raw_attribute(std::string_view message, ExternalFolder& external) {
  RawAttribute raw;
  Attribute& attribute = raw.attribute;
  std::int64_t type = AttributeProto::UNDEFINED;
  for (WireReader in(message); in.next();) {
    switch (in.field()) {
      case AttributeProto::kNameFieldNumber:
        attribute.name = in.bytes();
        break;
      case AttributeProto::kTypeFieldNumber:
        type = in.integer();
        break;
      case AttributeProto::kRefAttrNameFieldNumber:
        raw.reference = in.bytes();
        break;
      case AttributeProto::kFFieldNumber:
        attribute.floats.push_back(in.real());
        break;
      case AttributeProto::kFloatsFieldNumber:
        in.reals<float>([&](float value) { attribute.floats.push_back(value); });
        break;
      case AttributeProto::kIFieldNumber:
      case AttributeProto::kIntsFieldNumber:
        in.integers([&](std::int64_t value) { attribute.ints.push_back(value); });
        break;
      case AttributeProto::kSFieldNumber:
      case AttributeProto::kStringsFieldNumber:
        attribute.strings.emplace_back(in.bytes());
        break;
      case AttributeProto::kTFieldNumber:
      case AttributeProto::kTensorsFieldNumber:
        attribute.tensors.push_back(read_tensor(in.bytes(), external).value);
        break;
      case AttributeProto::kSparseTensorFieldNumber:
      case AttributeProto::kSparseTensorsFieldNumber:
        attribute.tensors.push_back(read_sparse_tensor(in.bytes(), external).value);
        break;
      case AttributeProto::kTpFieldNumber:
      case AttributeProto::kTypeProtosFieldNumber:
        attribute.tensors.push_back(read_type(in.bytes()));
        break;
      case AttributeProto::kGFieldNumber:
      case AttributeProto::kGraphsFieldNumber:
        raw.graphs.push_back(in.bytes());
        break;
      default:
        break;
    }
  }
  fill_in_default(type, attribute);
  return raw;
}

}  // namespace ridgewatt::workload::onnx_format
