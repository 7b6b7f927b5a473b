// The twin of a processor without a GPU: how long the kernels of a runtime take on its cores.
//
//   const CpuTwin twin = read_cpu_twin(board);
//   const std::vector<CpuKernelTime> times = cpu_kernel_times(twin, cost, 2);  // on two threads
//
// Microbenchmarks give what the machine reaches for each number of threads: FP32 operations and
// bytes per second, from memory and from the cache. Parameters say which share of that the
// runtime's kernels reach. A kernel takes (docs/methods/cpu_twin.md)
//   node + work,   on T threads   node + min(work, work(T) + sync)
// where work is the sum of computing, reading weights and moving activations. Nothing is known of
// power: it is NaN.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/board.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

enum class CpuParam : std::size_t {
  kConvolution,
  kDepthwise,
  kPlain,
  kProduct,
  kInteger,
  kRecurrent,
  kWeights,
  kBlocks,
  kVector,
  kOperator,
  kNode,
  kSync,
  kRun,
  kCount,
};
inline constexpr std::size_t kCpuParamCount = static_cast<std::size_t>(CpuParam::kCount);

struct CpuParamSpec {
  CpuParam param;
  std::string_view key;   // in the [twin] table of the board file
  std::string_view unit;  // "1" for a ratio
  double prior;           // median before anything ran on the machine
  double prior_log_sd;    // standard deviation of its logarithm
  std::string_view meaning;
};
std::span<const CpuParamSpec> cpu_parameters();  // in the order of CpuParam

// What the machine reaches with a number of threads.
struct CpuRates {
  double flop_per_s = 0;          // FP32, fused multiply-adds in registers
  double memory_bytes_per_s = 0;  // STREAM triad far beyond the caches
  double cache_bytes_per_s = 0;   // and within 8 MiB
};

inline constexpr double kPriorCacheBytes =
    8.0 * (1 << 20);  // chosen: the least that was measured at

struct CpuTwin {
  std::vector<CpuRates> rates;            // by threads, from 1 on
  double cache_bytes = kPriorCacheBytes;  // of the last cache, as far as a program gets it
  std::array<double, kCpuParamCount> values{};
  std::array<double, kCpuParamCount> log_sd{};
  double error_time = 0;  // deviation of ln(measured / modelled) that the parameters do not explain
  double error_degrees = 0;
  std::string status;  // "fitted" or "priors on measured peaks"
  std::string origin;

  double operator[](CpuParam param) const { return values[static_cast<std::size_t>(param)]; }
  // `threads` above the cores count as all cores.
  const CpuRates& at(int threads) const;
};

// The text of `kind` in the [twin] table of a processor.
inline constexpr char kCpuTwinKind[] = "cpu";

// Parameters at their priors.
CpuTwin prior_cpu_twin(std::vector<CpuRates> rates);
// Of the [twin] table of a board without a GPU. NotSupportedError without one, InputError for a
// wrong one.
CpuTwin read_cpu_twin(const Board& board);
TwinTable cpu_twin_table(const CpuTwin& twin);

struct CpuKernelTime {
  double compute_s = 0;
  double memory_s = 0;
  double node_s = 0;  // dispatching it and waking the threads
  double total_s() const { return compute_s + memory_s + node_s; }
};
// In the order of the kernels.
std::vector<CpuKernelTime> cpu_kernel_times(const CpuTwin& twin, const workload::WorkloadCost& cost,
                                            int threads);
// Of a whole run: all kernels, and the fixed time of a run.
double cpu_run_s(const CpuTwin& twin, const workload::WorkloadCost& cost, int threads);
// Variance of ln(measured / modelled) of such a run.
double cpu_variance(const CpuTwin& twin, const workload::WorkloadCost& cost, int threads);

// A run of a known model on the machine.
struct CpuRun {
  std::shared_ptr<const workload::WorkloadCost> cost;
  int threads = 1;
  double time_s = 0;
};

// Least squares of ln(modelled / measured) with the parameters' priors; runs weigh less than rows
// of their own, because those of one model share its error. Leaves rates and errors as they are.
CpuTwin fit_cpu_twin(const CpuTwin& prior, std::span<const CpuRun> runs);

}  // namespace ridgewatt::twin
