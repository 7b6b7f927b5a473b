#include "ridgewatt/workload/onnx_reader.h"

#include <filesystem>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/path.h"
#include "ridgewatt/workload/infer/clone_body.h"
#include "ridgewatt/workload/infer/topological_order.h"
#include "ridgewatt/workload/mapped_file.h"
#include "ridgewatt/workload/onnx/onnx.pb.h"
#include "ridgewatt/workload/onnx/onnx_record.h"
#include "ridgewatt/workload/onnx/onnx_tensor.h"
#include "ridgewatt/workload/onnx/wire.h"

namespace ridgewatt::workload {
namespace {

using onnx::FunctionProto;
using onnx::GraphProto;
using onnx::ModelProto;
using onnx_format::Messages;
using onnx_format::NamedValue;
using onnx_format::normal_domain;
using onnx_format::Opsets;
using onnx_format::RawAttribute;
using onnx_format::RawNode;
using onnx_format::read_opset;
using onnx_format::read_raw_attribute;
using onnx_format::read_raw_node;

// Maximum nesting depth of graphs in graphs and functions in functions.
constexpr int kMaxDepth = 64;

std::string in_quotes(std::string_view name) {
  return "'" + escape_terminal(name) + "'";
}

// A local function. Each call reads the body again, with the caller's tensors and attributes.
struct Function {
  std::string_view domain, name, overload;
  Messages inputs, outputs, nodes;
  std::vector<Attribute> defaults;
  Opsets opsets;
  bool active = false;  // being expanded: a call of it from inside is recursion
};

// Names that are visible in a graph or a function body.
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string_view, TensorId> names;

  const TensorId* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
      const auto found = scope->names.find(name);
      if (found != scope->names.end()) return &found->second;
    }
    return nullptr;
  }
};

// Context of the nodes that are being read: the model itself, or a function that a node calls.
struct Frame {
  const Opsets* opsets = nullptr;
  const std::vector<Attribute>* arguments = nullptr;  // of the calling node
  const Function* function = nullptr;
  std::string prefix;  // of node and tensor names
};

// Inside a function: the caller's attribute, else the function's default, else null.
const Attribute* find_argument(std::string_view name, const Frame& frame) {
  for (const auto* list :
       {frame.arguments, frame.function != nullptr ? &frame.function->defaults : nullptr}) {
    if (list == nullptr) continue;
    for (const Attribute& candidate : *list) {
      if (candidate.name == name) return &candidate;
    }
  }
  return nullptr;
}

class ModelReader {
 public:
  ModelReader(const LoadOptions& options, std::string folder)
      : options_(options), external_(std::move(folder)) {}

  Model read(std::string_view bytes, const std::string& name);

 private:
  Function read_function(std::string_view message);
  Graph read_graph(std::string_view message, const Scope* outer, const Frame& frame, int depth);
  void read_initializer(NamedValue named, Scope& scope, Graph& graph);
  void read_input(std::string_view message, Scope& scope, Graph& graph, const Frame& frame);
  void read_declared_type(std::string_view message, const Scope& scope);
  void read_nodes(const Messages& messages, Scope& scope, const Frame& frame, int depth,
                  std::vector<Node>& nodes);
  Node make_node(const RawNode& raw, const Scope& scope, const Frame& frame, int depth);
  // Reads one attribute of `node`, resolving references to the caller's attributes.
  void read_attribute(std::string_view message, const Scope& scope, const Frame& frame, int depth,
                      Node& node);
  void expand(Function& function, const Node& call, int depth, std::vector<Node>& nodes);
  TensorId declare(std::string_view name, const Frame& frame, Scope& scope);
  TensorId add_tensor(std::string name);
  TensorId resolve(std::string_view name, const Scope& scope, std::string_view user) const;
  Function* find_function(const RawNode& raw);
  std::string unique_name(const RawNode& raw, const Frame& frame);

  const LoadOptions& options_;
  ExternalFolder external_;
  Model model_;
  std::vector<Function> functions_;
  std::vector<bool> produced_;  // by tensor: a node, input or initializer defines it
  std::unordered_map<std::string, int> node_names_;
  std::size_t node_count_ = 0;
};

