// The peaks of a processor: measured at some numbers of threads, interpolated at the others.
//
//   const std::vector<int> counts = measured_threads(cores);
//   PeakSamples peaks(counts);
//   for (int i = 0; i < kPeakRepeats; ++i) peaks.add(0.3);
//   const std::vector<twin::CpuRates> rates = all_rates(counts, peaks.rates());
#pragma once

#include <vector>

#include "ridgewatt/twin/cpu_twin.h"

namespace ridgewatt::answer {

inline constexpr int kPeakRepeats = 5;  // of each microbenchmark; odd

// The peaks at several thread counts, sampled during the whole calibration: in a virtual machine,
// the bandwidth of memory can change by a factor of two within seconds.
class PeakSamples {
 public:
  explicit PeakSamples(const std::vector<int>& counts);
  // Measures each peak once, with microbenchmarks of `seconds`.
  void add(double seconds);
  // Returns the rates at each thread count.
  std::vector<twin::CpuRates> rates() const;

 private:
  struct Peak {
    int threads = 1;
    double flop_per_s = 0;
    std::vector<double> memory_bytes_per_s, cache_bytes_per_s;
  };
  std::vector<Peak> peaks_;
};

// Measures the size at which the bandwidth of one thread is the geometric mean of the bandwidths of
// cache and memory. `one`: the rates of one thread.
double measure_cache_bytes(double seconds, const twin::CpuRates& one);

// Returns thread counts from 1 to `cores`, about equally spaced in ratio.
std::vector<int> measured_threads(int cores);

// Returns the rates at 1, 2, .. threads, interpolated linearly between measured thread counts.
std::vector<twin::CpuRates> all_rates(const std::vector<int>& counts,
                                      const std::vector<twin::CpuRates>& measured);

}  // namespace ridgewatt::answer
