// Clocks, loads, temperatures and used memory of a machine over time, with the throttling signals
// that rose meanwhile: a slow companion of the power sampler.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ridgewatt/platform/jetson_sensors.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt {

// The readings of one look: "clock:gpu" in Hz, "load:cpu" as a fraction, "temperature:tj-thermal"
// in degrees Celsius, "memory:used" in bytes.
std::vector<RawSample> series_samples(const SensorSnapshot& snapshot, double time_s);

class MachineSeries {
 public:
  // Starts at once; `sysfs` must outlive this. Throws UsageError unless 0.1 <= rate_hz <= 50.
  MachineSeries(const Sysfs& sysfs, double rate_hz);
  ~MachineSeries();
  MachineSeries(const MachineSeries&) = delete;
  MachineSeries& operator=(const MachineSeries&) = delete;

  // Takes a last look and ends the thread. Then samples and throttled are complete.
  void stop();
  const std::vector<RawSample>& samples() const { return samples_; }
  const std::vector<std::string>& throttled() const { return throttled_; }

 private:
  void run();
  void look();

  const Sysfs& sysfs_;
  SensorReader reader_;
  double interval_s_;
  std::vector<ThrottleSignal> first_;
  std::vector<RawSample> samples_;
  std::vector<std::string> throttled_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::thread thread_;
};

// Mean and range of one channel.
struct SeriesSummary {
  std::string channel;
  double mean = 0;
  double low = 0;
  double high = 0;
};
// Of the samples in [begin_s, end_s], or of the last before it where there is none; in the order of
// their first appearance.
std::vector<SeriesSummary> summarize_series(const std::vector<RawSample>& samples, double begin_s,
                                            double end_s);

}  // namespace ridgewatt
