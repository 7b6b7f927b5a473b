#include <algorithm>
#include <cctype>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {
namespace {

bool is_name_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_name_part(char c) {
  return is_name_start(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Returns the formula with each term replaced by its value.
std::string substitute(std::string_view formula, const Terms::Recorded& terms) {
  std::string text;
  for (std::size_t i = 0; i < formula.size();) {
    if (!is_name_start(formula[i])) {
      text += formula[i++];
      continue;
    }
    std::size_t end = i;
    while (end < formula.size() && is_name_part(formula[end])) ++end;
    const auto name = formula.substr(i, end - i);
    const auto term = std::find_if(terms.begin(), terms.end(),
                                   [&](const auto& entry) { return entry.first == name; });
    text += term == terms.end() ? std::string(name) : format_exact(term->second);
    i = end;
  }
  return text;
}

std::string why_free(StepKind kind) {
  switch (kind) {
    case StepKind::kFolded:
      return "folded: it depends only on constants and shapes";
    case StepKind::kView:
      return "a view: its output is its input with another shape";
    case StepKind::kUnpriced:
      return "no cost: a required dimension is not known";
    case StepKind::kKernel:
      break;
  }
  return "";
}

}  // namespace

Explanation explain_node(const Analysis& analysis, std::string_view node) {
  const auto& steps = analysis.plan.steps;
  const auto step =
      std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.node->name == node; });
  if (step == steps.end()) {
    throw NotFoundError("the model has no node of this name", escape_terminal(node),
                        "use a name that 'ridgewatt analyze --per-layer' prints");
  }
  Explanation explanation;
  explanation.node = step->node->name;
  explanation.op = step->node->op;
  explanation.count = step->count;
  if (step->rule == nullptr) {
    explanation.remark = "no cost: there is no rule for the operator";
    return explanation;
  }
  explanation.remark = why_free(step->kind);
  explanation.formula = step->rule->formula;
  if (step->kind != StepKind::kKernel) return explanation;
  Terms terms(&explanation.terms);
  explanation.cost = step->rule->forward(OpContext(*analysis.plan.model, *step->node), terms);
  explanation.substituted = substitute(explanation.formula, explanation.terms);
  return explanation;
}

}  // namespace ridgewatt::workload
