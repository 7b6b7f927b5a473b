#include "ridgewatt/workload/cost/eager_kernels.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/workload/cost/eager_attention.h"
#include "ridgewatt/workload/runtimes/activations.h"
#include "ridgewatt/workload/runtimes/idioms.h"
#include "ridgewatt/workload/runtimes/units.h"

namespace ridgewatt::workload {
namespace {

constexpr Idiom kNormalizations[] = {
    {"LayerNormalization", OpClass::kNormalization, idioms::kLayerNorm},
    {"RMSNormalization", OpClass::kNormalization, idioms::kRmsNorm}};
constexpr RuntimeRules kExported{.idioms = kNormalizations, .activations = activations::kByEager};

// The operator that PyTorch's exporter writes.
std::string_view exported(const IdiomNode& node) {
  return node.ops.substr(0, node.ops.find('|'));
}

// In the backward pass, the operators are in reverse order.
bool matches(std::span<const KernelCost> kernels, const Idiom& pattern) {
  const std::size_t count = pattern.nodes.size();
  if (kernels.size() < count) return false;
  const bool backward = kernels[0].phase == Phase::kBackward;
  for (std::size_t i = 0; i < count; ++i) {
    const auto wanted = exported(pattern.nodes[backward ? count - 1 - i : i]);
    if (kernels[i].op != wanted || kernels[i].phase != kernels[0].phase) return false;
  }
  // A squeeze-and-excitation gate is smaller than the product that it scales: this is no SiLU.
  return count != 2 || kernels[0].output_elements == kernels[1].output_elements;
}

KernelCost joined(std::span<const KernelCost> kernels, const Idiom& pattern) {
  KernelCost one = kernels.front();
  one.op = pattern.name;
  one.op_class = pattern.op_class;
  one.launches = 1;
  for (const auto& kernel : kernels.subspan(1)) {
    one.work_flop += kernel.work_flop;
    one.work_int_op += kernel.work_int_op;
    one.output_elements = std::max(one.output_elements, kernel.output_elements);
  }
  // Reads one tensor and writes one. The gradient reads the input and the output's gradient.
  one.write_bytes = kernels.back().write_bytes;
  one.read_bytes = (one.phase == Phase::kBackward ? 2 : 1) * one.write_bytes;
  return one;
}

// True for a product with weights and the addition of its bias. The gradient of the bias is a sum,
// which is a kernel of its own.
bool is_linear_layer(std::span<const KernelCost> kernels) {
  if (kernels.size() < 2 || kernels[0].phase != Phase::kForward) return false;
  return kernels[0].op == "MatMul" && kernels[0].weight_bytes > 0 && kernels[1].op == "Add" &&
         kernels[1].weight_bytes > 0 && kernels[1].output_elements == kernels[0].output_elements;
}

KernelCost with_bias(const KernelCost& product, const KernelCost& addition) {
  KernelCost linear = product;
  linear.op = "Gemm";
  linear.work_flop += addition.work_flop;
  linear.read_bytes += addition.weight_bytes;
  linear.weight_bytes += addition.weight_bytes;
  return linear;
}

}  // namespace

WorkloadCost eager_kernels(const WorkloadCost& unfused, const ExecutionPlan& plan) {
  WorkloadCost eager = unfused;
  eager.kernels.clear();
  static const std::vector<Idiom> kPatterns = idioms_of(kExported, kInAll);
  const std::vector<KernelCost> attending = with_fused_attention(unfused.kernels, plan);
  const std::span<const KernelCost> kernels(attending);
  for (std::size_t k = 0; k < kernels.size();) {
    if (is_linear_layer(kernels.subspan(k))) {
      eager.kernels.push_back(with_bias(kernels[k], kernels[k + 1]));
      k += 2;
      continue;
    }
    const auto pattern = std::find_if(kPatterns.begin(), kPatterns.end(), [&](const Idiom& one) {
      return matches(kernels.subspan(k), one);
    });
    if (pattern == kPatterns.end()) {
      eager.kernels.push_back(kernels[k++]);
      continue;
    }
    eager.kernels.push_back(joined(kernels.subspan(k, pattern->nodes.size()), *pattern));
    k += pattern->nodes.size();
  }
  return eager;
}

void refuse_training(Runtime runtime) {
  throw NotSupportedError(
      "training is modelled only for runtime pytorch-eager on a GPU, not for",
      std::string(name_of(runtime)),
      is_on_cpu(runtime) ? "omit --runtime, and name a board with a GPU" : "omit --runtime");
}

}  // namespace ridgewatt::workload
