// Watches the power and activity of a machine for the terminal view, the server, and the metrics of
// a fleet. Power is sampled on its own thread and integrated sample by sample, so that a reader
// loses no energy, however rarely it asks. Clocks, loads, temperatures, throttling and processes
// are read more slowly.
//
//   Monitor monitor(*device.sysfs);
//   const Snapshot now = monitor.snapshot();               // any thread, any time
//   const auto next = monitor.wait(now.number, 2.0);       // the next look, or null after 2 s
//   const auto window = monitor.begin_window("epoch 1");
//   monitor.mark();                                        // a minibatch ended
//   monitor.end_window(window);                            // its joules and their error
//
// Memory use is constant: history is a ring, energies are running sums.
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

// Energy since the monitor began, or of a window. error_j bounds the sampling error
// (measure/energy.h); it does not include the accuracy of the sensor.
struct Energy {
  double energy_j = 0;
  double error_j = 0;
};

struct Rail {
  std::string name = {};
  std::string source = {};             // the device that provides it: "ina3221 1-0040"
  bool in_total = false;               // part of the module's total
  std::optional<double> power_w = {};  // newest sample; absent: missing
  Energy since_start = {};
};

// The settings of the board; knobs that it does not have are absent.
struct ModeState {
  std::string preset = {};  // with exactly this mode; empty: none
  std::optional<PowerMode> mode = {};
  std::string text = {};  // mode_text(mode)
};

// A process that holds GPU memory or uses much CPU time.
struct Process {
  int pid = 0;
  std::string name = {};
  double cpu_share = 0;         // of one core, since the previous reading
  double memory_bytes = 0;      // resident
  double gpu_memory_bytes = 0;  // 0: none, or unknown to the kernel
};

struct Window {
  std::size_t number = 0;
  std::string name = {};
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;    // of an open window: now
  bool ended = false;
  Energy energy = {};
  std::uint64_t minibatches = 0;  // marked during the window
};

struct Snapshot {
  std::uint64_t number = 0;  // of the reading; increases by one
  double time_s = 0;         // CLOCK_MONOTONIC
  double unix_time_s = 0;    // the same moment
  double since_s = 0;        // since the monitor began
  bool has_power = false;    // false: see `power_note`
  std::string power_source = {};
  std::string power_note = {};
  bool has_total = false;              // false: `total`, minibatches and windows have no energy
  double power_time_s = 0;             // of the newest sample, valid or not; 0: none yet
  std::optional<double> total_w = {};  // newest sample
  Energy total = {};                   // since start
  std::vector<Rail> rails = {};
  // Clocks, loads, temperatures, GPUs, ..; its power is that of the newest sample.
  platform::MachineReading machine = {};
  ModeState mode = {};
  std::vector<Process> processes = {};
  std::uint64_t throttle_events = 0;  // that began since start
  std::uint64_t minibatches = 0;      // marked since start
  Energy minibatch_energy = {};       // between the first mark and the newest
  // Samples of power: taken, missed (too late or no space), and without a value.
  std::uint64_t samples = 0, lost = 0, missing = 0;
  double rate_hz = 0;         // of sampling, as the sensor allows; 0 without power
  double sampling_cpu_s = 0;  // CPU time of the monitor
};

// The data of charts: one point per reading, the newest `history` ones.
struct HistoryPoint {
  double time_s = 0;
  double total_w = 0;  // mean since the previous reading; NaN: missing
  std::vector<double> rail_w = {};
  double gpu_load = 0, cpu_load = 0;  // 0..1; NaN: unknown
  double gpu_clock_hz = 0;
  double hottest_celsius = 0;
};

struct MonitorOptions {
  double rate_hz = 20;        // of power: 1 to 1000
  double look_s = 1;          // between two readings of everything else: 0.1 to 60
  std::size_t history = 600;  // readings kept
  // Throws UsageError.
  void check() const;
};

class Monitor {
 public:
  // Starts at once; `sysfs` must outlive the monitor. A machine without a power sensor is watched
  // too.
  explicit Monitor(const platform::Sysfs& sysfs, MonitorOptions options = {});
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // The constant facts of the machine: identity, rails and what was skipped.
  const platform::MachineSensors& sensors() const;

  // The newest reading, with current power, energies and counts.
  Snapshot snapshot() const;
  // The first reading after number `after`, shared by all waiters; null after `timeout_s`.
  std::shared_ptr<const Snapshot> wait(std::uint64_t after, double timeout_s) const;
  std::vector<HistoryPoint> history() const;

  // Sets the seconds between readings; throws UsageError like MonitorOptions::check.
  void set_look(double look_s);
  void mark();  // a minibatch ended
  std::size_t begin_window(const std::string& name);
  // Throws UsageError for an unknown number. Ending a window again returns the first result.
  Window end_window(std::size_t number);
  // Open windows and the newest 100 that have ended.
  std::vector<Window> windows() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::monitor
