#include "ridgewatt/workload/plan/quantized_graph.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/workload/kernel_fusion.h"

namespace ridgewatt::workload {
namespace {

bool is_eight_bit(DataType type) {
  return is_integer(type) && data_type_bits(type) <= 8;
}

TensorId first_output(const Step& step) {
  return step.node->outputs.empty() ? kNoTensor : step.node->outputs[0];
}

bool dequantizes(const ExecutionPlan& plan, const Step& step) {
  return step.node->op == "DequantizeLinear" && !step.node->inputs.empty() &&
         step.node->inputs[0] != kNoTensor && first_output(step) != kNoTensor &&
         is_eight_bit(plan.tensor(step.node->inputs[0]).dtype);
}

bool quantizes(const ExecutionPlan& plan, const Step& step) {
  return step.node->op == "QuantizeLinear" && first_output(step) != kNoTensor &&
         is_eight_bit(plan.tensor(step.node->outputs[0]).dtype);
}

bool moves_only(const Step& step) {
  constexpr std::array<std::string_view, 6> kOps = {"Transpose", "Reshape",   "Flatten",
                                                    "Squeeze",   "Unsqueeze", "Identity"};
  return contains(kOps, step.node->op);
}

// Contractions and other operators that ONNX Runtime computes with 8-bit integers on a processor.
constexpr std::string_view kProductsOnProcessor = "Conv|MatMul|Gemm";
constexpr std::string_view kOnProcessor =
    "Add|Mul|Sigmoid|LeakyRelu|Softmax|AveragePool|GlobalAveragePool|MaxPool|Concat|Split|Slice|"
    "Where|Gather|Reshape|Expand|Flatten|Transpose|Squeeze|Unsqueeze|Resize|ReduceMax|ReduceMin";

// The known number of a scalar, or `fallback`.
double scalar_of(const ExecutionPlan& plan, const Node& node, std::size_t input, double fallback) {
  if (input >= node.inputs.size() || node.inputs[input] == kNoTensor) return fallback;
  const auto& content = plan.tensor(node.inputs[input]).constant;
  if (content && !content->floats.empty()) return content->floats.front();
  return content && !content->ints.empty() ? static_cast<double>(content->ints.front()) : fallback;
}

// True if Relu or Clip keeps all numbers that the quantization can write. Numbers that are not
// known are assumed to fit.
bool keeps_all(const ExecutionPlan& plan, const Node& clamp, const Node& quantization) {
  constexpr double kLeastInt8 = -128, kSteps = 255;
  constexpr double kTolerance = 0.01;  // of a step; chosen: scales are rounded
  const bool is_signed = plan.tensor(quantization.outputs[0]).dtype == DataType::kInt8;
  const double first = is_signed ? kLeastInt8 : 0;
  const double scale = scalar_of(plan, quantization, 1, 0);
  const double least = scale * (first - scalar_of(plan, quantization, 2, first));
  const double most = least + scale * kSteps;
  double from = 0, to = most;
  if (clamp.op == "Clip") {
    from = scalar_of(plan, clamp, 1, clamp.real("min", least));
    to = scalar_of(plan, clamp, 2, clamp.real("max", most));
  }
  return from <= least + kTolerance * scale && to >= most - kTolerance * scale;
}

class Absorber {
 public:
  Absorber(ExecutionPlan& plan, Integers integers)
      : plan_(plan), on_processor_(integers == Integers::kResults) {
    users_.resize(plan.model->tensors.size());
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      for (const TensorId in : plan.steps[i].node->inputs) {
        if (in != kNoTensor) users_[index(in)].push_back(static_cast<int>(i));
      }
    }
    mark_results(plan.model->graph);
    absorbed_.assign(plan.steps.size(), false);
  }

  void run() {
    const bool any = std::any_of(plan_.steps.begin(), plan_.steps.end(),
                                 [&](const Step& step) { return dequantizes(plan_, step); });
    if (!any) return;
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) visit(static_cast<int>(i));
    for (Step& step : plan_.steps) {
      if (!dequantizes(plan_, step)) continue;
      drop_if_unused(step);
      if (on_processor_) run_if_used(step);
    }
    for (std::size_t id = 0; id < plan_.storage.size(); ++id) {
      plan_.storage[id] = final_root(static_cast<TensorId>(id));
    }
  }

