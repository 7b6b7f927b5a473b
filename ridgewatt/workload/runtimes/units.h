// Converts the steps of a plan into units: an idiom (fusion_rules.h) becomes one unit, and every
// other step is its own unit.
#pragma once

#include <string_view>
#include <vector>

#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

struct Unit {
  std::vector<int> steps;  // in the order of the plan
  std::string_view op;     // operator of the step, or name of the idiom
  OpClass op_class = OpClass::kOther;
  Fusion fusion = Fusion::kKernel;
};

// The idioms of a runtime for arithmetic of this width, activations last.
std::vector<Idiom> idioms_of(const RuntimeRules& rules, unsigned width);

// Returns units in a possible execution order.
std::vector<Unit> find_units(const ValueGraph& graph, const RuntimeRules& rules, unsigned width);

}  // namespace ridgewatt::workload