// Reads a StringStringEntryProto. "ridgewatt.default.NAME" is the size of an extent that is not
// bound, and "ridgewatt.multiple.NAME" is a number that its size must be a multiple of.
void read_metadata(std::string_view message, Model& model) {
  constexpr std::string_view kDefault = "ridgewatt.default.";
  constexpr std::string_view kMultiple = "ridgewatt.multiple.";
  std::string_view key;
  std::string_view value;
  for (WireReader in(message); in.next();) {
    if (in.field() == onnx::StringStringEntryProto::kKeyFieldNumber) key = in.bytes();
    if (in.field() == onnx::StringStringEntryProto::kValueFieldNumber) value = in.bytes();
  }
  const bool is_default = key.starts_with(kDefault);
  if (!is_default && !key.starts_with(kMultiple)) return;
  const auto size = parse_int(value);
  if (!size || *size < 1)
    throw InputError("metadata '" + escape_terminal(key) + "' is not a positive integer");
  const std::string name(key.substr(is_default ? kDefault.size() : kMultiple.size()));
  (is_default ? model.default_dims : model.dim_multiples)[name] = *size;
}

Model ModelReader::read(std::string_view bytes, const std::string& name) {
  std::string_view graph;
  bool has_graph = false;
  Messages functions;
  for (WireReader in(bytes); in.next();) {
    switch (in.field()) {
      case ModelProto::kIrVersionFieldNumber:
        model_.ir_version = in.integer();
        break;
      case ModelProto::kProducerNameFieldNumber:
        model_.producer = in.bytes();
        break;
      case ModelProto::kGraphFieldNumber:
        graph = in.bytes();
        has_graph = true;
        break;
      case ModelProto::kOpsetImportFieldNumber:
        read_opset(in.bytes(), model_.opsets);
        break;
      case ModelProto::kMetadataPropsFieldNumber:
        read_metadata(in.bytes(), model_);
        break;
      case ModelProto::kFunctionsFieldNumber:
        functions.push_back(in.bytes());
        break;
      default:
        break;
    }
  }
  if (!has_graph) throw InputError("the file is not an ONNX model, because it has no graph");
  for (const std::string_view message : functions) functions_.push_back(read_function(message));
  Frame frame;
  frame.opsets = &model_.opsets;
  model_.graph = read_graph(graph, nullptr, frame, 0);
  model_.name = name.empty() ? model_.graph.name : name;
  separate_first_decoders(model_);
  return std::move(model_);
}

Function ModelReader::read_function(std::string_view message) {
  Function function;
  function.opsets = model_.opsets;
  const Scope no_names;
  Frame no_frame;
  no_frame.opsets = &model_.opsets;
  Node defaults;
  for (WireReader in(message); in.next();) {
    switch (in.field()) {
      case FunctionProto::kNameFieldNumber:
        function.name = in.bytes();
        break;
      case FunctionProto::kDomainFieldNumber:
        function.domain = normal_domain(in.bytes());
        break;
      case FunctionProto::kOverloadFieldNumber:
        function.overload = in.bytes();
        break;
      case FunctionProto::kInputFieldNumber:
        function.inputs.push_back(in.bytes());
        break;
      case FunctionProto::kOutputFieldNumber:
        function.outputs.push_back(in.bytes());
        break;
      case FunctionProto::kNodeFieldNumber:
        function.nodes.push_back(in.bytes());
        break;
      case FunctionProto::kAttributeProtoFieldNumber:
        read_attribute(in.bytes(), no_names, no_frame, 0, defaults);
        break;
      case FunctionProto::kOpsetImportFieldNumber:
        read_opset(in.bytes(), function.opsets);
        break;
      default:
        break;
    }
  }
  function.defaults = std::move(defaults.attributes);
  return function;
}

