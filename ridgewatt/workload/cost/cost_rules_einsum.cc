// Cost of Einstein sums.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ridgewatt/workload/cost/cost_rules.h"
#include "ridgewatt/workload/cost/cost_terms.h"

namespace ridgewatt::workload::cost {
namespace {

// Labels of an Einsum operand with their extents. The axes of an ellipsis are named by their
// distance from its end, so that they align between operands.
using Labels = std::map<std::string, double>;

void read_labels(std::string_view term, const Tensor& tensor, Labels& labels) {
  const auto rank = tensor.shape ? static_cast<int>(tensor.shape->size()) : 0;
  int named = 0;
  for (const char c : term) named += c != '.' && c != ' ' ? 1 : 0;
  int axis = 0;
  for (std::size_t i = 0; i < term.size(); ++i) {
    if (term[i] == ' ') continue;
    if (term[i] != '.') {
      double& known = labels[std::string(1, term[i])];
      known = std::max(known, extent(tensor, axis++));
      continue;
    }
    for (int left = rank - named; left > 0; --left) {
      double& known = labels["..." + std::to_string(left)];
      known = std::max(known, extent(tensor, axis++));
    }
    i += 2;
  }
}

double volume(const Labels& labels) {
  double product = 1;
  for (const auto& [label, length] : labels) product *= length;
  return product;
}

// Removes the labels that no other term needs. Returns the additions of these sums.
double sum_out(Labels& term, const std::vector<const Labels*>& others) {
  const double all = volume(term);
  const std::size_t before = term.size();
  std::erase_if(term, [&](const auto& label) {
    return std::none_of(others.begin(), others.end(),
                        [&](const Labels* other) { return other->contains(label.first); });
  });
  return term.size() < before ? all : 0;
}

struct EinsumTerms {
  std::vector<Labels> operands;
  Labels result;
  bool known = true;  // whether all extents are known
};

EinsumTerms read_terms(const OpContext& op) {
  EinsumTerms terms;
  const std::string equation(op.node().text("equation", ""));
  const std::size_t arrow = std::min(equation.find("->"), equation.size());
  std::map<std::string, int> uses;
  for (std::size_t begin = 0; begin <= arrow && terms.operands.size() < op.input_count();) {
    const auto end = std::min(equation.find(',', begin), arrow);
    const Tensor& operand = op.input(terms.operands.size());
    terms.known = terms.known && operand.has_static_shape();
    Labels& labels = terms.operands.emplace_back();
    read_labels(std::string_view(equation).substr(begin, end - begin), operand, labels);
    for (const auto& [label, length] : labels) ++uses[label];
    begin = end + 1;
  }
  const std::string_view output = std::string_view(equation).substr(arrow);
  for (const auto& [label, count] : uses) {
    const bool from_ellipsis = label.front() == '.';
    const bool named = output.find(from_ellipsis ? "..." : label) != std::string_view::npos;
    if (output.empty() ? from_ellipsis || count == 1 : named) terms.result[label] = 1;
  }
  return terms;
}

// The operands are multiplied from left to right, two at a time, as ONNX Runtime and PyTorch do.
// Before a product, each factor is summed over the labels that occur nowhere else.
OpCost einsum(const OpContext& op, Terms& t) {
  EinsumTerms terms = read_terms(op);
  std::vector<Labels>& operands = terms.operands;
  const double outputs = outputs_of(op, t);
  double macs = 0, sums = 0, depth = 0;
  Labels left = operands.empty() ? Labels() : operands.front();
  for (std::size_t i = 1; i < operands.size(); ++i) {
    std::vector<const Labels*> rest = {&terms.result};
    for (std::size_t k = i + 1; k < operands.size(); ++k) rest.push_back(&operands[k]);
    std::vector<const Labels*> beyond_left = rest, beyond_right = rest;
    beyond_left.push_back(&operands[i]);
    sums += sum_out(left, beyond_left);
    beyond_right.push_back(&left);
    sums += sum_out(operands[i], beyond_right);
    for (const auto& [label, length] : operands[i]) left[label] = std::max(left[label], length);
    const double combinations = volume(left);
    sum_out(left, rest);
    macs += combinations;
    depth = std::max(depth, combinations / std::max(volume(left), 1.0));
  }
  if (operands.size() < 2) sums = volume(left);
  macs = t("products", terms.known ? macs : kUnknown);
  sums = t("sums", terms.known ? sums : kUnknown);
  return {macs, 2 * macs + sums, outputs > 0 ? depth : 0};
}

}  // namespace

const CostRule kEinsum = rule(OpClass::kGemm, einsum, "2 * products + sums", Fusion::kKernel,
                              contraction_gradients(Saved::kOtherInputs));

}  // namespace ridgewatt::workload::cost
