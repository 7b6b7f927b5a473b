// Parses power budgets as a user writes them.
#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/evaluate/predictor_scores.h"

namespace ridgewatt::evaluate {

predict::PowerBudgets parse_budgets(const std::string& text) {
  const auto fields = split(text, ':');
  const auto least_w = parse_double(fields.front()), most_w = parse_double(fields.back());
  if (fields.size() > 2 || !least_w || !most_w) {
    throw UsageError(fmt::format("'{}' is not a range of power", text), "--budgets",
                     "give LEAST:MOST in W, for example 17:50");
  }
  const predict::PowerBudgets budgets{*least_w, *most_w, 1};
  budgets.values_w();  // throws if there are none
  return budgets;
}

}  // namespace ridgewatt::evaluate
