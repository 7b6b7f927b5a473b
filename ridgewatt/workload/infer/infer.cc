#include "ridgewatt/workload/infer.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/workload/infer/bind_symbols.h"
#include "ridgewatt/workload/infer/infer_context.h"
#include "ridgewatt/workload/infer/interpreter.h"

namespace ridgewatt::workload {
namespace {

// Limits for the visits of nodes in bodies. Beyond the first, loops are not followed iteration by
// iteration. Beyond the second, inference fails.
constexpr std::size_t kMaxFollowedSteps = std::size_t{1} << 15;
constexpr std::size_t kMaxSteps = std::size_t{1} << 19;

bool is_known(const ValueInfo& value) {
  switch (value.kind) {
    case ValueKind::kTensor:
    case ValueKind::kSparseTensor:
      return value.dtype != DataType::kUndefined && value.has_static_shape();
    case ValueKind::kSequence:
    case ValueKind::kOptional:
      return static_cast<bool>(value.items);
    case ValueKind::kMap:
    case ValueKind::kOpaque:
      break;
  }
  return true;
}

void reset(Graph& graph) {
  for (Node& node : graph.nodes) {
    node.taken_branch.reset();
    node.trip_count.reset();
    node.body_counts.clear();
    for (Graph& body : node.subgraphs) reset(body);
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

// Operators that need more than their first input, with the number of inputs.
struct Operands {
  std::string_view op;
  std::size_t count;
};
constexpr std::size_t kAllOperands = SIZE_MAX;
constexpr Operands kOperands[] = {{"Concat", kAllOperands},
                                  {"Sum", kAllOperands},
                                  {"Max", kAllOperands},
                                  {"Min", kAllOperands},
                                  {"Mean", kAllOperands},
                                  {"SequenceConstruct", kAllOperands},
                                  {"Einsum", kAllOperands},
                                  {"MatMul", 2},
                                  {"FusedMatMul", 2},
                                  {"TransposeMatMul", 2},
                                  {"MatMulInteger", 2},
                                  {"MatMulNBits", 2},
                                  {"MatMulBnb4", 2},
                                  {"QLinearMatMul", 8},
                                  {"Gemm", 2},
                                  {"FusedGemm", 2},
                                  {"GemmFloat8", 2},
                                  {"Conv", 2},
                                  {"FusedConv", 2},
                                  {"NhwcConv", 2},
                                  {"NhwcFusedConv", 2},
                                  {"ConvTranspose", 2},
                                  {"ConvInteger", 2},
                                  {"QLinearConv", 8},
                                  {"DeformConv", 3},
                                  {"CausalConvWithState", 2},
                                  {"LSTM", 3},
                                  {"GRU", 3},
                                  {"RNN", 3},
                                  {"QuantizeLinear", 2},
                                  {"DequantizeLinear", 2},
                                  {"Add", 2},
                                  {"Sub", 2},
                                  {"Mul", 2},
                                  {"Div", 2},
                                  {"Pow", 2},
                                  {"Reshape", 1},
                                  {"Gather", 2},
                                  {"GatherElements", 2},
                                  {"GatherND", 2},
                                  {"Where", 3},
                                  {"Expand", 2},
                                  {"Tile", 2},
                                  {"QGemm", 4},
                                  {"DynamicQuantizeMatMul", 3},
                                  {"MatMulIntegerToFloat", 4},
                                  {"Loop", 0},
                                  {"Scan", 0},
                                  {"Optional", 0},
                                  {"OptionalHasElement", 0}};

// Throws if an input that the operator needs is absent.
void require_operands(const InferContext& context) {
  const Node& node = context.node();
  const auto* found = std::find_if(std::begin(kOperands), std::end(kOperands),
                                   [&](const Operands& row) { return row.op == node.op; });
  const std::size_t needed = found != std::end(kOperands) ? found->count : 1;
  for (std::size_t i = 0; i < std::min(needed, node.inputs.size()); ++i) context.input(i);
}

}  // namespace

void Interpreter::run(Graph& graph) {
  for (Node& node : graph.nodes) run_node(node);
}

void Interpreter::run_body(Graph& body) {
  steps_ += body.nodes.size() + 1;
  if (steps_ > kMaxSteps)
    throw InputError("the control flow of the model is nested too deeply to be analyzed");
  run(body);
}

bool Interpreter::may_follow_loops() const {
  return steps_ < kMaxFollowedSteps;
}

void Interpreter::run_node(Node& node) {
  for (const TensorId output : node.outputs) {
    if (output == kNoTensor) continue;
    static_cast<ValueInfo&>(model_.tensors[static_cast<std::size_t>(output)]) = {};
  }
  run_rule(node);
  if (options_.trust_file) use_declared_types(node);
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
    return;
  }
  InferContext context(model_, node, *this);
  require_operands(context);
  entry->shape(context);
  if (entry->fold != nullptr) entry->fold(context);
}

// Uses the types stated in the file, with bound symbols, for outputs that could not be computed:
// those of an operator without a rule, or with a shape that depends on data.
void Interpreter::use_declared_types(const Node& node) {
  for (const TensorId output : node.outputs) {
    if (output == kNoTensor) continue;
    Tensor& tensor = model_.tensors[static_cast<std::size_t>(output)];
    if (!tensor.declared || is_known(tensor) || tensor.kind != tensor.declared->kind) continue;
    if (tensor.dtype == DataType::kUndefined) tensor.dtype = tensor.declared->dtype;
    if (!tensor.declared->shape) continue;
    Shape stated = *tensor.declared->shape;
    bind_known_symbols(tensor.symbols, summary_.bound, stated);
    if (!tensor.shape) {
      tensor.shape = std::move(stated);
    } else if (tensor.shape->size() == stated.size()) {
      for (std::size_t i = 0; i < stated.size(); ++i) {
        (*tensor.shape)[i] = merge_extents((*tensor.shape)[i], stated[i]);
      }
    }
  }
}

void Interpreter::mark_constants(const Node& node) {
  const bool from_constants =
      node.subgraphs.empty() && !is_random(node) && node.op != "Dropout" &&
      std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
        return id == kNoTensor || model_.tensors[static_cast<std::size_t>(id)].is_constant;
      });
  for (const TensorId output : node.outputs) {
    if (output == kNoTensor) continue;
    Tensor& tensor = model_.tensors[static_cast<std::size_t>(output)];
    const bool known_content = tensor.constant && !contains(tensor.constant->ints, kUnknownInt);
    tensor.is_constant = from_constants || known_content;
  }
}

