// Samples a power source at a fixed rate on a thread of its own. The thread reads files that are
// open already, stamps the middle of each read with CLOCK_MONOTONIC, and hands the samples over
// through a ring without locks, so that measuring hardly disturbs what is measured.
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
    std::size_t capacity = 8192;  // samples between two calls of drain
  };
  // Starts at once. `source` must outlive this and must not be read by others until the end. Throws
  // UsageError on options out of range.
  Sampler(platform::PowerSource& source, Options options);
  explicit Sampler(platform::PowerSource& source) : Sampler(source, Options()) {}
  ~Sampler();
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;

  // Appends the samples that came since the last call.
  void drain(std::vector<PowerSample>& samples);
  // Ends the thread after its current read; drain gives what is left.
  void stop();
  std::size_t lost() const { return lost_.load(); }     // no room in the ring
  std::size_t late() const { return late_.load(); }     // ticks that passed during a read
  double cpu_seconds() const { return cpu_s_.load(); }  // of the thread so far

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
