// The reference of all operators, generated from their rules.
#include <set>

#include "ridgewatt/base/text.h"
#include "ridgewatt/report/analysis_report.h"
#include "ridgewatt/workload/cost_table.h"

namespace ridgewatt::report {
namespace {

std::string gradient_text(const workload::CostRule& rule) {
  const std::string flops = format_exact(rule.gradient_flops);
  switch (rule.gradient) {
    case workload::Gradient::kNone:
      return "none";
    case workload::Gradient::kPass:
      return "0";
    case workload::Gradient::kPerInput:
      return rule.gradient_flops == 0 ? "0" : flops + " * outputs per operand";
    case workload::Gradient::kOnce:
      return flops + " * inputs";
    case workload::Gradient::kContraction:
      return "2 * MACs per operand";
  }
  return "";
}

std::string fusion_text(const workload::CostRule& rule) {
  switch (rule.fusion) {
    case workload::Fusion::kView:
      return "no kernel";
    case workload::Fusion::kPointwise:
      return "joins its producer";
    case workload::Fusion::kRowwise:
      return "joins work on the same rows";
    case workload::Fusion::kKernel:
      return "kernel";
    case workload::Fusion::kAlone:
      return "kernel that no operator joins";
  }
  return "";
}

constexpr std::string_view kHead =
    R"(# Operators

The cost rule of every operator. `ridgewatt operators` prints this page from the rules.

* **Operations** of one forward execution. `inputs` and `outputs` are the numbers of elements of the
  first input and the first output. Other terms are dimensions or attributes, whose values
  `ridgewatt analyze MODEL --explain NODE` prints. `channels` and `window` of a convolution count
  what contributes to one output (of a transposed convolution: what one input contributes to). `k`
  is the number of terms of each sum of a product. `bias` and `peepholes` are 1 if they are present.
  `extra` counts fused operations (a scale, an addition, an activation: 1 each). An `Einsum`
  multiplies two operands at a time (`products`: MACs), after `sums` over the indices of only one
  operand. A multiply-accumulate (MAC) is two operations.
* **Gradient**: operations of the backward pass, for each operand that needs a gradient, or for all
  operands if they are computed together.
* **Training**: operations of the forward pass if they differ from inference (statistics of the
  batch).
* **Kernel**: how the operator is fused in the `fused` traffic model.

An operator that is not in the table is reported under `unsupported`.

| operator | class | operations | gradient | training | kernel |
|---|---|---|---|---|---|
)";

}  // namespace

std::string operators_markdown() {
  std::string text(kHead);
  for (const workload::CostEntry& entry : workload::cost_table()) {
    const workload::CostRule& rule = *entry.rule;
    text += "| ";
    if (!entry.domain.empty()) text += std::string(entry.domain) + ".";
    text += std::string(entry.name) + " | " + std::string(name_of(rule.op_class)) + " | " +
            std::string(rule.formula) + " | " + gradient_text(rule) + " | " +
            (rule.training_flops > 0 ? format_exact(rule.training_flops) + " * inputs" : "") +
            " | " + fusion_text(rule) + " |\n";
  }
  return text;
}

}  // namespace ridgewatt::report
