// Models the time of a workload on the cores of a processor without a GPU.
//
//   const CpuTwin twin = read_cpu_twin(board);
//   const std::vector<CpuKernelTime> times = cpu_kernel_times(twin, cost, 2);  // on two threads
//
// Microbenchmarks measure the peaks of the machine for each number of threads: FP32 operations per
// second, and bytes per second from memory and from cache. Parameters give the share of these peaks
// that the runtime's kernels reach. The time of a kernel is (docs/methods/cpu_twin.md)
//   node + work                          on one thread,
//   node + min(work, work(T) + sync)     on T threads,
// where `work` is the time to compute, to read weights and to move activations. Power is not
// modelled: it is NaN. The parameters with the prefix `llama_` belong to llama.cpp
// (llm/processor.h). Those with `tflite_` belong to TensorFlow Lite, and all others to ONNX
// Runtime.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
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
  kLlamaWeights,
  kLlamaCache,
  kLlamaScores,
  kLlamaPromptScores,
  kLlamaLayer,
  kDotF16,
  kDotQ80,
  kDotQ40,
  kDotQ4K,
  kDotQ6K,
  kFewF16,
  kFewQ80,
  kFewQ40,
  kFewQ4K,
  kFewQ6K,
  kEachF16,
  kEachQ80,
  kEachQ40,
  kEachQ4K,
  kEachQ6K,
  kPromptF16,
  kPromptQ80,
  kPromptQ40,
  kPromptQ4K,
  kPromptQ6K,
  kTfliteConvolution,
  kTfliteDepthwise,
  kTfliteProduct,
  kTfliteWeights,
  kTfliteActivations,
  kTfliteOperator,
  kTfliteNode,
  kTfliteSync,
  kTfliteRun,
  kCount,
};
inline constexpr std::size_t kCpuParamCount = static_cast<std::size_t>(CpuParam::kCount);

struct CpuParamSpec {
  CpuParam param;
  std::string_view key;   // in the [twin] table of the board file
  std::string_view unit;  // "1" for a ratio
  double prior;           // median before any measurement on the machine
  double prior_log_sd;    // standard deviation of ln(parameter)
  std::string_view meaning;
};
std::span<const CpuParamSpec> cpu_parameters();  // in the order of CpuParam

// Measured peaks at one number of threads.
struct CpuRates {
  double flop_per_s = 0;          // FP32 fused multiply-adds on registers
  double memory_bytes_per_s = 0;  // STREAM triad on arrays much larger than the caches
  double cache_bytes_per_s = 0;   // STREAM triad within 8 MiB
  double memory_log_sd = 0;       // standard deviation of ln(memory_bytes_per_s) over time
};

// Properties that depend on the processor's instruction set. Defaults: x86-64 with AVX-512.
struct CpuInstructions {
  double block_channels = 16;  // channels of a block of ONNX Runtime; 8 with AVX2
  bool int8_products = true;   // sums of products of 8-bit numbers (VNNI, ARM's dot product)
};

// Default for CpuTwin::cache_bytes: the smallest working set that was measured.
inline constexpr double kPriorCacheBytes = 8.0 * (1 << 20);

struct CpuTwin {
  std::vector<CpuRates> rates;            // element i holds the peaks at i + 1 threads
  double cache_bytes = kPriorCacheBytes;  // part of the last-level cache that a program can use
  double block_channels = CpuInstructions{}.block_channels;
  bool int8_products = CpuInstructions{}.int8_products;
  std::array<double, kCpuParamCount> values{};
  std::array<double, kCpuParamCount> log_sd{};  // standard deviation of ln(value)
  // Standard deviation of ln(measured / modelled) in ONNX Runtime that remains beyond that of the
  // parameters.
  double error_time = 0;
  double error_tflite_time = 0;  // the same for TensorFlow Lite
  double error_degrees = 0;      // degrees of freedom of Student's t for these errors
  std::string status;            // "fitted" or "priors on measured peaks"
  std::string origin;

  double operator[](CpuParam param) const { return values[static_cast<std::size_t>(param)]; }
  // `threads` is limited to the range from 1 to the number of cores.
  const CpuRates& at(int threads) const;
};

// Value of the key `kind` in the [twin] table of a processor.
inline constexpr char kCpuTwinKind[] = "cpu";

// Returns a twin with all parameters at their priors.
CpuTwin prior_cpu_twin(std::vector<CpuRates> rates, const CpuInstructions& instructions = {});
// Reads the [twin] table of a board without a GPU. Throws NotSupportedError if the board has none,
// InputError if the table is invalid.
CpuTwin read_cpu_twin(const Board& board);
TwinTable cpu_twin_table(const CpuTwin& twin);

struct CpuKernelTime {
  double compute_s = 0;
  double memory_s = 0;
  double node_s = 0;  // dispatch of the kernel and wake-up of the threads
  double total_s() const { return compute_s + memory_s + node_s; }
};
// Returns one entry per kernel of `cost`, in the same order.
std::vector<CpuKernelTime> cpu_kernel_times(const CpuTwin& twin, const workload::WorkloadCost& cost,
                                            int threads);
// Fixed time of a run in the runtime.
double cpu_fixed_s(const CpuTwin& twin, Runtime runtime);
// Time of one minibatch: all kernels and the fixed time per run.
double cpu_run_s(const CpuTwin& twin, const workload::WorkloadCost& cost, int threads);
// Variance of ln(measured / modelled) for the result of cpu_run_s().
double cpu_variance(const CpuTwin& twin, const workload::WorkloadCost& cost, int threads);
// The variance of ln(modelled_s) due to the parameters and to the changing bandwidth of memory,
// computed from its slopes.
using CpuModel = std::function<double(const CpuTwin&)>;
double parameter_variance(const CpuTwin& twin, const CpuModel& modelled_s);
// Change of ln(modelled_s) if the bandwidth of memory is lower by its standard deviation.
double memory_sd(const CpuTwin& twin, const CpuModel& modelled_s);

// A measured time on the machine, and its model as a function of the parameters.
struct CpuRun {
  std::string name;  // of the model that ran, for messages
  double time_s = 0;
  CpuModel modelled_s;
};
CpuRun cpu_run(std::shared_ptr<const workload::WorkloadCost> cost, int threads, double time_s);

// Fits the parameters by least squares of ln(modelled / measured), with the priors of `prior`.
// Keeps rates and errors of `prior`.
CpuTwin fit_cpu_twin(const CpuTwin& prior, std::span<const CpuRun> runs);

}  // namespace ridgewatt::twin