Graph ModelReader::read_graph(std::string_view message, const Scope* outer, const Frame& frame,
                              int depth) {
  if (depth > kMaxDepth) throw InputError("the graphs of the model are nested too deeply");
  Graph graph;
  Scope scope;
  scope.outer = outer;
  Messages nodes, inputs, outputs, types;
  for (WireReader in(message); in.next();) {
    switch (in.field()) {
      case GraphProto::kNameFieldNumber:
        graph.name = in.bytes();
        break;
      case GraphProto::kNodeFieldNumber:
        nodes.push_back(in.bytes());
        break;
      case GraphProto::kInputFieldNumber:
        inputs.push_back(in.bytes());
        break;
      case GraphProto::kOutputFieldNumber:
        outputs.push_back(in.bytes());
        break;
      case GraphProto::kValueInfoFieldNumber:
        types.push_back(in.bytes());
        break;
      case GraphProto::kInitializerFieldNumber:
        read_initializer(onnx_format::read_tensor(in.bytes(), external_), scope, graph);
        break;
      case GraphProto::kSparseInitializerFieldNumber:
        read_initializer(onnx_format::read_sparse_tensor(in.bytes(), external_), scope, graph);
        break;
      default:
        break;
    }
  }
  scope.names.reserve(scope.names.size() + inputs.size() + nodes.size());
  for (const std::string_view input : inputs) read_input(input, scope, graph, frame);
  read_nodes(nodes, scope, frame, depth, graph.nodes);
  for (const std::string_view output : outputs) {
    const NamedValue named = onnx_format::read_value_info(output);
    graph.outputs.push_back(resolve(named.name, scope, "the graph's outputs"));
    read_declared_type(output, scope);
  }
  for (const std::string_view type : types) read_declared_type(type, scope);
  sort_topologically(graph);
  return graph;
}

TensorId ModelReader::add_tensor(std::string name) {
  if (model_.tensors.size() > 4 * options_.max_nodes)
    throw InputError("the model has too many tensors");
  model_.tensors.emplace_back();
  model_.tensors.back().name = std::move(name);
  produced_.push_back(false);
  return static_cast<TensorId>(model_.tensors.size() - 1);
}

// Returns the tensor with the name `name` in this scope and marks it as defined.
TensorId ModelReader::declare(std::string_view name, const Frame& frame, Scope& scope) {
  const auto [entry, is_new] = scope.names.try_emplace(name, kNoTensor);
  if (is_new) entry->second = add_tensor(frame.prefix + std::string(name));
  if (entry->second == kNoTensor) return kNoTensor;  // an output that the caller omits
  if (produced_[static_cast<std::size_t>(entry->second)]) {
    throw InputError("tensor " + in_quotes(name) + " is defined twice");
  }
  produced_[static_cast<std::size_t>(entry->second)] = true;
  return entry->second;
}

TensorId ModelReader::resolve(std::string_view name, const Scope& scope,
                              std::string_view user) const {
  const TensorId* found = scope.find(name);
  if (found == nullptr) {
    throw InputError("no node computes tensor " + in_quotes(name) + ", which " + std::string(user) +
                     " needs");
  }
  return *found;
}

void ModelReader::read_initializer(NamedValue named, Scope& scope, Graph& graph) {
  const TensorId id = declare(named.name, {}, scope);
  Tensor& tensor = model_.tensors[static_cast<std::size_t>(id)];
  static_cast<ValueInfo&>(tensor) = std::move(named.value);
  tensor.role = TensorRole::kInitializer;
  tensor.is_constant = true;
  graph.initializers.push_back(id);
}

void ModelReader::read_input(std::string_view message, Scope& scope, Graph& graph,
                             const Frame& frame) {
  NamedValue named = onnx_format::read_value_info(message);
  const auto known = scope.names.find(named.name);
  if (known != scope.names.end() &&
      model_.tensors[static_cast<std::size_t>(known->second)].role == TensorRole::kInitializer) {
    return;  // before IR version 4, the inputs include the initializers
  }
  const TensorId id = declare(named.name, frame, scope);
  Tensor& tensor = model_.tensors[static_cast<std::size_t>(id)];
  tensor.declared = std::make_shared<const ValueInfo>(named.value);
  static_cast<ValueInfo&>(tensor) = std::move(named.value);
  tensor.symbols = std::move(named.symbols);
  tensor.role = TensorRole::kInput;
  graph.inputs.push_back(id);
}

