// Samples clocks, loads, temperatures and used memory of a machine at a low rate, and records
// external disturbances of the program during the run.
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

// The values of one reading: "clock:gpu" in Hz, "load:cpu" as a fraction, "temperature:tj-thermal"
// in degrees Celsius, "fan:pwmfan 1" as a fraction of full speed, "memory:used" in bytes. The first
// GPU of NVML is "gpu", the next is "gpu 1".
std::vector<store::RawSample> series_samples(const platform::SensorSnapshot& snapshot,
                                             double time_s);

// Process numbers that use GPU memory, as the kernel of a Jetson lists them for root; empty if it
// lists none.
std::vector<int> gpu_processes(const platform::Sysfs& sysfs);

class MachineSeries {
 public:
  // Starts sampling; `sysfs` must outlive this object. Throws UsageError unless 0.1 <= rate_hz <=
  // 50.
  MachineSeries(const platform::Sysfs& sysfs, double rate_hz,
                std::size_t most_samples = std::size_t{1} << 19);
  ~MachineSeries();
  MachineSeries(const MachineSeries&) = delete;
  MachineSeries& operator=(const MachineSeries&) = delete;

  // Takes a last reading and ends the thread. Afterwards samples() and throttled() are complete. A
  // long run drops every second reading, repeatedly, so that at most `most_samples` remain.
  void stop();
  const std::vector<store::RawSample>& samples() const { return samples_; }
  const std::vector<std::string>& throttled() const { return throttled_; }

  // The disturbances until now; may be called at any time. A disturbance extends from the reading
  // before it to the reading after it. A condition that held at the first reading is not a
  // disturbance:
  //   throttling       a counter rose, or an alarm or a cooling device became active
  //   clock changed    clock limits or the number of cores changed, or a fixed clock (with equal
  //                   limits) deviated from its limits by 1 %
  //   another process  a process that is not a child of this one started to use the GPU
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
  // Null on a Jetson, for a recorded tree, and without a GPU.
  std::unique_ptr<platform::Nvml> nvml_;
  double interval_s_;
  std::size_t most_samples_;
  std::size_t looks_ = 0, keep_every_ = 1;  // of keep_every_ readings, one is stored
  platform::SensorSnapshot first_, last_;
  double last_s_ = 0;
  std::vector<int> first_processes_;
  std::vector<Disturbance> disturbances_;
  std::map<std::string, bool> open_;  // whether the last reading showed the cause
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
// Summarizes the samples in [begin_s, end_s]. Without any, uses the last sample before. Channels
// are in the order of their first sample. Clocks that were always off are left out.
std::vector<SeriesSummary> summarize_series(const std::vector<store::RawSample>& samples,
                                            double begin_s, double end_s);

}  // namespace ridgewatt::measure
