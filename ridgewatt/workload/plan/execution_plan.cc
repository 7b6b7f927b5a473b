#include "ridgewatt/workload/execution_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/workload/cost_table.h"
#include "ridgewatt/workload/infer/attention_lengths.h"
#include "ridgewatt/workload/infer/op_registry.h"
#include "ridgewatt/workload/plan/quantized_graph.h"

namespace ridgewatt::workload {
namespace {

bool is_quantized(DataType type) {
  return is_integer(type) && data_type_bits(type) <= 8;
}

// Integer work is reported separately: quantized operators, and arithmetic on integer tensors.
bool counts_integers(const OpContext& op) {
  // These multiply integers and scale the result to real numbers. The last one also quantizes A.
  const std::string& name = op.node().op;
  if (name == "QGemm" || name == "MatMulIntegerToFloat" || name == "DynamicQuantizeMatMul") {
    return true;
  }
  const auto integral = [](const Tensor& t) {
    return is_integer(t.dtype) || t.dtype == DataType::kBool;
  };
  return op.has_input(0) && op.has_output(0) && integral(op.input(0)) && integral(op.output(0));
}

// True if the axes before `axis`, except the first (the batch), have extent 1. A part along `axis`
// is then contiguous in each sample and can be read in place.
bool is_contiguous_part(const Tensor& tensor, std::int64_t axis) {
  if (!tensor.shape) return false;
  const auto rank = static_cast<std::int64_t>(tensor.shape->size());
  if (axis < 0) axis += rank;
  for (std::int64_t i = 1; i < std::min(axis, rank); ++i) {
    if ((*tensor.shape)[static_cast<std::size_t>(i)] != 1) return false;
  }
  return true;
}

// True for Split, and for a Slice that takes a range of one axis with step 1.
bool is_part_view(const OpContext& op) {
  if (op.node().op == "Split") {
    return is_contiguous_part(op.input(0), op.node().integer("axis", 0));
  }
  if (op.node().op != "Slice") return false;
  const Tensor& x = op.input(0);
  const Tensor& y = op.output(0);
  if (!x.shape || !y.shape || x.shape->size() != y.shape->size()) return false;
  if (op.has_input(4)) {
    const auto& steps = op.input(4).constant;
    if (!steps || std::any_of(steps->ints.begin(), steps->ints.end(),
                              [](std::int64_t s) { return s != 1; })) {
      return false;
    }
  }
  std::int64_t changed = -1;
  for (std::size_t i = 0; i < x.shape->size(); ++i) {
    if ((*x.shape)[i] == (*y.shape)[i]) continue;
    if (changed >= 0) return false;
    changed = static_cast<std::int64_t>(i);
  }
  return is_contiguous_part(x, std::max<std::int64_t>(changed, 0));
}

using Origin = ExecutionPlan::Origin;

class PlanBuilder {
 public:
  PlanBuilder(const Model& model, WorkloadKind kind, Integers integers)
      : kind_(kind), integers_(integers) {
    plan_.model = &model;
    plan_.storage.resize(model.tensors.size());
    std::iota(plan_.storage.begin(), plan_.storage.end(), 0);
    plan_.producer.assign(model.tensors.size(), -1);
    plan_.origin.assign(model.tensors.size(), Origin::kRuntime);
    for (std::size_t i = 0; i < model.tensors.size(); ++i) {
      if (model.tensors[i].role == TensorRole::kInitializer) plan_.origin[i] = Origin::kConstant;
    }
  }

  ExecutionPlan build() {
    add_graph(plan_.model->graph, 1, 0);
    note_whole_caches();
    if (kind_ == WorkloadKind::kInference) absorb_quantization(plan_, integers_);
    return std::move(plan_);
  }

 private:
  void add_graph(const Graph& graph, double count, int scope) {
    for (const Node& node : graph.nodes) add_node(node, count, scope);
  }

