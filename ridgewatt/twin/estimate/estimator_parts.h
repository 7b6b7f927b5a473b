// What an Estimator is made of: the parameters of its twin as they bear on one workload, and the
// states of GPU and CPU in one mode. Inside of Estimator and ErrorModel.
//
// A state reads the parameters that its same_*() names and no others, so that two twins which agree
// in these share it (MovedTwins.AreTheTwinsThatWereMoved).
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/fit/kernel_terms.h"

namespace ridgewatt::twin {

// Of the sweeps of inference that twins are fitted to: 4, 8 and 12 cores.
inline constexpr double kLeastFedCores = 4;

// Power while kernels run, whatever share of the time they do.
double working_power_w(const Breakdown& at);

struct Estimator::Rates {
  std::array<double, kTwinParamCount> values{};
  EnumArray<EngineCaller, double, count_of<EngineCaller>()> call_cycles{};
  double graph_kernel_share = 1;
  std::shared_ptr<const KernelTerms> terms;

  // `twin`: on the runtime of the workload.
  Rates(const Twin& twin, const workload::WorkloadCost& cost);
  double operator[](TwinParam param) const { return values[static_cast<std::size_t>(param)]; }
  bool same_gpu(const Rates& other) const;  // GpuState
  bool same_cpu(const Rates& other) const;  // CpuState
};

// A corner of the longest-chain envelope: launches up to and with kernel `kernel`, then the GPU.
struct Corner {
  double launches = 0;  // launched so far
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
  // Per kernel; empty in the state of a moved twin, which is asked for totals alone.
  std::vector<double> work_s;         // without the fixed part
  std::vector<double> compute_share;  // of work_s
  std::vector<double> fixed_s;
  double gpu_s(std::size_t kernel) const { return work_s[kernel] + fixed_s[kernel]; }
  double total_s = 0, compute_s = 0, memory_s = 0;
  double least_s = 0;                 // of all kernels, each at its roof
  std::vector<Corner> corners;        // from few launches to many
  std::vector<double> corner_from_s;  // launch time from which a corner is the longest chain

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
  double load_core_s = 0;  // CPU time of loading the minibatch
  double hand_over_s = 0;  // of it by a worker to the launching thread, with free cores
  bool data_is_there = false;
};

// Another twin of the same hardware, with the states that it does not share with the estimator.
struct Estimator::Moved {
  Rates rates;
  bool same_gpu, same_cpu;  // as the estimator
  std::map<std::pair<double, double>, std::unique_ptr<GpuState>> states;
};

// Times of a minibatch, before power.
struct Estimator::Times {
  const Corner* chain = nullptr;
  double stretch = 1;
  double pipe_s = 0;
  double period_s = 0;  // of what is fed: the data is fetched and waited for
};

}  // namespace ridgewatt::twin
