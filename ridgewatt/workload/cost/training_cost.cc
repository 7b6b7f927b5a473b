#include "ridgewatt/workload/training_cost.h"

#include <algorithm>
#include <set>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {
namespace {

// True if gradients flow through this input.
bool is_operand(const Step& step, std::size_t input) {
  // The bias of a contraction has a gradient, but no other gradient depends on it.
  return step.rule->gradient != Gradient::kContraction || input < 2;
}

std::vector<TensorId> trainable_behind(const ExecutionPlan& plan, const Step& step,
                                       std::size_t input) {
  auto weights = weights_behind(plan, step, input);
  std::erase_if(weights, [&](TensorId id) { return !is_floating(plan.tensor(id).dtype); });
  return weights;
}

// True if the step has a gradient. Integer work has one only on the result of a fake quantization:
// a gradient passes straight through it.
bool is_differentiable(const ExecutionPlan& plan, const GradientFlow& flow, const Step& step) {
  if (step.rule == nullptr || step.rule->gradient == Gradient::kNone) return false;
  if (step.kind != StepKind::kKernel) return false;
  if (!step.integer) return true;
  if (step.rule->gradient == Gradient::kContraction || step.node->inputs.empty()) return false;
  const TensorId in = step.node->inputs[0];
  return in != kNoTensor && flow.needed[static_cast<std::size_t>(plan.root(in))];
}

// True if an output of a differentiable step can have a gradient: a real number, or an integer that
// a fake quantization rounds it to.
bool can_have_gradient(const ExecutionPlan& plan, const Step& step, TensorId out) {
  return is_floating(plan.tensor(out).dtype) || step.integer || step.node->op == "QuantizeLinear";
}

class FlowFinder {
 public:
  explicit FlowFinder(const ExecutionPlan& plan) : plan_(plan) {
    flow_.needed.assign(plan.model->tensors.size(), false);
    is_saved_.assign(plan.model->tensors.size(), false);
  }

  GradientFlow run() {
    for (const Step& step : plan_.steps) {
      if (is_differentiable(plan_, flow_, step)) visit(step);
    }
    return std::move(flow_);
  }

 private:
  bool wants_gradient(const Step& step, std::size_t input) const {
    const TensorId id = step.node->inputs[input];
    if (id == kNoTensor) return false;
    return flow_.needed[static_cast<std::size_t>(plan_.root(id))] ||
           !trainable_behind(plan_, step, input).empty();
  }

  void visit(const Step& step) {
    const Node& node = *step.node;
    std::vector<bool> wants(node.inputs.size(), false);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      wants[i] = wants_gradient(step, i);
      for (const TensorId weight :
           wants[i] ? trainable_behind(plan_, step, i) : std::vector<TensorId>()) {
        if (seen_.insert(weight).second) flow_.trainable.push_back(weight);
      }
    }
    if (!contains(wants, true)) return;
    for (const TensorId out : node.outputs) {
      if (out != kNoTensor && can_have_gradient(plan_, step, out)) {
        flow_.needed[static_cast<std::size_t>(plan_.root(out))] = true;
      }
    }
    save(step, wants);
  }

  void save(const Step& step, const std::vector<bool>& wants) {
    const Node& node = *step.node;
    if (step.rule->saved == Saved::kOutput) keep(node.outputs[0]);
    if (step.rule->saved != Saved::kInputs && step.rule->saved != Saved::kOtherInputs) return;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      bool needed = step.rule->saved == Saved::kInputs;
      for (std::size_t j = 0; j < node.inputs.size() && !needed; ++j) {
        needed = j != i && wants[j] && is_operand(step, j);
      }
      if (needed && is_operand(step, i)) keep(node.inputs[i]);
    }
  }

  void keep(TensorId id) {
    if (id == kNoTensor || plan_.is_constant(plan_.root(id))) return;
    const auto root = static_cast<std::size_t>(plan_.root(id));
    if (is_saved_[root]) return;
    is_saved_[root] = true;
    flow_.saved.push_back(plan_.root(id));
  }

  const ExecutionPlan& plan_;
  GradientFlow flow_;
  std::vector<bool> is_saved_;
  std::set<TensorId> seen_;
};

