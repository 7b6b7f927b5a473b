// What a twin makes of each kernel of a workload before a power mode is known: cycles, bytes really
// moved and launches. Inside of Estimator.
#pragma once

#include <vector>

#include "ridgewatt/twin/twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

// Ratio by which an arithmetic speeds an operator class up: by peaks, not validated. Only
// contractions run on matrix units. NotSupportedError where the board has no such rate.
double arithmetic_speedup(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class);

// The peak of the unit that an operator class runs in, over that of the FP32 pipes: no kernel
// passes it. Convolutions on pipes count Winograd's gain.
double peak_over_fp32(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class);

// What a runtime reaches of it, over PyTorch in eager mode; 1 for that.
double runtime_gain(const Twin& twin, Arithmetic arithmetic, workload::OpClass op_class);

struct KernelTerms {
  std::vector<double> compute_cycles;  // GPU cycles when compute bound
  std::vector<double> traffic_bytes;   // really moved
  std::vector<double> energy_flop;     // FLOP weighted by what one costs
  std::vector<double> launches;        // in forward launches
  std::vector<double> launches_until;  // prefix sums, inclusive
  std::vector<double> fixed_cycles;    // GPU cycles in addition to the work
  std::vector<double> least_cycles;    // GPU cycles of the work at the peak of its unit
  std::vector<double> least_bytes;     // what no cache can keep from memory
  double total_energy_flop = 0;
  double total_traffic_bytes = 0;

  // UsageError when a kernel's cost is not finite.
  KernelTerms(const Twin& twin, const workload::WorkloadCost& cost);
  bool operator==(const KernelTerms&) const = default;
};

}  // namespace ridgewatt::twin
