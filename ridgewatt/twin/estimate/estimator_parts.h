// Parts of Estimator and ErrorModel: the twin's parameters applied to one workload, and the states
// of GPU and CPU in one mode.
//
// A state reads only the parameters that the same_*() function of its kind compares. Two twins with
// equal values of these parameters therefore share the state (test
// MovedTwins.AreTheTwinsThatWereMoved).
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/estimate/kernel_terms.h"

namespace ridgewatt::twin {

// Least number of CPU cores in the inference sweeps to which twins are fitted (4, 8 and 12 cores).
inline constexpr double kLeastFedCores = 4;

// Mean power over the time in which kernels run; independent of the share of this time.
double working_power_w(const Breakdown& at);

struct Estimator::Rates {
  std::array<double, kTwinParamCount> values{};
  EnumArray<EngineCaller, double, count_of<EngineCaller>()> call_cycles{};
  double graph_kernel_share = 1;
  std::shared_ptr<const KernelTerms> terms;

  // `twin` must have the workload's runtime applied.
  Rates(const Twin& twin, const workload::WorkloadCost& cost);
  double operator[](TwinParam param) const { return values[static_cast<std::size_t>(param)]; }
  bool same_gpu(const Rates& other) const;  // compares what GpuState reads
  bool same_cpu(const Rates& other) const;  // compares what CpuState reads
};

// A corner of the envelope of the longest chain (estimate.h): all launches up to and including
// kernel `kernel`, then the GPU time from that kernel on.
struct Corner {
  double launches = 0;  // launches up to this kernel
  double gpu_s = 0;     // GPU time from this kernel on
  double compute_s = 0;
  double memory_s = 0;
  double fixed_s = 0;
  std::size_t kernel = 0;
};

struct Estimator::GpuState {
  double relative_clock = 1;
  double mem_relative_clock = 1;
  double voltage_squared = 1;
  double mem_clock_hz = 0;
  double bandwidth = 0;
  // Per kernel. Empty in the state of a moved twin, which needs totals only.
  std::vector<double> work_s;         // without the fixed part
  std::vector<double> compute_share;  // share of computation in work_s
  std::vector<double> fixed_s;
  double gpu_s(std::size_t kernel) const { return work_s[kernel] + fixed_s[kernel]; }
  double total_s = 0, compute_s = 0, memory_s = 0;
  double least_s = 0;                 // all kernels, each at its roof
  std::vector<Corner> corners;        // in order of rising launches
  std::vector<double> corner_from_s;  // launch time from which each corner is the longest chain

  const Corner& corner(double launch_s) const {
    const auto after = std::upper_bound(corner_from_s.begin(), corner_from_s.end(), launch_s);
    return corners[static_cast<std::size_t>(after - corner_from_s.begin()) - 1];
  }
  void build_envelope(const std::vector<Corner>& chains);
};

struct Estimator::CpuState {
  double workers = 0;
  double cores = 1;
  double relative_clock = 1;
  double voltage_squared = 1;
  double launch_s = 0;     // one forward launch
  double host_s = 0;       // before the first launch
  double thread_s = 0;     // CPU time of the launching thread: host and all launches
  double load_core_s = 0;  // CPU time to load the minibatch
  double hand_over_s = 0;  // transfer from a worker to the launching thread, if cores are free
  double waits = 1;        // factor on the time of the launching thread, which waits for a core
  // True for inference without a given loading time: waits for data do not count.
  bool data_is_there = false;
};

// A twin with other parameters on the same hardware, with the states that it does not share with
// the estimator.
struct Estimator::Moved {
  Rates rates;
  bool same_gpu, same_cpu;  // equal to the estimator's
  std::map<GpuClocks, std::unique_ptr<GpuState>> states;
};

// Times of a minibatch. They do not depend on the power.
struct Estimator::Times {
  const Corner* chain = nullptr;
  double stretch = 1;
  double pipe_s = 0;
  double period_s = 0;  // including the wait for data
};

}  // namespace ridgewatt::twin
