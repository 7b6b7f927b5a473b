// Parallel convolutions: of one form, on one tensor, followed by the same function. They run as one
// with the channels of all (TensorRT writes "a || b").
#pragma once

#include <vector>

#include "ridgewatt/workload/runtimes/units.h"

namespace ridgewatt::workload {

struct Group;

class Siblings {
 public:
  // Finds none if the runtime does not join them. `graph` must outlive it.
  Siblings(const ValueGraph& graph, const std::vector<Unit>& units, bool joins);

  bool has(int step) const { return family_[static_cast<std::size_t>(step)] >= 0; }
  // Joins the kernels of each family into the first of them.
  std::vector<Group> merge(std::vector<Group> groups) const;

 private:
  const ValueGraph* graph_;
  std::vector<int> family_;  // by step: the first convolution of its family, or -1
};

}  // namespace ridgewatt::workload
