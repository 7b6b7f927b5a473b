#include "ridgewatt/workload/graph.h"

#include <algorithm>

#include "ridgewatt/base/error.h"

namespace ridgewatt::workload {

std::optional<std::int64_t> checked_element_count(const Shape& shape, std::string_view where) {
  bool known = true;
  std::int64_t count = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent == kUnknownDim) {
      known = false;
    } else if (extent < 0) {
      throw InputError("the tensor has the negative dimension " + std::to_string(extent),
                       std::string(where));
    } else if (extent == 0) {
      empty = true;
    } else if (extent > kMaxElements / count) {
      throw InputError("the tensor has more than 2^48 elements, shape " + format_shape(shape),
                       std::string(where));
    } else {
      count *= extent;
    }
  }
  if (empty) return 0;
  if (!known) return std::nullopt;
  return count;
}

bool ValueInfo::has_static_shape() const {
  return shape && std::find(shape->begin(), shape->end(), kUnknownDim) == shape->end();
}

std::optional<std::int64_t> ValueInfo::element_count() const {
  if (!shape) return std::nullopt;
  return checked_element_count(*shape, "");
}

std::optional<std::int64_t> ValueInfo::byte_count() const {
  if (kind == ValueKind::kSequence || kind == ValueKind::kOptional) {
    if (!items) return std::nullopt;
    std::int64_t sum = 0;
    for (const ValueInfo& item : *items) {
      const auto bytes = item.byte_count();
      if (!bytes) return std::nullopt;
      sum += *bytes;
    }
    return sum;
  }
  const auto count = element_count();
  if (!count || dtype == DataType::kUndefined) return std::nullopt;
  return (*count * data_type_bits(dtype) + 7) / 8;
}

const Attribute* Node::find(std::string_view attribute) const {
  for (const Attribute& candidate : attributes) {
    if (candidate.name == attribute) return &candidate;
  }
  return nullptr;
}

std::int64_t Node::integer(std::string_view attribute, std::int64_t fallback) const {
  const Attribute* found = find(attribute);
  return found != nullptr && !found->ints.empty() ? found->ints.front() : fallback;
}

double Node::real(std::string_view attribute, double fallback) const {
  const Attribute* found = find(attribute);
  return found != nullptr && !found->floats.empty() ? found->floats.front() : fallback;
}

std::string_view Node::text(std::string_view attribute, std::string_view fallback) const {
  const Attribute* found = find(attribute);
  return found != nullptr && !found->strings.empty() ? std::string_view(found->strings.front())
                                                     : fallback;
}

const std::vector<std::int64_t>* Node::integers(std::string_view attribute) const {
  const Attribute* found = find(attribute);
  return found != nullptr ? &found->ints : nullptr;
}

const Graph* Node::subgraph(std::string_view attribute) const {
  for (std::size_t i = 0; i < subgraph_names.size(); ++i) {
    if (subgraph_names[i] == attribute) return &subgraphs[i];
  }
  return nullptr;
}

Graph* Node::subgraph(std::string_view attribute) {
  return const_cast<Graph*>(static_cast<const Node*>(this)->subgraph(attribute));
}

std::string format_shape(const std::optional<Shape>& shape) {
  if (!shape) return "?";
  if (shape->empty()) return "scalar";
  std::string text;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if (i > 0) text += 'x';
    text += (*shape)[i] == kUnknownDim ? "?" : std::to_string((*shape)[i]);
  }
  return text;
}

std::string format_type(const ValueInfo& value) {
  const std::string inner = value.element ? format_type(*value.element) : "?";
  switch (value.kind) {
    case ValueKind::kSequence:
      return "seq(" + inner + ")";
    case ValueKind::kOptional:
      return "optional(" + inner + ")";
    case ValueKind::kMap:
      return "map(" + std::string(data_type_name(value.dtype)) + "," + inner + ")";
    case ValueKind::kOpaque:
      return "opaque";
    case ValueKind::kSparseTensor:
    case ValueKind::kTensor:
      break;
  }
  return (value.kind == ValueKind::kSparseTensor ? "sparse " : "") +
         std::string(data_type_name(value.dtype)) + "[" + format_shape(value.shape) + "]";
}

bool is_random(const Node& node) {
  return node.op.starts_with("Random") || node.op == "Bernoulli" || node.op == "Multinomial";
}

}  // namespace ridgewatt::workload