// Walks the kernels backwards. Each gradient is stored in a buffer. An addition passes the buffer
// of its output on to its inputs, so several tensors may share a buffer.
class Backward {
 public:
  Backward(const ExecutionPlan& plan, const GradientFlow& flow, const TensorSizes& sizes)
      : plan_(plan), flow_(flow), sizes_(sizes) {
    gradient_.assign(plan.model->tensors.size(), kNone);
    for (const TensorId id : plan.model->graph.outputs) {
      const auto root = static_cast<std::size_t>(plan.root(id));
      if (flow.needed[root]) gradient_[root] = new_buffer(true);
    }
  }

  void visit(const Kernel& kernel) {
    const Step& head = step_at(kernel.steps[0]);
    if (kernel.steps.size() == 1 || kernel.pointwise) {
      visit_unit(kernel.steps);
      return;
    }
    visit_unit({kernel.steps.begin() + 1, kernel.steps.end()});
    if (is_differentiable(head)) visit_unit({kernel.steps[0]});
  }

  std::vector<KernelCost> take() { return std::move(kernels_); }

 private:
  static constexpr int kNone = -1;

  const Step& step_at(int index) const { return plan_.steps[static_cast<std::size_t>(index)]; }
  bool is_differentiable(const Step& step) const {
    return workload::is_differentiable(plan_, flow_, step);
  }
  int& gradient_of(TensorId id) { return gradient_[static_cast<std::size_t>(plan_.root(id))]; }
  bool needs(TensorId id) const {
    return id != kNoTensor && flow_.needed[static_cast<std::size_t>(plan_.root(id))];
  }
  int new_buffer(bool in_memory) {
    in_memory_.push_back(in_memory);
    return static_cast<int>(in_memory_.size()) - 1;
  }