namespace {

// One attempt. `steps` counts the steps of all attempts.
InferSummary infer_once(Model& model, const InferOptions& options, const Assumptions& assumptions,
                        bool may_drop_branches, std::size_t& steps) {
  InferSummary summary;
  reset(model.graph);
  for (Tensor& tensor : model.tensors) {
    if (tensor.role == TensorRole::kInitializer) continue;
    static_cast<ValueInfo&>(tensor) = {};
    tensor.is_constant = false;
  }
  Interpreter::Options how;
  how.exported_batch = bind_inputs(model, options, assumptions, summary);
  // The types stated in the file are only valid for the inputs that it was exported with.
  how.trust_file = options.inputs.empty() && how.exported_batch == summary.batch;
  how.may_drop_branches = may_drop_branches;
  Interpreter(model, summary, how, steps).run(model.graph);
  collect_unknown(model, model.graph, summary.unknown_nodes);
  return summary;
}

constexpr std::int64_t kSizes[] = {16, 64, 128, 256, 512, 1024, 4096};

// Assumptions to try for extents that were not given: first 1 for all, then a larger value for one
// of them, then for all of them, then no value. Then the same without a relation between lengths.
std::vector<Assumptions> assumed_extents(const Model& model, const InferOptions& options) {
  constexpr std::size_t kMostExtents = 4;
  const std::vector<std::string> names = extents_to_assume(model, options);
  std::vector<Assumptions> list = {{{}, 1}};
  if (names.empty()) return list;
  list.reserve(2 * (names.size() + 2) * std::size(kSizes));
  for (std::size_t i = 0; i < std::min(names.size(), kMostExtents); ++i) {
    for (const std::int64_t size : kSizes) list.push_back({{{names[i], size}}, 1});
  }
  if (names.size() > 1) {
    for (const std::int64_t size : kSizes) list.push_back({{}, size});
  }
  list.push_back({{}, kUnknownDim});
  const std::size_t count = list.size();
  for (std::size_t i = 0; i < count; ++i) {
    list.push_back(list[i]);
    list.back().relate_lengths = false;
  }
  return list;
}

// Adds larger sizes of an unnamed first axis as last resort: it may be time or rows, not the batch.
std::vector<Assumptions> possible_assumptions(const Model& model, const InferOptions& options) {
  std::vector<Assumptions> list = assumed_extents(model, options);
  if (!has_unnamed_batch(model, options)) return list;
  for (const std::int64_t size : kSizes) {
    list.emplace_back();
    list.back().leading = size;
  }
  return list;
}

// Allows an extent of 0 for parts that may be empty, such as a cache, but not for all results.
void refuse_empty_results(const Model& model, const InferOptions& options) {
  const auto zero = std::find_if(options.dims.begin(), options.dims.end(),
                                 [](const auto& dim) { return dim.second == 0; });
  if (zero == options.dims.end() || model.graph.outputs.empty()) return;
  const bool empty =
      std::all_of(model.graph.outputs.begin(), model.graph.outputs.end(), [&](TensorId id) {
        return model.tensors[static_cast<std::size_t>(id)].element_count() == std::int64_t{0};
      });
  if (empty) {
    throw UsageError(
        "with " + escape_terminal(zero->first) + " = 0 (--dim) the model computes nothing", "",
        "only a dimension that may be empty can be 0, such as a cache of past tokens");
  }
}

// Returns a hint for a contradiction that extents may cause, whether they were given or not.
std::string extents_hint(const Model& model, const InferOptions& options) {
  std::string list;
  for (const auto& name : extents_not_given(model, options)) {
    list += (list.empty() ? "" : ", ") + escape_terminal(name);
  }
  std::string given;
  for (const auto& [name, value] : options.dims) {
    given += fmt::format("{}{}={}", given.empty() ? "" : ", ", escape_terminal(name), value);
  }
  if (given.empty()) {
    return list.empty() ? "" : "no size that was tried fits: give --dim NAME=VALUE for " + list;
  }
  return "the model may not accept --dim " + given +
         (list.empty() ? "" : ", or it needs another size of " + list);
}

}  // namespace

InferSummary infer(Model& model, const InferOptions& options) {
  std::size_t steps = 0;
  std::optional<InputError> first_error;
  const std::vector<Assumptions> list = possible_assumptions(model, options);
  for (const bool may_drop_branches : {false, true}) {
    for (const Assumptions& assumptions : list) {
      try {
        InferSummary summary = infer_once(model, options, assumptions, may_drop_branches, steps);
        refuse_empty_results(model, options);
        return summary;
      } catch (const InputError& error) {
        if (!first_error) first_error = error;
      }
    }
  }
  const auto fixed = fixed_batch(model);
  if (fixed && options.batch && *options.batch != *fixed) {
    throw InputError(first_error->what(), "",
                     fmt::format("the file fixes the batch at {}: use --batch {}", *fixed, *fixed));
  }
  const std::string hint = extents_hint(model, options);
  if (hint.empty()) throw *first_error;
  throw InputError(first_error->what(), "", hint);
}

}  // namespace ridgewatt::workload