 private:
  static std::size_t index(TensorId id) { return static_cast<std::size_t>(id); }
  Step& step_at(int i) { return plan_.steps[static_cast<std::size_t>(i)]; }

  // The outputs of a graph must be stored with their declared type.
  void mark_results(const Graph& graph) {
    if (is_result_.empty()) is_result_.assign(plan_.model->tensors.size(), false);
    for (const TensorId id : graph.outputs) is_result_[index(id)] = true;
    for (const Node& node : graph.nodes) {
      for (const Graph& body : node.subgraphs) mark_results(body);
    }
  }

  // True if `id` is a dequantized tensor, possibly moved by views or folded steps.
  bool is_dequantized(TensorId id) const {
    for (int depth = 0; depth < 16 && id != kNoTensor; ++depth) {
      const int producer = plan_.producer_of(id);
      if (producer < 0) return false;
      const Step& step = plan_.steps[static_cast<std::size_t>(producer)];
      if (dequantizes(plan_, step)) return true;
      const bool looks_on = step.kind == StepKind::kView || step.kind == StepKind::kFolded;
      if (!looks_on || !moves_only(step) || step.node->inputs.empty()) return false;
      id = step.node->inputs[0];
    }
    return false;
  }

  bool is_stored_as_integer(TensorId id) const {
    const int producer = plan_.producer_of(id);
    return producer >= 0 &&
           plan_.steps[static_cast<std::size_t>(producer)].node->op == "DequantizeLinear";
  }

  bool is_contraction(const Step& step) const {
    return step.kind == StepKind::kKernel && step.rule->gradient == Gradient::kContraction &&
           (step.rule->op_class == OpClass::kConv || step.rule->op_class == OpClass::kGemm);
  }

  bool reads_dequantized(const Step& step) const {
    const auto& inputs = step.node->inputs;
    const bool contraction = is_contraction(step);
    if (on_processor_ &&
        !is_among(step.node->op, contraction ? kProductsOnProcessor : kOnProcessor)) {
      return false;
    }
    if (contraction) {
      const bool biased = inputs.size() > 2 && inputs[2] != kNoTensor;
      return inputs.size() > 1 && is_dequantized(inputs[0]) && is_dequantized(inputs[1]) &&
             (!on_processor_ || !biased || is_stored_as_integer(inputs[2]));
    }
    bool any = false;
    for (const TensorId in : inputs) {
      if (in == kNoTensor || !is_floating(plan_.tensor(in).dtype)) continue;
      if (is_dequantized(in)) {
        any = true;
      } else if (!plan_.is_constant(in)) {
        return false;
      }
    }
    return any;
  }

  // Returns the quantization that is the only reader of `id`, or -1. Steps in between that only
  // clamp are added to `clamps`.
  int only_quantization(TensorId id, std::vector<int>& clamps) {
    for (int depth = 0; depth < 4; ++depth) {
      if (is_result_[index(id)] || users_[index(id)].size() != 1) return -1;
      const int user = users_[index(id)].front();
      const Step& step = step_at(user);
      if (step.kind == StepKind::kFolded) return -1;
      if (quantizes(plan_, step) && step.node->inputs[0] == id) {
        const bool fits =
            !on_processor_ || std::all_of(clamps.begin(), clamps.end(), [&](int clamp) {
              return keeps_all(plan_, *step_at(clamp).node, *step.node);
            });
        return fits ? user : -1;
      }
      const bool clamps_it = step.node->op == "Relu" || step.node->op == "Clip";
      if (!clamps_it || step.node->inputs[0] != id || first_output(step) == kNoTensor) return -1;
      clamps.push_back(user);
      id = first_output(step);
    }
    return -1;
  }

