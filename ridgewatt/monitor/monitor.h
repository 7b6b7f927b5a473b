// What a machine draws and does from now on, for whoever looks: the terminal view, the server, the
// metrics of a fleet. Power is sampled on a thread of its own and integrated as it comes, so that
// no reader, however seldom it asks, loses energy; clocks, loads, temperatures, throttling and
// processes are looked at beside it, more slowly.
//
//   Monitor monitor(*device.sysfs);
//   const Snapshot now = monitor.snapshot();               // any thread, any time
//   const auto next = monitor.wait(now.number, 2.0);       // the next look, or null after 2 s
//   const auto window = monitor.begin_window("epoch 1");
//   monitor.mark();                                        // a minibatch ended
//   monitor.end_window(window);                            // its joules and their error
//
// Memory does not grow with time: history is a ring, energies are running sums.
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

// Energy since the monitor began, or of a window; error_j bounds the error of sampling
// (measure/energy.h), the sensor's own accuracy is not in it.
struct Energy {
  double energy_j = 0;
  double error_j = 0;
};

struct Rail {
  std::string name = {};
  std::string source = {};             // the device that it is read from: "ina3221 1-0040"
  bool in_total = false;               // part of the module's total
  std::optional<double> power_w = {};  // newest sample; absent: missing
  Energy since_start = {};
};

// What the board is set to; absent knobs are those that it does not have.
struct ModeState {
  std::string preset = {};  // of exactly this mode; empty: none
  std::optional<PowerMode> mode = {};
  std::string text = {};  // mode_text(mode)
};

// A process that holds memory of the GPU or uses much of the processor.
struct Process {
  int pid = 0;
  std::string name = {};
  double cpu_share = 0;         // of one core, since the look before
  double memory_bytes = 0;      // resident
  double gpu_memory_bytes = 0;  // 0: none, or the kernel does not say
};

struct Window {
  std::size_t number = 0;
  std::string name = {};
  double begin_s = 0;  // CLOCK_MONOTONIC
  double end_s = 0;    // of an open window: now
  bool ended = false;
  Energy energy = {};
  std::uint64_t minibatches = 0;  // marked in it
};

struct Snapshot {
  std::uint64_t number = 0;  // of the look; rises by one
  double time_s = 0;         // CLOCK_MONOTONIC
  double unix_time_s = 0;    // the same moment
  double since_s = 0;        // since the monitor began
  bool has_power = false;    // else `power_note` says why not
  std::string power_source = {};
  std::string power_note = {};
  bool has_total = false;              // else `total`, minibatches and windows have no energy
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
  // Samples of power: taken, not taken in time or without room, and without a value.
  std::uint64_t samples = 0, lost = 0, missing = 0;
  double rate_hz = 0;         // of sampling, as the sensor allows; 0 without power
  double sampling_cpu_s = 0;  // CPU time that the monitor has used
};

// What charts show: one point for each look, the newest `history` ones.
struct HistoryPoint {
  double time_s = 0;
  double total_w = 0;  // mean since the look before; NaN: missing
  std::vector<double> rail_w = {};
  double gpu_load = 0, cpu_load = 0;  // 0..1; NaN: not known
  double gpu_clock_hz = 0;
  double hottest_celsius = 0;
};

struct MonitorOptions {
  double rate_hz = 20;        // of power: 1 to 1000
  double look_s = 1;          // between two looks at all else: 0.1 to 60
  std::size_t history = 600;  // looks kept
  // Throws UsageError.
  void check() const;
};

class Monitor {
 public:
  // Starts at once; `sysfs` must outlive this. A machine without a power sensor is watched all the
  // same.
  explicit Monitor(const platform::Sysfs& sysfs, MonitorOptions options = {});
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Of the machine, as it does not change: identity, rails and what was skipped.
  const platform::MachineSensors& sensors() const;

  // The newest look, with power, energies and counts as they are now.
  Snapshot snapshot() const;
  // The first look after number `after`, shared among all who wait; null after `timeout_s`.
  std::shared_ptr<const Snapshot> wait(std::uint64_t after, double timeout_s) const;
  std::vector<HistoryPoint> history() const;

  // Seconds between two looks from now on; throws UsageError as MonitorOptions::check.
  void set_look(double look_s);
  void mark();  // a minibatch ended
  std::size_t begin_window(const std::string& name);
  // UsageError for a number that there is not. Ended twice: as it was the first time.
  Window end_window(std::size_t number);
  // Open ones and the newest 100 that ended.
  std::vector<Window> windows() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace ridgewatt::monitor
