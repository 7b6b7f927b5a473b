#include "ridgewatt/workload/kernel_fusion.h"

#include <algorithm>

#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {
namespace {

double count_of(const Tensor& tensor) {
  return static_cast<double>(tensor.element_count().value_or(0));
}

double last_extent(const Tensor& tensor) {
  return tensor.shape && !tensor.shape->empty() ? static_cast<double>(tensor.shape->back()) : 1;
}

// True if the operator reduces along the last axis of its first input and along no other.
bool is_along_rows(const ExecutionPlan& plan, const Node& node) {
  const Tensor& x = plan.tensor(node.inputs[0]);
  if (!x.shape || x.shape->empty()) return false;
  const auto last = static_cast<std::int64_t>(x.shape->size()) - 1;
  const auto is_last = [&](std::int64_t axis) { return axis == -1 || axis == last; };
  if (node.op.starts_with("Reduce")) {
    const auto* axes = node.integers("axes");
    if (axes == nullptr && node.inputs.size() > 1 && node.inputs[1] != kNoTensor) {
      const auto& content = plan.tensor(node.inputs[1]).constant;
      axes = content ? &content->ints : nullptr;
    }
    return axes != nullptr && axes->size() == 1 && is_last((*axes)[0]);
  }
  // Softmax over all axes from 1 on.
  const bool flattens = node.op.ends_with("max") && node.opset < 13;
  return is_last(node.integer("axis", flattens ? 1 : -1));
}

class Fuser {
 public:
  Fuser(const ExecutionPlan& plan, const FusionOptions& options) : plan_(plan), options_(options) {
    result_.kernel_of.assign(plan.steps.size(), -1);
  }

  Kernels run() {
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      if (step.kind != StepKind::kKernel && step.kind != StepKind::kUnpriced) continue;
      if (!step.node->subgraphs.empty()) continue;  // its bodies are in the plan
      const Fusion fusion = fusion_of(step);
      int kernel = options_.enabled ? joinable_kernel(step, fusion) : -1;
      if (kernel < 0) kernel = start_kernel(step, fusion);
      result_.kernels[static_cast<std::size_t>(kernel)].steps.push_back(static_cast<int>(i));
      result_.kernel_of[i] = kernel;
    }
    return std::move(result_);
  }

 private:
  Fusion fusion_of(const Step& step) const {
    if (step.kind == StepKind::kUnpriced) return Fusion::kAlone;
    Fusion fusion = step.rule->fusion;
    // Statistics of the batch need a separate pass.
    const bool training = options_.kind == WorkloadKind::kTraining;
    if (training && step.rule->training_flops > 0) {
      return fusion == Fusion::kView ? Fusion::kPointwise : Fusion::kKernel;
    }
    if (fusion == Fusion::kRowwise && !is_along_rows(plan_, *step.node)) fusion = Fusion::kKernel;
    return fusion;
  }

  int start_kernel(const Step& step, Fusion fusion) {
    Kernel kernel;
    kernel.scope = step.scope;
    kernel.pointwise = fusion == Fusion::kPointwise || fusion == Fusion::kRowwise;
    if (fusion == Fusion::kRowwise) {
      const Tensor& x = plan_.tensor(step.node->inputs[0]);
      kernel.elements = count_of(x);
      kernel.row_length = last_extent(x);
    } else if (fusion != Fusion::kAlone && step.node->outputs[0] != kNoTensor) {
      kernel.elements = count_of(plan_.tensor(step.node->outputs[0]));
    }
    result_.kernels.push_back(std::move(kernel));
    return static_cast<int>(result_.kernels.size()) - 1;
  }

  int kernel_that_computes(TensorId id) const {
    const int step = plan_.producer_of(plan_.root(id));
    return step < 0 ? -1 : result_.kernel_of[static_cast<std::size_t>(step)];
  }

  // Returns the kernel that the step joins, or -1.
  int joinable_kernel(const Step& step, Fusion fusion) {
    if (fusion != Fusion::kPointwise && fusion != Fusion::kRowwise) return -1;
    int latest = -1;
    for (const TensorId in : step.node->inputs) {
      if (in != kNoTensor) latest = std::max(latest, kernel_that_computes(in));
    }
    if (latest < 0) return -1;
    Kernel& kernel = result_.kernels[static_cast<std::size_t>(latest)];
    if (kernel.scope != step.scope || kernel.elements == 0) return -1;
    const bool joins = fusion == Fusion::kRowwise ? joins_rows(kernel, step)
                                                  : joins_elements(kernel, latest, step);
    return joins ? latest : -1;
  }

  static bool is_rows_scalar(const Kernel& kernel, double elements) {
    return kernel.row_length > 0 && elements * kernel.row_length == kernel.elements;
  }

  bool joins_elements(const Kernel& kernel, int index, const Step& step) const {
    const double outputs = count_of(plan_.tensor(step.node->outputs[0]));
    if (is_rows_scalar(kernel, outputs)) return true;
    if (outputs != kernel.elements) return false;
    if (kernel.row_length > 0) return true;
    return std::any_of(step.node->inputs.begin(), step.node->inputs.end(), [&](TensorId in) {
      return in != kNoTensor && kernel_that_computes(in) == index &&
             count_of(plan_.tensor(in)) == outputs;
    });
  }

  bool joins_rows(Kernel& kernel, const Step& step) const {
    const Tensor& x = plan_.tensor(step.node->inputs[0]);
    const double row = last_extent(x);
    if (!kernel.pointwise || count_of(x) != kernel.elements) return false;
    if (kernel.row_length > 0 && kernel.row_length != row) return false;
    kernel.row_length = row;
    return true;
  }

  const ExecutionPlan& plan_;
  FusionOptions options_;
  Kernels result_;
};

}  // namespace

Kernels fuse(const ExecutionPlan& plan, const FusionOptions& options) {
  return Fuser(plan, options).run();
}

}  // namespace ridgewatt::workload
