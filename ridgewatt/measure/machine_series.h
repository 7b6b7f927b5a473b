// Clocks, loads, temperatures and used memory of a machine over time, with what disturbed the
// program from outside during the run: a slow companion of the power sampler.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ridgewatt/measure/window.h"
#include "ridgewatt/platform/jetson_sensors.h"
#include "ridgewatt/platform/nvml.h"
#include "ridgewatt/platform/sysfs.h"
#include "ridgewatt/store/store.h"

namespace ridgewatt::measure {

// The readings of one look: "clock:gpu" in Hz, "load:cpu" as a fraction, "temperature:tj-thermal"
// in degrees Celsius, "fan:pwmfan 1" as a share of full speed, "memory:used" in bytes. The first
// GPU behind NVML is "gpu", the next is "gpu 1".
std::vector<store::RawSample> series_samples(const platform::SensorSnapshot& snapshot,
                                             double time_s);

// Numbers of the processes that hold memory of the GPU, as the Jetson's kernel lists them for root;
// empty where it does not.
std::vector<int> gpu_processes(const platform::Sysfs& sysfs);

class MachineSeries {
 public:
  // Starts at once; `sysfs` must outlive this. Throws UsageError unless 0.1 <= rate_hz <= 50.
  MachineSeries(const platform::Sysfs& sysfs, double rate_hz,
                std::size_t most_samples = std::size_t{1} << 19);
  ~MachineSeries();
  MachineSeries(const MachineSeries&) = delete;
  MachineSeries& operator=(const MachineSeries&) = delete;

  // Takes a last look and ends the thread. Then samples and throttled are complete; of a run of
  // days every second look, of those that are left every second again: `most_samples` at most.
  void stop();
  const std::vector<store::RawSample>& samples() const { return samples_; }
  const std::vector<std::string>& throttled() const { return throttled_; }

  // What was seen until now, at any time; each from the look before to the look after. What holds
  // since the first look is a state of the machine and no disturbance:
  //   throttling       a counter rose, an alarm or a cooling device came on
  //   clock changed    the limits of a clock or the number of cores changed, or a fixed clock (its
  //                    limits are equal) left them by 1 %
  //   another process  one that is not a child of ours came to the GPU
  std::vector<Disturbance> disturbances();

 private:
  void run();
  void look();
  void add_gpus(platform::SensorSnapshot& snapshot);
  void add_throttled(const std::string& name);
  void keep(const platform::SensorSnapshot& snapshot, double time_s);
  void note(const std::string& cause, bool seen, double time_s);
  bool clock_changed(const platform::SensorSnapshot& now) const;
  bool another_process() const;

  const platform::Sysfs& sysfs_;
  platform::SensorReader reader_;
  std::unique_ptr<platform::Nvml> nvml_;  // null on a Jetson, a recorded tree and without a GPU
  double interval_s_;
  std::size_t most_samples_;
  std::size_t looks_ = 0, keep_every_ = 1;  // looks; of them the first is kept
  platform::SensorSnapshot first_, last_;
  double last_s_ = 0;
  std::vector<int> first_processes_;
  std::vector<Disturbance> disturbances_;
  std::map<std::string, bool> open_;  // causes that the last look saw
  std::vector<store::RawSample> samples_;
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
std::vector<SeriesSummary> summarize_series(const std::vector<store::RawSample>& samples,
                                            double begin_s, double end_s);

}  // namespace ridgewatt::measure
