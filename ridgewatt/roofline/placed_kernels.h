// Places the kernels of a model on measured roofs: lower bounds of each kernel's time and energy
// from its counted work and traffic. The overhead of frameworks (launches, rates below the roof) is
// not included.
//
//   for (const auto& k : place_kernels(cost, fit)) use(k.intensity(), k.least_s);
//
//   T >= max(W / F, Q / B)              (Williams, Waterman, Patterson 2009)
//   E >= W eps_f + Q eps_m + pi0 T      (Choi, Bedard, Fowler, Vuduc 2013)
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "ridgewatt/roofline/microbench_fit.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::roofline {

struct PlacedKernel {
  std::size_t kernel = 0;  // index in WorkloadCost::kernels
  double work_flop = 0;
  double traffic_bytes = 0;  // counted: operands read and results written
  double peak_flop_per_s = 0;
  double attainable_flop_per_s = 0;  // at the intensity of the kernel
  double least_s = 0;                // lower bound of the time
  bool compute_bound = false;
  std::optional<double> least_j = {};  // Lower bound of the energy. Absent: no power was measured.

  bool has_place() const { return work_flop > 0 && traffic_bytes > 0; }
  double intensity() const { return work_flop / traffic_bytes; }
};

// Returns the kernels in order of execution. Convolutions and products in FP16 use the highest
// measured FP16 rate, all other kernels the FP32 rate. Throws NotSupportedError for a precision
// whose peak was not measured.
std::vector<PlacedKernel> place_kernels(const workload::WorkloadCost& cost,
                                        const MicrobenchFit& fit);

}  // namespace ridgewatt::roofline
