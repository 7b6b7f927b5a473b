// Combines units (units.h) into kernels by the chains of a runtime.
#pragma once

#include <vector>

#include "ridgewatt/workload/runtimes/units.h"

namespace ridgewatt::workload {

struct Group {
  std::vector<Unit> units;  // the head first
  const Chain* chain = nullptr;
  int scope = 0;
  std::size_t link = 0;       // index of the last link taken
  bool has_residual = false;  // a tensor of the result's size is added at the end of the kernel
  bool has_wide_residual = false;  // the tensor is in floating point
  double elements = 0;             // number of results
  double row_length = 0;           // length of the rows kept on chip; 0: none
  int siblings = 1;                // number of parallel convolutions in the kernel
  const Unit& head() const { return units.front(); }
};

// Returns groups in a possible execution order.
std::vector<Group> group_units(const ValueGraph& graph, std::vector<Unit> units,
                               const RuntimeRules& rules, unsigned width);

// True if the convolution reads an image: at most four channels.
bool reads_image(const ExecutionPlan& plan, const Step& step);

// True for a convolution with few channels per group.
bool is_depthwise(const ExecutionPlan& plan, const Step& step);

}  // namespace ridgewatt::workload
