#include "ridgewatt/workload/runtimes/runtime_kernels.h"

#include <algorithm>

#include "ridgewatt/base/sort.h"
#include "ridgewatt/workload/runtimes/formats.h"
#include "ridgewatt/workload/runtimes/groups.h"
#include "ridgewatt/workload/runtimes/in_place.h"
#include "ridgewatt/workload/runtimes/runtime_views.h"
#include "ridgewatt/workload/runtimes/runtime_widths.h"

namespace ridgewatt::workload {
namespace {

unsigned width_of(Precision precision) {
  const int bits = arithmetic_row(precision).bits;
  return bits >= 32 ? kIn32 : bits >= 16 ? kIn16 : kIn8;
}

OpClass class_of_unit(const ExecutionPlan& plan, const Unit& unit) {
  const Step& step = plan.steps[static_cast<std::size_t>(unit.steps.front())];
  if (unit.op_class == OpClass::kConv && is_depthwise(plan, step)) return OpClass::kDepthwiseConv;
  return unit.op_class;
}

int rank_of(const Unit& unit) {
  return kOpClassRows[unit.op_class].rank;
}

std::string name_of_group(const ExecutionPlan& plan, const Group& group) {
  std::string name;
  int siblings = 0;
  for (const Unit& unit : group.units) {
    const bool sibling = group.siblings > 1 && unit.op == group.head().op && siblings++ > 0;
    for (const int step : unit.steps) {
      if (!name.empty()) name += sibling && step == unit.steps.front() ? " || " : " + ";
      name += plan.steps[static_cast<std::size_t>(step)].node->name;
    }
  }
  return name;
}

// Puts the steps of the main unit first.
Kernel kernel_of_group(const Group& group, const Unit& main) {
  Kernel kernel;
  kernel.scope = group.scope;
  kernel.elements = group.elements;
  kernel.row_length = group.row_length;
  kernel.steps = main.steps;
  for (const Unit& unit : group.units) {
    if (&unit != &main)
      kernel.steps.insert(kernel.steps.end(), unit.steps.begin(), unit.steps.end());
  }
  return kernel;
}

void add_kernel(const ExecutionPlan& plan, const Group& group, RuntimeKernels& lowered) {
  const Unit& main =
      *std::max_element(group.units.begin(), group.units.end(),
                        [](const Unit& a, const Unit& b) { return rank_of(a) < rank_of(b); });
  const int index = static_cast<int>(lowered.kernels.kernels.size());
  for (const Unit& unit : group.units) {
    for (const int step : unit.steps) {
      lowered.kernels.kernel_of[static_cast<std::size_t>(step)] = index;
    }
  }
  lowered.kernels.kernels.push_back(kernel_of_group(group, main));
  lowered.labels.push_back({.name = name_of_group(plan, group),
                            .op = std::string(main.op),
                            .op_class = class_of_unit(plan, main)});
}

int bits_of(const ExecutionPlan& plan, const RuntimeKernels& lowered, TensorId id) {
  const DataType type = plan.tensor(id).dtype;
  const int own = lowered.bits[static_cast<std::size_t>(plan.root(id))];
  return own > 0 && is_floating(type) ? own : lowered.widths.bits(type, plan.is_constant(id));
}

std::vector<Group> fused_groups(const ExecutionPlan& plan, const RuntimeRules& rules,
                                unsigned width) {
  const ValueGraph graph(plan);
  return group_units(graph, find_units(graph, rules, width), rules, width);
}

}  // namespace

RuntimeKernels lower(ExecutionPlan& plan, const RuntimeTarget& target) {
  const RuntimeRules& rules = runtime_rules(target.runtime);
  RuntimeKernels lowered;
  set_views(plan, rules);
  std::vector<Group> groups = fused_groups(plan, rules, width_of(target.precision));
  InPlace in_place = write_in_place(plan, rules, groups);
  lowered.copies = std::move(in_place.copies);
  lowered.kept = std::move(in_place.kept);
  lowered.kernels.kernel_of.assign(plan.steps.size(), -1);
  for (const Group& group : groups) add_kernel(plan, group, lowered);
  const ValueGraph graph(plan);
  set_arithmetic(plan, graph, target, lowered);
  for (LayoutCopy& copy : lowered.copies) {
    copy.read_bits = bits_of(plan, lowered, copy.source);
    copy.write_bits = bits_of(plan, lowered, copy.target);
  }
  if (rules.formats) add_format_copies(graph, lowered);
  if (rules.blocks) add_block_copies(graph, lowered);
  sort_stably(lowered.copies,
              [](const LayoutCopy& a, const LayoutCopy& b) { return a.before < b.before; });
  return lowered;
}

}  // namespace ridgewatt::workload