  void add_node(const Node& node, double count, int scope) {
    const OpContext op(*plan_.model, node);
    Step step;
    step.node = &node;
    step.rule = find_cost_rule(node.domain, node.op);
    step.count = count;
    step.scope = scope;
    const Origin origin = origin_of(node);
    step.kind = origin == Origin::kRuntime ? kind_of(op, step.rule) : StepKind::kFolded;
    if (step.kind == StepKind::kKernel) price(op, step);
    const int index = static_cast<int>(plan_.steps.size());
    for (const TensorId out : node.outputs) {
      if (out == kNoTensor) continue;
      plan_.producer[static_cast<std::size_t>(out)] = index;
      plan_.origin[static_cast<std::size_t>(out)] = origin;
    }
    if (step.kind == StepKind::kView && !node.inputs.empty() && node.inputs[0] != kNoTensor) {
      for (const TensorId out : node.outputs) alias(out, node.inputs[0]);
    }
    plan_.steps.push_back(step);
    if (step.kind != StepKind::kFolded && !node.subgraphs.empty()) add_bodies(node, count);
  }

  Origin origin_of(const Node& node) const {
    if (node.op == "Shape" || node.op == "Size") return Origin::kShapes;
    if (!node.subgraphs.empty() || is_random(node)) return Origin::kRuntime;
    // A model without inputs is run for its work, so its contractions are not folded.
    const CostRule* rule = find_cost_rule(node.domain, node.op);
    const bool works = rule != nullptr && rule->gradient == Gradient::kContraction;
    if (works && plan_.model->graph.inputs.empty()) return Origin::kRuntime;
    Origin origin = Origin::kConstant;
    for (const TensorId in : node.inputs) {
      if (in == kNoTensor) continue;
      if (!plan_.is_constant(in)) return Origin::kRuntime;
      if (plan_.origin_of(in) == Origin::kShapes) origin = Origin::kShapes;
    }
    return origin;
  }

  StepKind kind_of(const OpContext& op, const CostRule* rule) const {
    const Node& node = op.node();
    if (rule == nullptr) return StepKind::kUnpriced;
    if (rule->fusion == Fusion::kView) {
      return node.op == "Dropout" && kind_ == WorkloadKind::kTraining ? StepKind::kKernel
                                                                      : StepKind::kView;
    }
    return is_part_view(op) ? StepKind::kView : StepKind::kKernel;
  }

  void note_cache(const OpContext& op) {
    const Node& node = op.node();
    const CostRule* rule = find_cost_rule(node.domain, node.op);
    if (node.domain != "com.microsoft" || rule->op_class != OpClass::kAttention) return;
    const AttentionLengths lengths = attention_lengths(op);
    if (lengths.whole_cache) ++whole_caches_[{node.op, lengths.keys}];
  }

  void note_whole_caches() {
    for (const auto& [key, nodes] : whole_caches_) {
      plan_.assumptions.push_back(
          key.first + ", " + std::to_string(nodes) + (nodes == 1 ? " node" : " nodes") +
          ": the filled part of the cache is not known, so all of it is counted: " +
          std::to_string(key.second) + " tokens of it");
    }
  }

  void price(const OpContext& op, Step& step) {
    Terms terms;
    step.cost = step.rule->forward(op, terms);
    if (kind_ == WorkloadKind::kTraining && step.rule->training_flops > 0) {
      const auto elements = op.input(0).element_count();
      step.cost.flops = step.rule->training_flops * static_cast<double>(elements.value_or(0));
    }
    step.integer = counts_integers(op);
    if (!op.node().subgraphs.empty()) return;  // its bodies are counted instead
    note_cache(op);
    bool known = std::isfinite(step.cost.flops);
    for (const TensorId id : op.node().outputs) {
      if (id == kNoTensor || plan_.tensor(id).kind != ValueKind::kTensor) continue;
      known = known && plan_.tensor(id).element_count().has_value();
    }
    if (!known) {
      step.cost = {};
      step.kind = StepKind::kUnpriced;
    }
  }

