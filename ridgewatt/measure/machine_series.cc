#include "ridgewatt/measure/machine_series.h"

#include <algorithm>
#include <chrono>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/quiet_thread.h"
#include "ridgewatt/measure/sampler.h"

namespace ridgewatt {

std::vector<RawSample> series_samples(const SensorSnapshot& snapshot, double time_s) {
  std::vector<RawSample> samples;
  for (const auto& clock : snapshot.clocks) {
    samples.push_back({"clock:" + clock.name, time_s, clock.clock_hz});
  }
  for (const auto& load : snapshot.loads) {
    const bool one_core = load.name.rfind("cpu", 0) == 0 && load.name != "cpu";
    if (!one_core) samples.push_back({"load:" + load.name, time_s, load.load});
  }
  for (const auto& zone : snapshot.temperatures) {
    if (zone.celsius) samples.push_back({"temperature:" + zone.name, time_s, *zone.celsius});
  }
  if (snapshot.memory_total_bytes > 0) {
    samples.push_back(
        {"memory:used", time_s, snapshot.memory_total_bytes - snapshot.memory_available_bytes});
  }
  return samples;
}

MachineSeries::MachineSeries(const Sysfs& sysfs, double rate_hz)
    : sysfs_(sysfs), reader_(sysfs), interval_s_(1 / rate_hz) {
  if (!(rate_hz >= 0.1 && rate_hz <= 50)) throw UsageError("the series' rate is 0.1 to 50 Hz");
  first_ = read_throttling(sysfs);
  look();
  thread_ = quiet_thread([this] { run(); });
}

MachineSeries::~MachineSeries() {
  stop();
}

void MachineSeries::look() {
  const double time_s = monotonic_s();
  const SensorSnapshot snapshot = reader_.read();
  for (auto& sample : series_samples(snapshot, time_s)) samples_.push_back(std::move(sample));
  for (const auto& name : ridgewatt::throttled(first_, snapshot.throttling)) {
    if (std::find(throttled_.begin(), throttled_.end(), name) == throttled_.end()) {
      throttled_.push_back(name);
    }
  }
}

void MachineSeries::run() {
  std::unique_lock lock(mutex_);
  const std::chrono::duration<double> interval(interval_s_);
  while (!wake_.wait_for(lock, interval, [this] { return stop_; })) look();
}

void MachineSeries::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
  look();
}

std::vector<SeriesSummary> summarize_series(const std::vector<RawSample>& samples, double begin_s,
                                            double end_s) {
  std::vector<SeriesSummary> summaries;
  std::vector<int> counts;  // 0: so far only a sample from before the window
  for (const auto& sample : samples) {
    if (sample.time_s > end_s) continue;
    const auto found = std::find_if(summaries.begin(), summaries.end(),
                                    [&](const auto& s) { return s.channel == sample.channel; });
    const auto i = static_cast<std::size_t>(found - summaries.begin());
    if (found == summaries.end()) {
      summaries.push_back({sample.channel, 0, 0, 0});
      counts.push_back(0);
    }
    SeriesSummary& summary = summaries[i];
    if (counts[i] == 0) summary = {sample.channel, sample.value, sample.value, sample.value};
    if (sample.time_s < begin_s) continue;
    ++counts[i];
    summary.mean += (sample.value - summary.mean) / counts[i];
    summary.low = std::min(summary.low, sample.value);
    summary.high = std::max(summary.high, sample.value);
  }
  return summaries;
}

}  // namespace ridgewatt