  void visit(int i) {
    Step& step = step_at(i);
    const bool runs = step.kind == StepKind::kKernel || step.kind == StepKind::kView;
    if (absorbed_[static_cast<std::size_t>(i)] || !runs || !step.node->subgraphs.empty()) return;
    if (step.rule == nullptr || quantizes(plan_, step) || dequantizes(plan_, step)) return;
    if (!reads_dequantized(step)) return;
    const bool in_reals = is_contraction(step) && !(on_processor_ && step.node->op == "Conv");
    std::vector<std::pair<TensorId, int>> quantizations;
    std::vector<int> clamps;
    for (const TensorId out : step.node->outputs) {
      const int found = out == kNoTensor ? -1 : only_quantization(out, clamps);
      if (found >= 0) quantizations.emplace_back(out, found);
      if (found < 0 && out != kNoTensor && !in_reals) return;
    }
    step.quantized = true;
    if (step.kind == StepKind::kKernel) step.integer = true;
    if (quantizations.empty()) return;
    for (const int clamp : clamps) {
      become_view(clamp, step_at(clamp).node->inputs[0]);
    }
    for (const auto& [out, quantization] : quantizations) {
      const TensorId stored = step_at(quantization).node->outputs[0];
      become_view(quantization, step_at(quantization).node->inputs[0]);
      if (step.kind == StepKind::kView) continue;
      // The kernel writes the result of the quantization.
      plan_.storage[index(stored)] = stored;
      plan_.storage[index(out)] = stored;
      plan_.producer[index(stored)] = i;
    }
  }

  void become_view(int i, TensorId of) {
    Step& step = step_at(i);
    step.kind = StepKind::kView;
    step.quantized = true;
    step.cost = {};
    absorbed_[static_cast<std::size_t>(i)] = true;
    for (const TensorId out : step.node->outputs) {
      if (out != kNoTensor) plan_.storage[index(out)] = plan_.storage[index(of)];
    }
  }

  void drop_if_unused(Step& step) {
    const TensorId out = step.node->outputs[0];
    if (step.kind != StepKind::kKernel || is_result_[index(out)]) return;
    for (const int user : users_[index(out)]) {
      if (!step_at(user).quantized) return;
    }
    step.kind = StepKind::kView;
    step.cost = {};
    plan_.storage[index(out)] = plan_.storage[index(step.node->inputs[0])];
  }

  // ONNX Runtime does not dequantize weights in advance. Products read weights with scales per
  // block as they are stored.
  void run_if_used(Step& step) {
    const TensorId out = step.node->outputs[0];
    const auto& users = users_[index(out)];
    const bool used = std::any_of(users.begin(), users.end(), [&](int user) {
      return step_at(user).kind == StepKind::kKernel && !step_at(user).quantized;
    });
    const bool in_blocks = step.node->integer("block_size", 0) > 0;
    if (step.kind != StepKind::kFolded || step.rule == nullptr || in_blocks || !used) return;
    step.kind = StepKind::kKernel;
    plan_.origin[index(out)] = ExecutionPlan::Origin::kRuntime;
  }

  TensorId final_root(TensorId id) const {
    for (std::size_t depth = 0; depth < plan_.storage.size(); ++depth) {
      const TensorId next = plan_.storage[index(id)];
      if (next == id) break;
      id = next;
    }
    return id;
  }

  ExecutionPlan& plan_;
  bool on_processor_;
  std::vector<std::vector<int>> users_;  // steps that read each tensor
  std::vector<bool> is_result_;
  std::vector<bool> absorbed_;
};

}  // namespace

void absorb_quantization(ExecutionPlan& plan, Integers integers) {
  if (integers != Integers::kNone) Absorber(plan, integers).run();
}

TensorId operand_root(const ExecutionPlan& plan, const Step& step, TensorId id) {
  const TensorId root = plan.root(id);
  const int producer = plan.producer_of(root);
  if (!step.quantized || producer < 0 || plan.is_constant(root)) return root;
  const Step& before = plan.steps[static_cast<std::size_t>(producer)];
  return dequantizes(plan, before) ? plan.root(before.node->inputs[0]) : root;
}

}  // namespace ridgewatt::workload