void ModelReader::read_declared_type(std::string_view message, const Scope& scope) {
  NamedValue named = onnx_format::read_value_info(message);
  const auto found = scope.names.find(named.name);
  if (found == scope.names.end() || found->second == kNoTensor) return;
  Tensor& tensor = model_.tensors[static_cast<std::size_t>(found->second)];
  if (tensor.declared || tensor.role != TensorRole::kActivation) return;
  tensor.declared = std::make_shared<const ValueInfo>(std::move(named.value));
  tensor.symbols = std::move(named.symbols);
}

void ModelReader::read_nodes(const Messages& messages, Scope& scope, const Frame& frame, int depth,
                             std::vector<Node>& nodes) {
  std::vector<RawNode> raw_nodes;
  raw_nodes.reserve(messages.size());
  for (const std::string_view message : messages) {
    raw_nodes.push_back(read_raw_node(message));
    for (const std::string_view output : raw_nodes.back().outputs) {
      if (!output.empty()) declare(output, frame, scope);
    }
  }
  nodes.reserve(nodes.size() + raw_nodes.size());
  for (const RawNode& raw : raw_nodes) {
    Node node = make_node(raw, scope, frame, depth);
    if (Function* function = find_function(raw)) {
      expand(*function, node, depth, nodes);
    } else {
      nodes.push_back(std::move(node));
    }
  }
}

std::string ModelReader::unique_name(const RawNode& raw, const Frame& frame) {
  std::string name = frame.prefix;
  if (!raw.name.empty()) {
    name += raw.name;
  } else if (!raw.outputs.empty() && !raw.outputs.front().empty()) {
    name += raw.outputs.front();
  } else {
    name += raw.op;
  }
  const int uses = ++node_names_[name];
  if (uses > 1) name += "#" + std::to_string(uses);
  return name;
}

Node ModelReader::make_node(const RawNode& raw, const Scope& scope, const Frame& frame, int depth) {
  if (++node_count_ > options_.max_nodes) {
    throw InputError("the model has more than " + std::to_string(options_.max_nodes) + " nodes");
  }
  Node node;
  node.name = unique_name(raw, frame);
  node.op = raw.op;
  node.domain = raw.domain;
  const auto opset = frame.opsets->find(node.domain);
  node.opset = opset == frame.opsets->end() ? 1 : static_cast<int>(opset->second);
  for (const std::string_view input : raw.inputs) {
    node.inputs.push_back(input.empty() ? kNoTensor
                                        : resolve(input, scope, "node " + in_quotes(node.name)));
  }
  for (const std::string_view output : raw.outputs) {
    node.outputs.push_back(output.empty() ? kNoTensor : scope.names.at(output));
  }
  for (const std::string_view attribute : raw.attributes) {
    read_attribute(attribute, scope, frame, depth, node);
  }
  return node;
}

void ModelReader::read_attribute(std::string_view message, const Scope& scope, const Frame& frame,
                                 int depth, Node& node) {
  RawAttribute raw = read_raw_attribute(message, external_);
  if (!raw.reference.empty()) {
    const Attribute* given = find_argument(raw.reference, frame);
    if (given == nullptr) return;  // optional, and the caller does not give it
    std::string name = std::move(raw.attribute.name);
    raw.attribute = *given;
    raw.attribute.name = std::move(name);
  }
  for (const std::string_view graph : raw.graphs) {
    node.subgraph_names.push_back(raw.attribute.name);
    node.subgraphs.push_back(read_graph(graph, &scope, frame, depth + 1));
  }
  if (raw.graphs.empty()) node.attributes.push_back(std::move(raw.attribute));
}

Function* ModelReader::find_function(const RawNode& raw) {
  for (Function& function : functions_) {
    if (function.name == raw.op && function.domain == raw.domain &&
        function.overload == raw.overload) {
      return &function;
    }
  }
  return nullptr;
}

