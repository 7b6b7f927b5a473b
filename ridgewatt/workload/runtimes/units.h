// Converts steps of a plan into the intended operators: idioms are combined, other steps are
// unchanged.
#pragma once

#include <string_view>
#include <vector>

#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

struct Unit {
  std::vector<int> steps;  // in the order of the plan
  std::string_view op;     // of the step, or the idiom's name
  OpClass op_class = OpClass::kOther;
  Fusion fusion = Fusion::kKernel;
  bool is_idiom = false;
};

// In the order in which they can run.
std::vector<Unit> find_units(const ValueGraph& graph, std::span<const Idiom> idioms,
                             unsigned width);

}  // namespace ridgewatt::workload
