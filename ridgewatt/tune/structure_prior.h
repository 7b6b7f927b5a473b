// Prior for time and power over a space, from general knowledge about accelerators. Many random
// workloads are drawn. The mean of the draws is the prior mean, and their covariance is a kernel
// that represents monotonicity, saturation and the interaction of knobs.
//
// The draws are workloads of the given groups. Without groups, or if the batch is a dimension, they
// come from a family of simple accelerators that is not fitted to any workload: overlapping GPU
// compute and memory traffic, launches and data loading on the CPU, and static and dynamic power
// with a voltage that follows the clock.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/predict/workload_groups.h"
#include "ridgewatt/tune/search_space.h"

namespace ridgewatt::tune {

// The logarithm of a quantity over all points of a space, as a mean and a low-rank covariance. Both
// are centered over the space, so they do not determine the absolute level.
struct FunctionPrior {
  std::vector<float> mean;  // one value per point
  // Each has one value per point. The covariance of x and x' is the sum of f(x) f(x') over all f.
  std::vector<std::vector<float>> features;
};

struct StructurePrior {
  FunctionPrior log_time;
  FunctionPrior log_power;
};

// Deterministic. Evaluates the model `draws` times per point. `rank` is the number of features.
StructurePrior make_structure_prior(const SearchSpace& space,
                                    std::span<const predict::WorkloadGroup> groups = {},
                                    int draws = 160, int rank = 14);

}  // namespace ridgewatt::tune
