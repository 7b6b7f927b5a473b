// Bandwidths and times of kernels on a processor, for the models of its runtimes.
//
//   const Work work = tflite_work(twin, twin.at(2), weights_bytes, kernel);  // on two threads
#pragma once

#include <algorithm>
#include <cmath>

#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::twin {

inline constexpr double kFloatBytes = 4;

inline double padded(double value, double to) {
  return value > 0 ? std::ceil(value / to) * to / value : 1;
}

// Bytes per second of activations, which are partly in a cache and partly in memory.
inline double mixed_bandwidth(const CpuRates& rates) {
  return std::sqrt(rates.memory_bytes_per_s * rates.cache_bytes_per_s);
}

// Bytes per second of the data of one kernel. The data is in the cache while it is small and moves
// to memory as it grows.
inline double bandwidth_of(const CpuRates& rates, double bytes) {
  constexpr double kInCache = 1e6,
                   kInMemory = 16e6;  // seen on a processor with 1 MB of L2 per core
  const double share = std::clamp(
      std::log(std::max(bytes, 1.0) / kInCache) / std::log(kInMemory / kInCache), 0.0, 1.0);
  return std::pow(rates.cache_bytes_per_s, 1 - share) * std::pow(rates.memory_bytes_per_s, share);
}

// Bytes per second of a model's weights, which each run reads once. The same as for activations if
// the last-level cache holds all weights; the memory bandwidth if the cache holds few of them.
inline double stored_bandwidth(const CpuTwin& twin, const CpuRates& rates, double bytes) {
  constexpr double kHolds = 0.5, kHoldsFew = 2;  // chosen: around the size of the cache
  const double share = std::clamp(
      std::log(std::max(bytes, 1.0) / (kHolds * twin.cache_bytes)) / std::log(kHoldsFew / kHolds),
      0.0, 1.0);
  return std::pow(mixed_bandwidth(rates), 1 - share) * std::pow(rates.memory_bytes_per_s, share);
}

// Seconds of work on a number of threads.
struct Work {
  double compute_s = 0;
  double memory_s = 0;
  double sum() const { return compute_s + memory_s; }
};

// Time of a kernel in TensorFlow Lite. `weights_bytes`: weights of the whole model.
Work tflite_work(const CpuTwin& twin, const CpuRates& rates, double weights_bytes,
                 const workload::KernelCost& kernel);
// Whether TensorFlow Lite divides the kernel among threads.
bool tflite_shares(const workload::KernelCost& kernel);

}  // namespace ridgewatt::twin
