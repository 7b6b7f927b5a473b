// Reads all sensors of this machine, or of a recorded or fake board: identity, power rails and
// total, GPUs through NVML, RAPL, clocks, loads, temperatures, throttling, memory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/platform/jetson_identity.h"
#include "ridgewatt/platform/jetson_power.h"
#include "ridgewatt/platform/jetson_sensors.h"
#include "ridgewatt/platform/nvml.h"
#include "ridgewatt/platform/rapl.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

struct GpuReading {
  NvmlDevice device;
  std::optional<double> power_w;
  std::optional<double> clock_hz;
  std::optional<double> temperature_celsius;
  std::optional<double> load;
  std::vector<std::string> throttling;
};

struct MachineReading {
  std::vector<PowerReading> power;  // one per channel of MachineSensors::rails()
  std::optional<double> total_w;    // of the module; empty: no total, see rails().total_note
  std::vector<GpuReading> gpus;
  SensorSnapshot snapshot;
};

class MachineSensors {
 public:
  // `sysfs` must outlive this object. NVML is used only if the root is this machine.
  explicit MachineSensors(const Sysfs& sysfs);

  const std::optional<JetsonIdentity>& jetson() const { return jetson_; }
  const PowerRails& rails() const { return rails_; }
  const std::vector<RaplZone>& rapl() const { return rapl_; }
  const std::string& nvml_note() const { return nvml_note_; }  // why NVML is not available
  MachineReading read();
  // Reads everything except the rails and the total, for a caller that samples power separately.
  // Each rail takes about a millisecond.
  MachineReading read_without_power();

 private:
  const Sysfs& sysfs_;
  std::optional<JetsonIdentity> jetson_;
  PowerRails rails_;
  std::vector<RaplZone> rapl_;
  std::unique_ptr<Nvml> nvml_;
  std::string nvml_note_;
  SensorReader reader_;
};

}  // namespace ridgewatt::platform
