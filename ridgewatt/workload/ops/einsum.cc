#include "ridgewatt/workload/ops/einsum.h"

#include <algorithm>
#include <cctype>

namespace ridgewatt::workload {
namespace {

constexpr std::size_t kMaxEllipsis = 10;

struct Equation {
  std::vector<std::string> terms;  // an ellipsis is written '.'
  std::optional<std::string> output;
};

Equation parse(const OpContext& context) {
  Equation equation;
  equation.terms.emplace_back();
  std::string* term = &equation.terms.back();
  const std::string_view text = context.node().text("equation", "");
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',') {
      term = &equation.terms.emplace_back();
    } else if (text.substr(i, 2) == "->") {
      equation.output.emplace();
      term = &*equation.output;
      ++i;
    } else if (text.substr(i, 3) == "...") {
      term->push_back('.');
      i += 2;
    } else if (std::isalpha(static_cast<unsigned char>(text[i])) != 0) {
      term->push_back(text[i]);
    } else if (text[i] != ' ') {
      context.fail("the equation has an invalid character");
    }
  }
  return equation;
}

// Replaces the ellipsis in a term with digits that count down to '0', one per axis.
std::string spell(const OpContext& context, const std::string& term, std::size_t rank) {
  const std::size_t at = term.find('.');
  if (at == std::string::npos) {
    if (term.size() != rank) context.fail("the equation does not fit the rank of an input");
    return term;
  }
  if (term.size() - 1 > rank || rank - (term.size() - 1) > kMaxEllipsis) {
    context.fail("the equation does not fit the rank of an input");
  }
  std::string digits;
  for (std::size_t i = rank - (term.size() - 1); i-- > 0;) {
    digits.push_back(static_cast<char>('0' + i));
  }
  return term.substr(0, at) + digits + term.substr(at + 1);
}

}  // namespace

std::optional<EinsumPlan> plan_einsum(const OpContext& context) {
  const Equation equation = parse(context);
  if (equation.terms.size() != context.input_count()) {
    context.fail("the equation is for " + std::to_string(equation.terms.size()) +
                 " inputs, but the node has " + std::to_string(context.input_count()));
  }
  EinsumPlan plan;
  std::map<char, int> uses;
  std::string ellipsis;
  for (std::size_t i = 0; i < equation.terms.size(); ++i) {
    const auto& shape = context.input(i).shape;
    if (!shape) return std::nullopt;
    const std::string term = spell(context, equation.terms[i], shape->size());
    for (std::size_t axis = 0; axis < term.size(); ++axis) {
      const std::int64_t extent = (*shape)[axis];
      const auto [known, is_new] = plan.extents.try_emplace(term[axis], extent);
      if (!is_new) {
        if (extent > 1 && known->second > 1 && extent != known->second) {
          context.fail("index '" + std::string(1, term[axis]) +
                       "' stands for dimensions of different sizes");
        }
        known->second = std::max(known->second, extent);
      }
      ++uses[term[axis]];
      if (std::isdigit(static_cast<unsigned char>(term[axis])) != 0 &&
          ellipsis.find(term[axis]) == std::string::npos) {
        ellipsis.push_back(term[axis]);
      }
    }
  }
  std::sort(ellipsis.rbegin(), ellipsis.rend());
  std::string output;
  if (equation.output) {
    for (const char index : *equation.output) {
      if (index == '.') {
        output += ellipsis;
      } else {
        output.push_back(index);
      }
    }
  } else {  // all labels that occur once, in alphabetical order
    output = ellipsis;
    for (const auto& [index, count] : uses) {
      if (count == 1 && std::isalpha(static_cast<unsigned char>(index)) != 0) {
        output.push_back(index);
      }
    }
  }
  for (const char index : output) {
    const auto found = plan.extents.find(index);
    if (found == plan.extents.end()) context.fail("the output has an index that no input has");
    plan.output.push_back(found->second);
  }
  for (const auto& [index, extent] : plan.extents) {
    if (output.find(index) == std::string::npos) plan.summed.push_back(index);
  }
  return plan;
}

}  // namespace ridgewatt::workload
