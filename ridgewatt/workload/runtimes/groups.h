// Combines units into kernels by the chains of a runtime.
#pragma once

#include <vector>

#include "ridgewatt/workload/runtimes/units.h"

namespace ridgewatt::workload {

struct Group {
  std::vector<Unit> units;  // the head first
  const Chain* chain = nullptr;
  int scope = 0;
  std::size_t link = 0;            // the last one taken
  bool has_residual = false;       // a tensor of the result's size is added at its end
  bool has_wide_residual = false;  // and it is in floating point
  double elements = 0;             // of the grid of results
  double row_length = 0;           // of rows kept on chip; 0: none
  int siblings = 1;                // convolutions side by side in it
  const Unit& head() const { return units.front(); }
};

// In the order in which they can run.
std::vector<Group> group_units(const ValueGraph& graph, std::vector<Unit> units,
                               const RuntimeRules& rules, unsigned width);

// The convolution reads an image: at most four channels.
bool reads_image(const ExecutionPlan& plan, const Step& step);

// A convolution with few channels per group.
bool is_depthwise(const ExecutionPlan& plan, const Step& step);

}  // namespace ridgewatt::workload