  void alias(TensorId view, TensorId of) {
    if (view != kNoTensor && of != kNoTensor) {
      plan_.storage[static_cast<std::size_t>(view)] = plan_.storage[static_cast<std::size_t>(of)];
    }
  }

  void add_bodies(const Node& node, double count) {
    if (node.op == "If") {
      add_branch(node, count);
    } else {
      for (std::size_t i = 0; i < node.subgraphs.size(); ++i) add_loop(node, i, count);
    }
  }

  void add_branch(const Node& node, double count) {
    std::size_t taken = 0;
    if (node.taken_branch) {
      taken = static_cast<std::size_t>(*node.taken_branch);
    } else {
      taken = dearer_branch(node);
      plan_.assumptions.push_back("If '" + node.name +
                                  "': the condition is not known, so this branch is counted: '" +
                                  node.subgraph_names[taken] + "', the dearer branch");
    }
    const Graph& branch = node.subgraphs[taken];
    add_graph(branch, count, ++scopes_);
    for (std::size_t i = 0; i < std::min(node.outputs.size(), branch.outputs.size()); ++i) {
      alias(node.outputs[i], branch.outputs[i]);
    }
  }

  // Also notes the weights of all branches.
  std::size_t dearer_branch(const Node& node) {
    std::size_t dearest = 0;
    double most = -1;
    for (std::size_t i = 0; i < node.subgraphs.size(); ++i) {
      PlanBuilder trial(*this);
      trial.add_graph(node.subgraphs[i], 1, 0);
      double work = 0;
      for (std::size_t k = plan_.steps.size(); k < trial.plan_.steps.size(); ++k) {
        const Step& step = trial.plan_.steps[k];
        work += step.count * (1 + step.cost.flops);
      }
      note_weights(trial.plan_);
      if (work > most) {
        most = work;
        dearest = i;
      }
    }
    return dearest;
  }

  void note_weights(const ExecutionPlan& branch) {
    plan_.idle_weights = branch.idle_weights;
    for (std::size_t k = plan_.steps.size(); k < branch.steps.size(); ++k) {
      for (const TensorId id : weights_of(branch, branch.steps[k])) {
        plan_.idle_weights[id] = packed_values(branch, branch.steps[k], id);
        plan_.origin[static_cast<std::size_t>(id)] = Origin::kConstant;
      }
    }
  }

  void add_loop(const Node& node, std::size_t index, double count) {
    const Graph& body = node.subgraphs[index];
    double trips = 1;
    if (!node.body_counts.empty()) {
      trips = static_cast<double>(node.body_counts[index]);
      if (trips > 0) add_graph(body, count * trips, ++scopes_);
      return;  // inputs and outputs of the bodies are buffers of the search
    }
    if (node.trip_count) {
      trips = static_cast<double>(*node.trip_count);
    } else {
      plan_.assumptions.push_back(node.op + " '" + node.name +
                                  "': the number of iterations is not known, so one is counted");
    }
    // A Loop body starts with iteration number and condition, other bodies with states and items.
    const std::size_t skipped = node.op == "Loop" ? 2 : 0;
    for (std::size_t i = skipped; i < body.inputs.size() && i < node.inputs.size(); ++i) {
      alias(body.inputs[i], node.inputs[i]);
    }
    add_graph(body, count * trips, ++scopes_);
    const std::size_t condition = node.op == "Loop" ? 1 : 0;
    for (std::size_t i = 0; i < node.outputs.size() && i + condition < body.outputs.size(); ++i) {
      alias(node.outputs[i], body.outputs[i + condition]);
    }
  }

