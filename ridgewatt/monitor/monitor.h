// Monitors power and activity of a machine, for the terminal view, the server, and the metrics of a
// fleet. Power is sampled on a separate thread and every sample is integrated, so energies are
// complete even if they are read rarely. Clocks, loads, temperatures, throttling and processes are
// read at a lower rate.
//
//   Monitor monitor(*device.sysfs);
//   const Snapshot now = monitor.snapshot();               // from any thread
//   const auto next = monitor.wait(now.number, 2.0);       // next reading, or null after 2 s
//   const auto window = monitor.begin_window("epoch 1");
//   monitor.mark();                                        // a minibatch ended
//   monitor.end_window(window);                            // its energy with the error
//
// Memory use is bounded: the history is a ring buffer, energies are running sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/platform/machine_sensors.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::monitor {

// Energy of a window, or since the start of the monitor. error_j is a bound on the sampling error
// (measure/energy.h); it excludes the accuracy of the sensor. Infinite: unknown, because fewer than
// two power samples are in the window.
struct Energy {
  double energy_j = 0;
  double error_j = 0;
};

struct Rail {
  std::string name = {};
  std::string source = {};             // the device that measures it: "ina3221 1-0040"
  bool in_total = false;               // part of the total of the module
  std::optional<double> power_w = {};  // newest sample; empty: missing
  Energy since_start = {};
};

// The settings of the board. Knobs that the board lacks are absent.
struct ModeState {
  std::string preset = {};  // the preset that equals this mode; empty: none
  std::optional<PowerMode> mode = {};
  std::string text = {};  // mode_text(mode)
};

// A process that holds GPU memory or uses much CPU time.
struct Process {
  int pid = 0;
  std::string name = {};
  double cpu_share = 0;         // share of one core, since the previous reading of processes
  double memory_bytes = 0;      // resident
  double gpu_memory_bytes = 0;  // 0: none, or unknown
};

struct Window {
  std::size_t number = 0;
  std::string name = {};
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;    // current time while the window is open
  bool ended = false;
  Energy energy = {};
  std::uint64_t minibatches = 0;  // marked during the window
};

struct Snapshot {
  std::uint64_t number = 0;  // number of the reading, from 1
  double time_s = 0;         // CLOCK_MONOTONIC
  double unix_time_s = 0;    // time_s as Unix time
  double since_s = 0;        // time since the monitor began
  bool has_power = false;    // false: `power_note` has the reason
  std::string power_source = {};
  std::string power_note = {};
  bool has_total = false;              // false: `total`, minibatches and windows have no energy
  double power_time_s = 0;             // time of the newest sample, valid or not; 0: none yet
  std::optional<double> total_w = {};  // newest sample
  Energy total = {};                   // since the monitor began
  std::vector<Rail> rails = {};
  // Clocks, loads, temperatures, GPUs and so on. Power is that of the newest sample.
  platform::MachineReading machine = {};
  ModeState mode = {};
  std::vector<Process> processes = {};
  std::uint64_t throttle_events = 0;  // events that began since the monitor began
  std::uint64_t minibatches = 0;      // marked since the monitor began
  Energy minibatch_energy = {};       // between the first mark and the newest
  // Numbers of power samples: taken, missed (too late, or no space), and without a valid value.
  std::uint64_t samples = 0, lost = 0, missing = 0;
  double rate_hz = 0;         // actual sampling rate; 0 without power
  double sampling_cpu_s = 0;  // CPU time of the monitor
};

// A point of the charts. There is one per reading, for the newest `history` readings.
struct HistoryPoint {
  double time_s = 0;
  double total_w = 0;  // mean since the previous reading; NaN: missing
  std::vector<double> rail_w = {};
  double gpu_load = 0, cpu_load = 0;  // 0 to 1; NaN: unknown
  double gpu_clock_hz = 0;
  double hottest_celsius = 0;
};

struct MonitorOptions {
  double rate_hz = 20;        // of power samples: 1 to 1000
  double look_s = 1;          // between readings of everything except power: 0.1 to 60
  std::size_t history = 600;  // number of stored readings: 1 to 1,000,000
  // Throws UsageError that names the field.
  void check() const;
};

class Monitor {
 public:
  // Starts monitoring; `sysfs` must outlive the monitor. A power sensor is not required.
  explicit Monitor(const platform::Sysfs& sysfs, MonitorOptions options = {});
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Constant facts about the machine: identity, rails, and skipped rails.
  const platform::MachineSensors& sensors() const;

  // The newest reading, with the current power, energies and counts.
  Snapshot snapshot() const;
  // Waits for a reading with a number above `after`. Returns it, shared by all callers, or null
  // after `timeout_s`.
  std::shared_ptr<const Snapshot> wait(std::uint64_t after, double timeout_s) const;
  std::vector<HistoryPoint> history() const;

  // Sets the time between readings. Throws UsageError like MonitorOptions::check.
  void set_look(double look_s);
  void mark();  // marks the end of a minibatch
  std::size_t begin_window(const std::string& name);
  // Throws NotFoundError for an unknown number. Ending a window twice returns the first result.
  Window end_window(std::size_t number);
  // All open windows, and the newest 100 windows that have ended.
  std::vector<Window> windows() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::monitor
