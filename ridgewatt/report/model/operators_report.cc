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
      return "kernel that nothing joins";
  }
  return "";
}

constexpr std::string_view kHead =
    R"(# Operators

What Ridgewatt knows of every operator, printed by `ridgewatt operators` from the rules themselves.

* **Operations** of one forward execution. `inputs` and `outputs` are the elements of the first
  input and of the first output; other terms are extents or attributes that
  `ridgewatt analyze MODEL --explain NODE` prints with their values: `channels` and `window` of a
  convolution are those that one output (of a transposed convolution: one input) meets, `k` is the
  length of a product's sum, `bias` and `peepholes` are 1 where they are present, `extra`
  is what else is fused (a scale, an addend, an activation: 1 each). A multiply-accumulate (MAC)
  is two operations.
* **Gradient**: operations of the backward pass, for every operand that wants one, or for all
  together where they are computed at once.
* **Training**: forward operations where they differ from inference (statistics of the batch).
* **Kernel**: what happens in the `fused` traffic model.

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