  WorkloadKind kind_;
  Integers integers_;
  ExecutionPlan plan_;
  int scopes_ = 0;
  std::map<std::pair<std::string, std::int64_t>, int> whole_caches_;
};

// True for inputs of these operators that hold statistics, scales or settings instead of weights.
bool is_setting(const Node& node, std::size_t input) {
  const std::string& op = node.op;
  if (op == "BatchNormalization") return input >= 3;
  if (op == "DequantizeLinear") return input >= 1;
  if (op == "QLinearConv") return input != 3 && input != 8;
  if (op == "QLinearMatMul" || op == "QLinearAdd" || op == "QLinearMul") {
    return input != 0 && input != 3;
  }
  if (op == "QGemm") return input != 0 && input != 3 && input != 6;
  if (op == "MatMulNBits") return input >= 2 && input <= 4;
  if (op == "MatMulBnb4" || op == "GatherBlockQuantized") return input >= 2;
  if (op == "MatMulIntegerToFloat") return input >= 2 && input <= 5;
  if (op == "DynamicQuantizeMatMul") return input == 2 || input == 3;
  if (op == "GroupQueryAttention") return input >= 5;
  if (op == "LSTM" || op == "GRU" || op == "RNN") return input >= 4 && input != 7;  // states
  if (op == "RotaryEmbedding" || op == "QuantizeLinear" || op == "Resize" || op == "Upsample" ||
      op == "Clip" || op == "Pad" || op == "Dropout" || op == "OneHot") {
    return input >= 1;
  }
  return op == "Pow" && input == 1;
}

// True for classes whose operands are weights even if they are written as Constant nodes.
bool reads_weights(const Step& step) {
  const OpClass op_class = step.rule != nullptr ? step.rule->op_class : OpClass::kOther;
  return kOpClassRows[op_class].weights || step.node->op == "Gather";
}

void collect_weights(const ExecutionPlan& plan, TensorId id, bool weight_slot, int depth,
                     std::vector<TensorId>& found) {
  const Tensor& tensor = plan.tensor(id);
  const int producer = plan.producer_of(id);
  const bool stored = tensor.role == TensorRole::kInitializer || producer < 0;
  const Node* node = stored ? nullptr : plan.steps[static_cast<std::size_t>(producer)].node;
  const bool constant_node = node != nullptr && node->op == "Constant";
  // Exporters write a parameter with the same value as another one as an Identity of that one.
  const bool source =
      stored || constant_node || node->op == "Identity" || node->op == "ConstantOfShape";
  if (!source) {
    if (depth > 16) return;
    for (std::size_t i = 0; i < node->inputs.size(); ++i) {
      if (node->inputs[i] != kNoTensor && !is_setting(*node, i)) {
        collect_weights(plan, node->inputs[i], weight_slot, depth + 1, found);
      }
    }
    return;
  }
  const bool typed = is_floating(tensor.dtype) || is_quantized(tensor.dtype) ||
                     (weight_slot && tensor.dtype == DataType::kInt32);
  const bool scalar = tensor.shape && tensor.shape->empty();
  // For example zeros with the size of the batch.
  if (plan.origin_of(id) != Origin::kConstant) return;
  if (!typed || scalar || (constant_node && !weight_slot)) return;
  if (!contains(found, id)) found.push_back(id);
}

}  // namespace

ExecutionPlan make_plan(const Model& model, WorkloadKind kind, Integers integers) {
  return PlanBuilder(model, kind, integers).build();
}

std::vector<TensorId> weights_of(const ExecutionPlan& plan, const Step& step) {
  std::vector<TensorId> weights;
  if (step.kind == StepKind::kFolded) return weights;
  for (std::size_t i = 0; i < step.node->inputs.size(); ++i) {
    const std::vector<TensorId> found = weights_behind(plan, step, i);
    weights.insert(weights.end(), found.begin(), found.end());
  }
  return weights;
}

std::vector<TensorId> weights_behind(const ExecutionPlan& plan, const Step& step,
                                     std::size_t input) {
  std::vector<TensorId> found;
  const TensorId id = step.node->inputs[input];
  if (id == kNoTensor || !plan.is_constant(id) || is_setting(*step.node, input)) return found;
  collect_weights(plan, id, reads_weights(step), 0, found);
  return found;
}

}  // namespace ridgewatt::workload
