// Computes, for each kernel of a workload, the quantities that do not depend on the power mode:
// cycles, traffic and launches. Used by Estimator.
#pragma once

#include <vector>

#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

// Factor by which an arithmetic speeds up an operator class, as the ratio of peaks (not validated).
// 1 except for contractions. Throws NotSupportedError if the board has no such rate.
double arithmetic_speedup(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class);

// Peak of the unit in which an operator class runs, divided by the peak of the FP32 pipes. No
// kernel exceeds this rate. For convolutions on pipes it includes the gain of Winograd's algorithm.
double peak_over_fp32(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class);

// Rate that the twin's runtime reaches, divided by that of PyTorch in eager mode.
double runtime_gain(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class);

struct KernelTerms {
  std::vector<double> compute_cycles;  // GPU cycles if the kernel is compute bound
  std::vector<double> traffic_bytes;   // bytes actually moved
  // FLOP, each weighted by its energy relative to an FP32 operation.
  std::vector<double> energy_flop;
  std::vector<double> launches;        // in units of forward launches
  std::vector<double> launches_until;  // inclusive prefix sums of `launches`
  std::vector<double> fixed_cycles;    // GPU cycles in addition to the work
  std::vector<double> least_cycles;    // GPU cycles of the work at the peak of its unit
  std::vector<double> least_bytes;     // bytes that no cache can save
  double total_energy_flop = 0;
  double total_traffic_bytes = 0;

  // Throws UsageError if a kernel's cost is not finite.
  KernelTerms(const Twin& twin, const workload::WorkloadCost& cost);
  bool operator==(const KernelTerms&) const = default;
};

}  // namespace ridgewatt::twin
