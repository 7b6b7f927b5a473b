#include "ridgewatt/answer/board/processor_peaks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/measure/microbench.h"

namespace ridgewatt::answer {
namespace {

using roofline::MicrobenchKernel;

constexpr std::size_t kMemoryBytes = std::size_t{512} << 20;
constexpr std::size_t kCacheBytes = std::size_t{8} << 20;
constexpr int kMostMeasured = 6;  // thread counts; values between them are interpolated

// The fastest repetition, because other programs can only slow arithmetic down.
double peak_flop_per_s(const measure::MicrobenchSummary& summary) {
  const auto* point = summary.find(MicrobenchKernel::kFmaFp32);
  return point->work_flop / point->time_s;
}

// The median repetition. Single ones can be much faster than any program that follows: the memory
// of a virtual machine is shared with others.
double triad_bytes_per_s(const measure::MicrobenchSummary& summary) {
  const auto* point = summary.find(MicrobenchKernel::kTriad);
  return point->traffic_bytes / point->median_time_s;
}

}  // namespace

PeakSamples::PeakSamples(const std::vector<int>& counts) {
  for (const int threads : counts) peaks_.push_back({threads, 0, {}, {}});
}

void PeakSamples::add(double seconds) {
  for (Peak& peak : peaks_) {
    check_work();
    measure::MicrobenchOptions options;
    options.seconds_per_point = seconds;
    options.threads = peak.threads;
    options.intensities.clear();
    options.footprint_bytes = kMemoryBytes;
    const auto memory = measure::run_cpu_microbench(options);
    options.footprint_bytes = kCacheBytes;
    const auto cache = measure::run_cpu_microbench(options);
    peak.flop_per_s = std::max({peak.flop_per_s, peak_flop_per_s(memory), peak_flop_per_s(cache)});
    peak.memory_bytes_per_s.push_back(triad_bytes_per_s(memory));
    peak.cache_bytes_per_s.push_back(triad_bytes_per_s(cache));
  }
}

std::vector<twin::CpuRates> PeakSamples::rates() const {
  std::vector<twin::CpuRates> all;
  for (const Peak& peak : peaks_) {
    const auto& memory = peak.memory_bytes_per_s;
    const double middle = median(memory);
    // The farther end counts, because the samples often have two modes.
    const double farther =
        std::max(quantile(memory, 0.95) / middle, middle / quantile(memory, 0.05));
    all.push_back(
        {peak.flop_per_s, middle, median(peak.cache_bytes_per_s), std::log(farther) / kNormal95});
  }
  return all;
}

double measure_cache_bytes(double seconds, const twin::CpuRates& one) {
  const double half = std::sqrt(one.cache_bytes_per_s * one.memory_bytes_per_s);
  double size = kCacheBytes, rate = one.cache_bytes_per_s;
  for (std::size_t next = 2 * kCacheBytes; next < kMemoryBytes; next *= 2) {
    check_work();
    measure::MicrobenchOptions options;
    options.seconds_per_point = seconds;
    options.threads = 1;
    options.intensities.clear();
    options.footprint_bytes = next;
    std::vector<double> rates;
    for (int repeat = 0; repeat < kPeakRepeats; ++repeat) {
      rates.push_back(triad_bytes_per_s(measure::run_cpu_microbench(options)));
    }
    const double reached = median(rates);
    const auto next_size = static_cast<double>(next);
    if (reached <= half) {
      if (!(rate > half)) return size;
      const double share = std::log(rate / half) / std::log(rate / reached);
      return size * std::pow(next_size / size, share);
    }
    size = next_size, rate = reached;
  }
  return size;
}

std::vector<int> measured_threads(int cores) {
  std::vector<int> counts;
  const int steps = std::min(cores, kMostMeasured);
  for (int i = 0; i < steps; ++i) {
    const double share = steps > 1 ? static_cast<double>(i) / (steps - 1) : 0;
    const int count = static_cast<int>(std::lround(std::pow(cores, share)));
    if (counts.empty() || count > counts.back()) counts.push_back(count);
  }
  return counts;
}

std::vector<twin::CpuRates> all_rates(const std::vector<int>& counts,
                                      const std::vector<twin::CpuRates>& measured) {
  std::vector<twin::CpuRates> rates;
  for (int n = 1; n <= counts.back(); ++n) {
    const auto above = static_cast<std::size_t>(std::lower_bound(counts.begin(), counts.end(), n) -
                                                counts.begin());
    if (counts[above] == n) {
      rates.push_back(measured[above]);
      continue;
    }
    const double share =
        static_cast<double>(n - counts[above - 1]) / (counts[above] - counts[above - 1]);
    const auto between = [&](double twin::CpuRates::*rate) {
      return (1 - share) * measured[above - 1].*rate + share * measured[above].*rate;
    };
    rates.push_back(
        {between(&twin::CpuRates::flop_per_s), between(&twin::CpuRates::memory_bytes_per_s),
         between(&twin::CpuRates::cache_bytes_per_s), between(&twin::CpuRates::memory_log_sd)});
  }
  return rates;
}

}  // namespace ridgewatt::answer
