// Writes metrics once or repeatedly for a collector.
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "ridgewatt/monitor/metrics.h"

namespace ridgewatt::monitor {
namespace {

// Maximum wait for the second reading, which includes loads and comes within a second.
constexpr double kFirstLookS = 5;

// Blocks SIGINT and SIGTERM and waits for them, so that they never interrupt the writing of a file.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~EndSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  // Returns true if a signal arrived within this time.
  bool came_within(double seconds) const {
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(seconds);
    timeout.tv_nsec = static_cast<long>((seconds - static_cast<double>(timeout.tv_sec)) * 1e9);
    return ::sigtimedwait(&signals_, nullptr, &timeout) > 0;
  }

 private:
  sigset_t signals_, before_;
};

}  // namespace

std::string metrics_once(const platform::Sysfs& sysfs, double rate_hz, Provenance provenance) {
  const Monitor monitor(sysfs, {.rate_hz = rate_hz});
  monitor.wait(1, kFirstLookS);
  return metrics_text(monitor.sensors(), monitor.snapshot(), {provenance, /*counters=*/false, {}});
}

void keep_writing(const MetricsPace& pace, const std::function<void()>& write) {
  const EndSignals signals;
  auto next = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; pace.count == 0 || i < pace.count; ++i) {
    if (i > 0) {
      next += std::chrono::duration_cast<std::chrono::steady_clock::duration>(
          std::chrono::duration<double>(pace.every_s));
      const std::chrono::duration<double> left = next - std::chrono::steady_clock::now();
      if (signals.came_within(std::max(0.0, left.count()))) break;
    }
    write();
  }
}

void keep_metrics(const platform::Sysfs& sysfs, double rate_hz, Provenance provenance,
                  const MetricsPace& pace, const std::function<void(const std::string&)>& write) {
  const EndSignals signals;  // created first: threads of the monitor inherit the blocked signals
  const Monitor monitor(sysfs, {.rate_hz = rate_hz, .history = 1});
  monitor.wait(1, kFirstLookS);
  keep_writing(pace, [&] {
    write(
        metrics_text(monitor.sensors(), monitor.snapshot(), {provenance, true, monitor.windows()}));
  });
}

}  // namespace ridgewatt::monitor
