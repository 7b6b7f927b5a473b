#include "ridgewatt/workload/cost/eager_attention.h"

#include <algorithm>

#include "ridgewatt/workload/runtimes/idioms.h"
#include "ridgewatt/workload/runtimes/units.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {
namespace {

constexpr Idiom kAttentionIdiom[] = {
    {"Attention", OpClass::kAttention, idioms::kAttention, kInAll, true}};
constexpr RuntimeRules kAttentionRules{.idioms = kAttentionIdiom};

bool is_scalar(const ExecutionPlan& plan, TensorId id) {
  if (id == kNoTensor || !plan.is_constant(id)) return false;
  const auto& shape = plan.tensor(id).shape;
  return shape &&
         std::all_of(shape->begin(), shape->end(), [](auto extent) { return extent == 1; });
}

// A constant for each head is a table of relative positions, which models add to the scores in a
// kernel of its own. A mask is the same for all heads.
bool adds_constant_per_head(const ExecutionPlan& plan, const Node& node) {
  return node.op == "Add" && std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
           if (id == kNoTensor || !plan.is_constant(id)) return false;
           const auto& shape = plan.tensor(id).shape;
           return shape && shape->size() >= 3 && shape->end()[-3] > 1;
         });
}

// True if PyTorch returns a view.
bool rearranges(const ExecutionPlan& plan, const Node& node) {
  if (node.op == "Gather") return node.inputs.size() == 2 && is_scalar(plan, node.inputs[1]);
  return node.op == "Transpose" || node.op == "Split" || node.op == "Slice";
}

bool scales(const ExecutionPlan& plan, const Node& node) {
  if (node.op != "Mul" && node.op != "Div") return false;
  return std::any_of(node.inputs.begin(), node.inputs.end(),
                     [&](TensorId id) { return is_scalar(plan, id); });
}

// Assigns steps to units of attention.
class AttentionFinder {
 public:
  static constexpr int kNone = -1;

  explicit AttentionFinder(const ExecutionPlan& plan)
      : plan_(plan), graph_(plan), unit_(plan.steps.size(), kNone), view_(plan.steps.size()) {
    for (const auto& unit : find_units(graph_, kAttentionRules, kInAll)) add_unit(unit);
    for (std::size_t i = plan.steps.size(); i-- > 0;) add_operand(i);
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
      if (unit_[i] == kNone && is_transposition(plan.steps[i])) view_[i] = reads_result(i);
    }
  }

  // Returns the unit of which the step computes a part, or kNone.
  int unit_of(std::size_t step) const { return view_[step] ? kNone : unit_[step]; }
  // True if the step rearranges an operand or the result of a unit.
  bool is_view(std::size_t step) const { return view_[step]; }
  std::size_t count() const { return static_cast<std::size_t>(units_); }

 private:
  static bool is_transposition(const Step& step) {
    return step.kind == StepKind::kKernel && step.node->op == "Transpose";
  }

  void add_unit(const Unit& unit) {
    const bool biased = std::any_of(unit.steps.begin(), unit.steps.end(), [this](int step) {
      return adds_constant_per_head(plan_, *plan_.steps[static_cast<std::size_t>(step)].node);
    });
    if (unit.steps.size() == 1 || biased) return;
    for (const int step : unit.steps) unit_[static_cast<std::size_t>(step)] = units_;
    result_of_.push_back(unit.steps.back());
    ++units_;
  }

  // A step that only one unit reads may be a view, or multiply an operand by a number.
  void add_operand(std::size_t index) {
    const Step& step = plan_.steps[index];
    if (unit_[index] != kNone || step.kind != StepKind::kKernel) return;
    const bool view = rearranges(plan_, *step.node);
    if (!view && !scales(plan_, *step.node)) return;
    unit_[index] = only_reader(step);
    view_[index] = view && unit_[index] != kNone;
  }

  int only_reader(const Step& step) const {
    int reader = kNone;
    for (const TensorId out : step.node->outputs) {
      if (out == kNoTensor) continue;
      if (graph_.is_result(plan_.root(out))) return kNone;
      for (const int user : graph_.users(plan_.root(out))) {
        const int unit = unit_[static_cast<std::size_t>(user)];
        if (unit == kNone || (reader != kNone && unit != reader)) return kNone;
        reader = unit;
      }
    }
    return reader;
  }

  bool reads_result(std::size_t index) const {
    const Step& step = plan_.steps[index];
    const int producer = graph_.producer(graph_.value(step, step.node->inputs[0]));
    return std::find(result_of_.begin(), result_of_.end(), producer) != result_of_.end();
  }

  const ExecutionPlan& plan_;
  const ValueGraph graph_;
  std::vector<int> unit_;
  std::vector<bool> view_;
  std::vector<int> result_of_;  // by unit: the last step
  int units_ = 0;
};