  // Adds one backward kernel for steps that ran in one forward kernel, or two for a contraction.
  void visit_unit(const std::vector<int>& steps) {
    if (steps.size() == 1 && is_plain_contraction(step_at(steps[0]))) {
      visit_contraction(steps[0]);
      return;
    }
    begin_kernel(steps);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (is_differentiable(step_at(*step))) differentiate(step_at(*step));
    }
    end_kernel();
  }

  bool is_plain_contraction(const Step& step) const {
    return is_differentiable(step) && step.rule->gradient == Gradient::kContraction &&
           step.rule->saved == Saved::kOtherInputs;
  }

  void begin_kernel(const std::vector<int>& steps) {
    const Step& head = step_at(steps[0]);
    kernel_ = {};
    kernel_.name = head.node->name;
    kernel_.op = head.node->op;
    kernel_.op_class = head.rule != nullptr ? head.rule->op_class : OpClass::kOther;
    kernel_.phase = Phase::kBackward;
    kernel_.node = static_cast<std::size_t>(steps[0]);
    count_ = head.count;
    first_buffer_ = static_cast<int>(in_memory_.size());
    local_.clear();
    read_.clear();
    for (const int step : steps) {
      for (const TensorId out : step_at(step).node->outputs) {
        if (out != kNoTensor) local_.insert(plan_.root(out));
      }
    }
  }

  void end_kernel() {
    if (kernel_.read_bytes + kernel_.write_bytes + kernel_.work_flop == 0) return;
    kernel_.work_flop *= count_;
    kernel_.macs *= count_;
    kernel_.read_bytes *= count_;
    kernel_.write_bytes *= count_;
    kernel_.launches = static_cast<int>(count_);
    kernels_.push_back(kernel_);
  }

  // Returns the buffer of the gradient of a node's outputs. Counts a read if the buffer is in
  // memory. kNone: no gradient arrives.
  int read_output_gradients(const Step& step) {
    int buffer = kNone;
    for (const TensorId out : step.node->outputs) {
      if (out == kNoTensor || !needs(out) || gradient_of(out) == kNone) continue;
      buffer = gradient_of(out);
      // Batch statistics need a separate pass before the gradient can be computed.
      const double passes = is_batch_norm(step) ? 2 : 1;
      if (buffer < first_buffer_ && read_.insert({true, buffer}).second) {
        kernel_.read_bytes += passes * sizes_.gradient_bytes(out);
      }
    }
    return buffer;
  }

  static bool is_batch_norm(const Step& step) {
    return step.rule->op_class == OpClass::kNormalization && step.rule->training_flops > 0;
  }

  void read_saved(TensorId id, double passes) {
    if (id == kNoTensor) return;
    const TensorId root = plan_.root(id);
    if (plan_.is_constant(root)) {
      const TensorId stored = stored_constant(plan_, root);
      const bool scalar = sizes_.elements(stored) <= 1;
      if (!scalar && read_.insert({false, stored}).second) {
        kernel_.read_bytes += sizes_.bytes(stored);
      }
    } else if (read_.insert({false, root}).second) {
      kernel_.read_bytes += passes * std::min(sizes_.bytes(id), sizes_.bytes(root));
    }
  }

  void read_all_saved(const Step& step) {
    const double passes = is_batch_norm(step) ? 2 : 1;
    if (step.rule->saved == Saved::kOutput) read_saved(step.node->outputs[0], 1);
    if (step.rule->saved == Saved::kInputs || step.rule->saved == Saved::kOtherInputs) {
      const bool norm = step.rule->op_class == OpClass::kNormalization;
      for (std::size_t i = 0; i < step.node->inputs.size(); ++i) {
        if (!norm || i != 2)
          read_saved(step.node->inputs[i], passes);  // no gradient needs the bias
      }
    }
  }

  void differentiate(const Step& step) {
    const int buffer = read_output_gradients(step);
    if (buffer == kNone) return;
    const Node& node = *step.node;
    const double outputs = sizes_.elements(node.outputs[0]);
    bool computes = false;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const TensorId in = node.inputs[i];
      if (in == kNoTensor) continue;
      const auto weights = trainable_behind(plan_, step, i);
      if (!needs(in) && weights.empty()) continue;
      computes = true;
      if (step.rule->gradient == Gradient::kPerInput) {
        kernel_.work_flop += step.rule->gradient_flops * outputs;
        const double inputs = sizes_.elements(in);
        if (inputs < outputs && step.rule->gradient_flops == 0) kernel_.work_flop += outputs;
      }
      if (step.rule->gradient == Gradient::kContraction) {
        kernel_.macs += step.cost.macs;
        kernel_.work_flop += 2 * step.cost.macs;
      }
      for (const TensorId weight : weights) kernel_.write_bytes += sizes_.bytes(weight);
      if (needs(in)) hand_on(step, in, outputs, buffer);
    }
    if (!computes) return;
    if (step.rule->gradient == Gradient::kOnce) {
      kernel_.work_flop += step.rule->gradient_flops * sizes_.elements(node.inputs[0]);
    }
    if (!passes_unchanged(step)) read_all_saved(step);
    kernel_.output_elements = std::max(kernel_.output_elements, outputs);
  }

  static bool passes_unchanged(const Step& step) {
    return step.rule->gradient == Gradient::kPerInput && step.rule->gradient_flops == 0;
  }

  // Gives an input its gradient: the buffer of the output if the gradient passes unchanged,
  // otherwise a new buffer.
  void hand_on(const Step& step, TensorId in, double outputs, int buffer) {
    const bool same = passes_unchanged(step) && sizes_.elements(in) == outputs;
    if (!same) buffer = new_buffer(false);
    assign(in, buffer);
  }

  void assign(TensorId in, int buffer) {
    const TensorId root = plan_.root(in);
    int& current = gradient_of(in);
    const double own = sizes_.gradient_bytes(in), all = sizes_.gradient_bytes(root);
    const double part = std::min(own, all);
    const bool whole = own >= all;
    if (current != kNone && whole) {  // adds to the gradients from other consumers
      kernel_.work_flop += sizes_.elements(root);
      if (current < first_buffer_ && read_.insert({true, current}).second) {
        kernel_.read_bytes += part;
      }
      if (buffer < first_buffer_) buffer = new_buffer(false);
    }
    current = buffer;
    if (!local_.contains(root) && !in_memory_[static_cast<std::size_t>(buffer)]) {
      kernel_.write_bytes += part;
      in_memory_[static_cast<std::size_t>(buffer)] = true;
    }
  }

  // Adds a kernel for the gradient of each operand. The weights' kernel includes the bias.
  void visit_contraction(int index) {
    const Step& step = step_at(index);
    const Node& node = *step.node;
    for (std::size_t i = 0; i < std::min<std::size_t>(node.inputs.size(), 2); ++i) {
      const auto weights = trainable_behind(plan_, step, i);
      if (!needs(node.inputs[i]) && weights.empty()) continue;
      begin_kernel({index});
      if (read_output_gradients(step) == kNone) return;
      kernel_.name += weights.empty() ? " (data gradient)" : " (weight gradient)";
      kernel_.macs = step.cost.macs;
      kernel_.work_flop = 2 * step.cost.macs;
      kernel_.output_elements = sizes_.elements(node.inputs[i]);
      kernel_.reduction_length = step.cost.macs / std::max(1.0, kernel_.output_elements);
      if (node.inputs.size() > 1) read_saved(node.inputs[1 - i], 1);
      for (const TensorId weight : weights) kernel_.write_bytes += sizes_.bytes(weight);
      if (!weights.empty()) add_bias_gradient(step);
      if (needs(node.inputs[i])) assign(node.inputs[i], new_buffer(false));
      end_kernel();
    }
  }

  void add_bias_gradient(const Step& step) {
    for (std::size_t i = 2; i < step.node->inputs.size(); ++i) {
      if (step.node->inputs[i] == kNoTensor) continue;
      for (const TensorId bias : trainable_behind(plan_, step, i)) {
        kernel_.work_flop += sizes_.elements(step.node->outputs[0]);
        kernel_.write_bytes += sizes_.bytes(bias);
      }
    }
  }

  const ExecutionPlan& plan_;
  const GradientFlow& flow_;
  const TensorSizes& sizes_;
  std::vector<int> gradient_;    // buffer of the gradient, by root tensor
  std::vector<bool> in_memory_;  // by buffer: has been written
  std::vector<KernelCost> kernels_;
  // State of the kernel that is being built:
  KernelCost kernel_;
  double count_ = 1;
  int first_buffer_ = 0;                 // buffers from here on were created in this kernel
  std::set<TensorId> local_;             // tensors that the kernel's steps computed
  std::set<std::pair<bool, int>> read_;  // gradients (true) and tensors (false) read so far
};

}  // namespace

