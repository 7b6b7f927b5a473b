#include "ridgewatt/measure/sampler.h"

#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/thread.h"

namespace ridgewatt::measure {
namespace {

// CPU time of this thread.
double thread_cpu_s() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void sleep_until(double time_s) {
  timespec until{};
  until.tv_sec = static_cast<time_t>(time_s);
  until.tv_nsec = static_cast<long>((time_s - std::floor(time_s)) * 1e9);
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

Sampler::Sampler(platform::PowerSource& source, Options options)
    : source_(source), options_(options) {
  if (!(options.rate_hz >= 1 && options.rate_hz <= 1000)) {
    throw UsageError("the sampling rate must be 1 to 1000 Hz");
  }
  if (options.capacity < 2)
    throw UsageError("the capacity of the sampler must be 2 samples or more");
  if (source.channels().size() > kMaxPowerChannels) {
    throw NotSupportedError("the board has more than 16 power channels, which is the maximum");
  }
  ring_.resize(options.capacity);
  source.begin();
  thread_ = quiet_thread([this] { run(); });
}

Sampler::~Sampler() {
  stop();
}

void Sampler::stop() {
  stop_.store(true);
  if (thread_.joinable()) thread_.join();
}

void Sampler::run() {
  const double interval_s = 1 / options_.rate_hz;
  const std::size_t channels = source_.channels().size();
  double next_s = monotonic_s();
  PowerSample sample;
  while (!stop_.load(std::memory_order_relaxed)) {
    const double before_s = monotonic_s();
    source_.read({sample.power_w.data(), channels});
    const double after_s = monotonic_s();
    sample.time_s = (before_s + after_s) / 2;
    const std::size_t written = written_.load(std::memory_order_relaxed);
    if (written - taken_.load(std::memory_order_acquire) < ring_.size()) {
      ring_[written % ring_.size()] = sample;
      written_.store(written + 1, std::memory_order_release);
    } else {
      lost_.fetch_add(1, std::memory_order_relaxed);
    }
    next_s += interval_s;
    if (next_s < after_s) {  // a slow sensor or a delayed thread: skip the missed samples
      const double missed = std::floor((after_s - next_s) * options_.rate_hz) + 1;
      late_.fetch_add(static_cast<std::size_t>(missed), std::memory_order_relaxed);
      next_s += missed * interval_s;
    }
    cpu_s_.store(thread_cpu_s(), std::memory_order_relaxed);
    sleep_until(next_s);
  }
  cpu_s_.store(thread_cpu_s());
}

void Sampler::drain(std::vector<PowerSample>& samples) {
  const std::size_t written = written_.load(std::memory_order_acquire);
  std::size_t taken = taken_.load(std::memory_order_relaxed);
  for (; taken < written; ++taken) samples.push_back(ring_[taken % ring_.size()]);
  taken_.store(taken, std::memory_order_release);
}

}  // namespace ridgewatt::measure
