// Finds the cost rule of an operator.
#pragma once

#include <span>
#include <string_view>

#include "ridgewatt/workload/cost_rule.h"

namespace ridgewatt::workload {

struct CostEntry {
  std::string_view name;
  const CostRule* rule;
  std::string_view domain = "";
};

// All operators that have a rule, sorted by domain and name.
std::span<const CostEntry> cost_table();

// Returns the rule of an operator; null if there is none.
const CostRule* find_cost_rule(std::string_view domain, std::string_view name);

}  // namespace ridgewatt::workload
