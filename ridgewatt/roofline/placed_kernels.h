// The kernels of a model on measured roofs: what each takes at least, by its work and traffic as
// they are counted. Nothing of a framework is in it: no launches, no rates that are not reached.
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
  double attainable_flop_per_s = 0;  // at its intensity
  double least_s = 0;
  bool compute_bound = false;
  std::optional<double> least_j = {};  // nothing: no power was measured

  bool has_place() const { return work_flop > 0 && traffic_bytes > 0; }
  double intensity() const { return work_flop / traffic_bytes; }
};

// In order of execution. Convolutions and products in FP16 have the highest FP16 rate that was
// measured; everything else has FP32's. NotSupportedError for a precision whose peak was not
// measured.
std::vector<PlacedKernel> place_kernels(const workload::WorkloadCost& cost,
                                        const MicrobenchFit& fit);

}  // namespace ridgewatt::roofline
