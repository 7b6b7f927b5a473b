// Prior knowledge of time and power: how workloads use an accelerator. Many are drawn at random:
// the mean of the draws is a prior mean and their covariance a kernel that contains monotony,
// saturation and the interaction of knobs.
//
// The draws are workloads of the given groups. Without groups, and where the batch is a dimension,
// they are of a family of simple accelerators, without any number that was fitted to a workload:
// overlapping GPU compute and memory traffic, launches and data loading on the CPU, static and
// dynamic power with voltage following the clock.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/predict/workload_groups.h"
#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::tune {

// A logarithmic quantity over all points of a space: a mean and a low-rank covariance. Both are
// centered over the space, so the absolute level is undetermined.
struct FunctionPrior {
  std::vector<float> mean;                   // one per point
  std::vector<std::vector<float>> features;  // covariance = sum over features of f(x) f(x')
};

struct StructurePrior {
  FunctionPrior log_time;
  FunctionPrior log_power;
};

// Deterministic. Cost: `draws` model evaluations per point.
StructurePrior make_structure_prior(const SearchSpace& space,
                                    std::span<const predict::WorkloadGroup> groups = {},
                                    int draws = 160, int rank = 14);

}  // namespace ridgewatt::tune
