#include "ridgewatt/workload/workload_cost.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ridgewatt::workload {

std::vector<std::string> CostCaveats::lines() const {
  std::vector<std::string> lines;
  for (const auto& one : uncounted) {
    lines.push_back("not counted: " + one.full_name() + ", " + std::to_string(one.nodes) +
                    (one.nodes == 1 ? " node (" : " nodes (") + one.reason + ")");
  }
  for (const auto& name : open_dims) {
    lines.push_back("left open: " + name + " (--dim " + name + "=N sets it)");
  }
  for (const auto& [name, value] : assumed_dims) {
    lines.push_back("assumed " + name + " = " + std::to_string(value) + " (--dim " + name +
                    "=N sets it)");
  }
  if (!guessed_dims.empty()) {
    const bool one = guessed_dims.size() == 1;
    lines.push_back(fmt::format("the file does not state {}: {}, and every figure depends on {}",
                                fmt::join(guessed_dims, ", "),
                                one ? "the size is a guess" : "the sizes are guesses",
                                one ? "it" : "them"));
  }
  for (const auto& assumption : assumptions) lines.push_back(assumption);
  return lines;
}

double WorkloadCost::work_flop() const {
  double sum = 0;
  for (const auto& kernel : kernels) sum += kernel.work_flop;
  return sum;
}

double WorkloadCost::work_int_op() const {
  double sum = 0;
  for (const auto& kernel : kernels) sum += kernel.work_int_op;
  return sum;
}

double WorkloadCost::traffic_bytes() const {
  double sum = 0;
  for (const auto& kernel : kernels) sum += kernel.traffic_bytes();
  return sum;
}

double WorkloadCost::launches() const {
  double sum = 0;
  for (const auto& kernel : kernels) sum += kernel.launches;
  return sum;
}

}  // namespace ridgewatt::workload