GradientFlow gradient_flow(const ExecutionPlan& plan) {
  return FlowFinder(plan).run();
}

std::vector<KernelCost> backward_kernels(const ExecutionPlan& plan, const Kernels& forward,
                                         const GradientFlow& flow, const TensorSizes& sizes) {
  Backward backward(plan, flow, sizes);
  for (auto kernel = forward.kernels.rbegin(); kernel != forward.kernels.rend(); ++kernel) {
    backward.visit(*kernel);
  }
  return backward.take();
}

OptimizerCost optimizer_cost(const ExecutionPlan& plan, const GradientFlow& flow,
                             const TensorSizes& sizes, const ElementWidths& precision,
                             Optimizer optimizer) {
  const double states = optimizer == Optimizer::kSgd        ? 0
                        : optimizer == Optimizer::kMomentum ? 1
                                                            : 2;
  const double flops = optimizer == Optimizer::kSgd        ? 2
                       : optimizer == Optimizer::kMomentum ? 4
                                                           : 12;
  OptimizerCost cost;
  KernelCost& kernel = cost.kernel;
  kernel.name = "optimizer";
  kernel.op = optimizer == Optimizer::kSgd        ? "SGD"
              : optimizer == Optimizer::kMomentum ? "SGD with momentum"
                                                  : "Adam";
  kernel.op_class = OpClass::kOptimizer;
  kernel.phase = Phase::kOptimizer;
  kernel.node = plan.steps.size();
  kernel.launches = static_cast<int>(flow.trainable.size());
  for (const TensorId id : flow.trainable) {
    const double elements = sizes.elements(id);
    const double low = sizes.bytes(id);
    const double own = precision.master_bits > 0 ? elements * precision.master_bits / 8 : low;
    kernel.output_elements += elements;
    kernel.work_flop += flops * elements;
    kernel.read_bytes += low + (1 + states) * own;  // gradient, parameter, state
    kernel.write_bytes += (1 + states) * own + (precision.master_bits > 0 ? low : 0);
    cost.gradient_bytes += low;
    cost.state_bytes += states * own + (precision.master_bits > 0 ? own : 0);
  }
  return cost;
}

}  // namespace ridgewatt::workload
