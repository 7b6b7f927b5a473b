// Samples a power source at a fixed rate on a separate thread. So that it hardly disturbs the
// measured program, the thread reads files that are already open, and passes samples through a
// lock-free ring buffer. The time of a sample is the middle of its read, by CLOCK_MONOTONIC.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::measure {

inline constexpr std::size_t kMaxPowerChannels = 16;

struct PowerSample {
  double time_s = 0;  // CLOCK_MONOTONIC
  std::array<double, kMaxPowerChannels> power_w{};
};

class Sampler {
 public:
  struct Options {
    double rate_hz = 100;         // 1 to 1000; the INA3221 has a new value every 7 ms
    std::size_t capacity = 8192;  // samples between two calls of drain()
  };
  // Starts sampling. `source` must outlive this object, and no other code may read it until stop().
  // Throws UsageError for options out of range.
  Sampler(platform::PowerSource& source, Options options);
  explicit Sampler(platform::PowerSource& source) : Sampler(source, Options()) {}
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Appends the samples since the last call.
  void drain(std::vector<PowerSample>& samples);
  // Ends the thread after its current read. Call drain() afterwards for the remaining samples.
  void stop();
  std::size_t lost() const { return lost_.load(); }     // samples dropped because the ring was full
  std::size_t late() const { return late_.load(); }     // readings missed while another was running
  double cpu_seconds() const { return cpu_s_.load(); }  // CPU time of the thread so far

 private:
  void run();

  platform::PowerSource& source_;
  Options options_;
  std::vector<PowerSample> ring_;
  alignas(64) std::atomic<std::size_t> written_{0};
  alignas(64) std::atomic<std::size_t> taken_{0};
  std::atomic<bool> stop_{false};
  std::atomic<std::size_t> lost_{0};
  std::atomic<std::size_t> late_{0};
  std::atomic<double> cpu_s_{0};
  std::thread thread_;
};

}  // namespace ridgewatt::measure
