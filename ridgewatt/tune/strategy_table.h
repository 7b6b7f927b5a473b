// A table of strategies with one row for each. Names, help texts, errors and tests are derived from
// the rows. A new strategy needs one function and one row.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/error.h"

#pragma GCC visibility push(default)

namespace ridgewatt::tune {

// `Context` is the class of the search, such as Search.
template <class Context>
struct StrategyRow {
  std::string_view name;
  std::string_view description = {};  // one line
  // Profiles points of the search until none is worth trying. The best point is the answer.
  std::function<void(Context&)> run;
  bool every_point = false;  // tries all points regardless of the budget
  // Whether it has predictions before the first profile, so that it can learn from other workloads.
  bool uses_prior = false;
  bool remembers = false;    // uses the results of earlier searches
  bool stops_early = false;  // stops when the expected gain is small or the answer is near the best
  bool in_parallel = false;  // can choose a point while others are in flight
  bool learns_front = false;  // whether its profiles are also useful for goals with other limits
};

template <class Context>
std::vector<std::string_view> names_of(std::span<const StrategyRow<Context>> rows) {
  std::vector<std::string_view> names;
  for (const auto& row : rows) names.push_back(row.name);
  return names;
}

// Joins names: "als, thompson and auto".
std::string listed(std::span<const std::string_view> names, std::string_view last_word);

// The names of all rows: "maxn, random or auto".
template <class Context>
std::string listed_names(std::span<const StrategyRow<Context>> rows, std::string_view last_word) {
  return listed(names_of(rows), last_word);
}

// The names of the rows in which a field is true: "als and auto".
template <class Context>
std::string names_where(std::span<const StrategyRow<Context>> rows,
                        bool StrategyRow<Context>::*field) {
  std::vector<StrategyRow<Context>> chosen;
  for (const auto& row : rows) {
    if (row.*field) chosen.push_back(row);
  }
  return listed_names<Context>(chosen, "and");
}

// Throws UsageError that lists all names.
template <class Context>
const StrategyRow<Context>& find_row(std::span<const StrategyRow<Context>> rows,
                                     std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  throw UsageError("unknown strategy '" + std::string(name) + "'", "",
                   "choose one of " + listed_names(rows, "or"));
}

}  // namespace ridgewatt::tune

#pragma GCC visibility pop
