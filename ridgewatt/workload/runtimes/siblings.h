// Parallel convolutions have the same form, read the same tensor and are followed by the same
// function. They run as one convolution with all their channels (TensorRT names it "a || b").
#pragma once

#include <vector>

#include "ridgewatt/workload/runtimes/units.h"

namespace ridgewatt::workload {

struct Group;

class Siblings {
 public:
  // If `joins` is false, no convolutions are joined. `graph` must outlive this.
  Siblings(const ValueGraph& graph, const std::vector<Unit>& units, bool joins);

  bool has(int step) const { return family_[static_cast<std::size_t>(step)] >= 0; }
  // Merges the groups of each set of parallel convolutions into its first group.
  std::vector<Group> merge(std::vector<Group> groups) const;

 private:
  const ValueGraph* graph_;
  std::vector<int> family_;  // by step: the first convolution of its set, or -1
};

}  // namespace ridgewatt::workload