// The kernels of one unit in one pass.
struct Parts {
  std::vector<const KernelCost*> kernels;

  KernelCost sum() const {
    KernelCost one = *kernels.front();
    one.op = "Attention";
    one.op_class = OpClass::kAttention;
    for (const KernelCost* kernel : kernels) {
      if (kernel == kernels.front()) continue;
      one.work_flop += kernel->work_flop;
      one.work_int_op += kernel->work_int_op;
      one.macs += kernel->macs;
      one.read_bytes += kernel->read_bytes;
      one.write_bytes += kernel->write_bytes;
      one.weight_bytes += kernel->weight_bytes;
    }
    return one;
  }
};

KernelCost forward_kernel(const Parts& parts) {
  KernelCost one = parts.sum();
  const KernelCost& last = *parts.kernels.back();
  // The results of all parts but the last one are read once and stay on the chip.
  one.read_bytes = std::max(0.0, one.read_bytes - (one.write_bytes - last.write_bytes));
  one.write_bytes = last.write_bytes;
  one.output_elements = last.output_elements;
  one.output_channels = last.output_channels;
  one.row_length = last.row_length;
  return one;
}

// Reads the operands, the result and its gradient, and writes the gradients of the operands.
KernelCost backward_kernel(const Parts& parts, const Parts& forward) {
  KernelCost one = parts.sum();
  const KernelCost ahead = forward_kernel(forward);
  const KernelCost& last = *forward.kernels.back();
  one.work_flop += ahead.work_flop - last.work_flop;
  one.work_int_op += ahead.work_int_op - last.work_int_op;
  one.macs += ahead.macs - last.macs;
  one.read_bytes = ahead.read_bytes + 2 * ahead.write_bytes;
  one.write_bytes = ahead.read_bytes - ahead.weight_bytes;
  one.output_elements = ahead.output_elements;
  one.launches = ahead.launches;
  return one;
}

}  // namespace

std::vector<KernelCost> with_fused_attention(const std::vector<KernelCost>& kernels,
                                             const ExecutionPlan& plan) {
  const AttentionFinder found(plan);
  if (found.count() == 0) return kernels;
  std::vector<Parts> forward(found.count()), backward(found.count());
  const auto unit_of = [&](const KernelCost& kernel) {
    return kernel.phase == Phase::kOptimizer ? AttentionFinder::kNone : found.unit_of(kernel.node);
  };
  // The gradient of a view that selects is a copy into the gradient of the whole.
  const auto is_view = [&](const KernelCost& kernel) {
    return kernel.phase != Phase::kOptimizer && found.is_view(kernel.node) &&
           (kernel.phase == Phase::kForward || kernel.op == "Transpose");
  };
  for (const KernelCost& kernel : kernels) {
    const int unit = unit_of(kernel);
    if (unit == AttentionFinder::kNone) continue;
    auto& parts = kernel.phase == Phase::kForward ? forward : backward;
    parts[static_cast<std::size_t>(unit)].kernels.push_back(&kernel);
  }
  std::vector<KernelCost> fused;
  for (const KernelCost& kernel : kernels) {
    const int unit = unit_of(kernel);
    if (unit != AttentionFinder::kNone) {
      const Parts& ahead = forward[static_cast<std::size_t>(unit)];
      const Parts& behind = backward[static_cast<std::size_t>(unit)];
      if (&kernel == ahead.kernels.back()) {
        fused.push_back(forward_kernel(ahead));
      } else if (kernel.phase == Phase::kBackward && &kernel == behind.kernels.front()) {
        fused.push_back(backward_kernel(behind, ahead));
      }
      continue;
    }
    if (!is_view(kernel)) fused.push_back(kernel);
  }
  return fused;
}

}  // namespace ridgewatt::workload
