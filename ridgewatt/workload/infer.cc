#include "ridgewatt/workload/infer.h"

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/workload/bind_symbols.h"
#include "ridgewatt/workload/infer_context.h"
#include "ridgewatt/workload/interpreter.h"

namespace ridgewatt {
namespace {

// Node visits before control flow counts as a trap.
constexpr std::size_t kMaxSteps = std::size_t{1} << 21;

bool is_known(const ValueInfo& value) {
  switch (value.kind) {
    case ValueKind::kTensor:
    case ValueKind::kSparseTensor:
      return value.dtype != DataType::kUndefined && value.has_static_shape();
    case ValueKind::kSequence:
    case ValueKind::kOptional:
      return static_cast<bool>(value.items);
    default:
      return true;
  }
}

bool is_random(const Node& node) {
  return node.op.starts_with("Random") || node.op == "Bernoulli" || node.op == "Multinomial" ||
         node.op == "Dropout";
}

void reset(Model& model, Graph& graph) {
  for (Node& node : graph.nodes) {
    node.taken_branch.reset();
    node.trip_count.reset();
    for (Graph& body : node.subgraphs) reset(model, body);
  }
}

void collect_unknown(const Model& model, const Graph& graph, std::vector<std::string>& names) {
  for (const Node& node : graph.nodes) {
    const bool known = std::all_of(node.outputs.begin(), node.outputs.end(), [&](TensorId id) {
      return id == kNoTensor || is_known(model.tensors[static_cast<std::size_t>(id)]);
    });
    if (!known) names.push_back(node.name);
  }
}

}  // namespace

void Interpreter::run(Graph& graph) {
  for (Node& node : graph.nodes) run_node(node);
}

void Interpreter::run_node(Node& node) {
  if (++steps_ > kMaxSteps) throw InputError("control flow is nested too deeply to be followed");
  for (const TensorId output : node.outputs) {
    if (output == kNoTensor) continue;
    static_cast<ValueInfo&>(model_.tensors[static_cast<std::size_t>(output)]) = {};
  }
  run_rule(node);
  for (const TensorId output : node.outputs) {
    if (output == kNoTensor) continue;
    const Tensor& tensor = model_.tensors[static_cast<std::size_t>(output)];
    if (tensor.shape) checked_element_count(*tensor.shape, "node '" + node.name + "'");
  }
  mark_constants(node);
}

void Interpreter::run_rule(Node& node) {
  const OpEntry* entry = find_op(node.domain, node.op);
  if (entry == nullptr || entry->shape == nullptr) {
    ++summary_.unsupported[node.domain.empty() ? node.op : node.domain + "." + node.op];
    use_declared_types(node);
    return;
  }
  InferContext context(model_, node, *this);
  entry->shape(context);
  if (entry->fold != nullptr) entry->fold(context);
}

// An operator without a rule: what the file itself says of its outputs, with the symbols bound.
void Interpreter::use_declared_types(Node& node) {
  for (const TensorId output : node.outputs) {
    if (output == kNoTensor) continue;
    Tensor& tensor = model_.tensors[static_cast<std::size_t>(output)];
    if (!tensor.declared) continue;
    static_cast<ValueInfo&>(tensor) = *tensor.declared;
    if (!tensor.shape) continue;
    if (exported_batch_ != batch_) tensor.shape.reset();  // the file's extents are stale
    bind_known_symbols(tensor, summary_.bound);
  }
}

void Interpreter::mark_constants(const Node& node) {
  const bool from_constants =
      node.subgraphs.empty() && !is_random(node) &&
      std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
        return id == kNoTensor || model_.tensors[static_cast<std::size_t>(id)].is_constant;
      });
  for (const TensorId output : node.outputs) {
    if (output == kNoTensor) continue;
    Tensor& tensor = model_.tensors[static_cast<std::size_t>(output)];
    const bool known_content =
        tensor.constant && std::find(tensor.constant->ints.begin(), tensor.constant->ints.end(),
                                     kUnknownInt) == tensor.constant->ints.end();
    tensor.is_constant = from_constants || known_content;
  }
}

InferSummary infer(Model& model, const InferOptions& options) {
  InferSummary summary;
  reset(model, model.graph);
  for (Tensor& tensor : model.tensors) {
    if (tensor.role == TensorRole::kInitializer) continue;
    static_cast<ValueInfo&>(tensor) = {};
    tensor.is_constant = false;
  }
  const std::int64_t exported_batch = bind_inputs(model, options, summary);
  Interpreter interpreter(model, summary, exported_batch, summary.batch);
  interpreter.run(model.graph);
  collect_unknown(model, model.graph, summary.unknown_nodes);
  return summary;
}

}  // namespace ridgewatt