void ModelReader::expand(Function& function, const Node& call, int depth,
                         std::vector<Node>& nodes) {
  if (function.active) {
    throw InputError("local function " + in_quotes(function.name) + " calls itself");
  }
  if (depth > kMaxDepth) throw InputError("the local functions of the model are nested too deeply");
  if (call.inputs.size() > function.inputs.size() ||
      call.outputs.size() > function.outputs.size()) {
    throw InputError("node " + in_quotes(call.name) +
                     " has more inputs or outputs than local function " + in_quotes(function.name));
  }
  Scope scope;
  for (std::size_t i = 0; i < function.inputs.size(); ++i) {
    scope.names[function.inputs[i]] = i < call.inputs.size() ? call.inputs[i] : kNoTensor;
  }
  std::vector<std::pair<TensorId, TensorId>> passed_through;
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const TensorId output = call.outputs[i];
    if (output == kNoTensor) continue;
    const auto [entry, is_new] = scope.names.try_emplace(function.outputs[i], output);
    if (is_new) {
      produced_[static_cast<std::size_t>(output)] = false;  // a node of the body defines it
    } else {
      passed_through.emplace_back(entry->second, output);
    }
  }
  Frame frame;
  frame.opsets = &function.opsets;
  frame.arguments = &call.attributes;
  frame.function = &function;
  frame.prefix = call.name + "/";
  function.active = true;
  read_nodes(function.nodes, scope, frame, depth + 1, nodes);
  function.active = false;
  for (const auto& [from, to] : passed_through) {
    Node identity;
    identity.name = call.name + "/" + model_.tensors[static_cast<std::size_t>(to)].name;
    identity.op = "Identity";
    identity.inputs = {from};
    identity.outputs = {to};
    nodes.push_back(std::move(identity));
  }
  for (const TensorId output : call.outputs) {
    if (output != kNoTensor && !produced_[static_cast<std::size_t>(output)]) {
      throw InputError("local function " + in_quotes(function.name) +
                       " does not compute its output");
    }
  }
}

}  // namespace

Model load_model_from_memory(std::string_view bytes, const std::string& name,
                             const LoadOptions& options) {
  if (bytes.empty()) throw InputError("the file is empty, not an ONNX model");
  return ModelReader(options, options.folder).read(bytes, name);
}

Model load_model(const std::string& path, const LoadOptions& options) {
  const MappedFile mapped(path);
  if (mapped.bytes().starts_with("GGUF")) {
    throw InputError("is a GGUF file, not an ONNX model", escape_terminal(path),
                     "`ridgewatt llm`, `fits` and `tune llm` read GGUF files");
  }
  const std::string name = is_descriptor(path) ? path : std::filesystem::path(path).stem().string();
  LoadOptions with_folder = options;
  with_folder.folder = folder_of(path);
  try {
    return load_model_from_memory(mapped.bytes(), name, with_folder);
  } catch (const InputError& error) {
    if (path.ends_with(".csv")) {
      throw InputError("is a CSV file, not an ONNX model", escape_terminal(path),
                       "`ridgewatt tune --sweep` and `pareto --sweep` read sweeps");
    }
    throw InputError(error.what(), escape_terminal(path));
  }
}

ValueInfo load_value(const std::string& path, const ValueInfo& like) {
  const MappedFile mapped(path);
  ExternalFolder external(folder_of(path));
  try {
    switch (like.kind) {
      case ValueKind::kSequence:
        return onnx_format::read_sequence(mapped.bytes(), external);
      case ValueKind::kOptional:
        return onnx_format::read_optional(mapped.bytes(), external);
      case ValueKind::kSparseTensor:
        return onnx_format::read_sparse_tensor(mapped.bytes(), external).value;
      case ValueKind::kTensor:
      case ValueKind::kMap:
      case ValueKind::kOpaque:
        break;
    }
    return onnx_format::read_tensor(mapped.bytes(), external).value;
  } catch (const InputError& error) {
    throw InputError(error.what(), escape_terminal(path));
  }
}

}  // namespace ridgewatt::workload
