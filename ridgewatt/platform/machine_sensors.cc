#include "ridgewatt/platform/machine_sensors.h"

#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/power_source.h"

namespace ridgewatt::platform {

MachineSensors::MachineSensors(const Sysfs& sysfs)
    : sysfs_(sysfs),
      jetson_(identify_jetson(sysfs)),
      rails_(find_power_rails(sysfs, jetson_ ? jetson_->board : "")),
      rapl_(find_rapl_zones(sysfs)),
      reader_(sysfs) {
  if (!sysfs.root().empty()) {
    nvml_note_ = "not asked for a recorded tree";
    return;
  }
  try {
    nvml_ = Nvml::open();
  } catch (const NotSupportedError& error) {
    nvml_note_ = error.what();
  }
}

MachineReading MachineSensors::read() {
  MachineReading reading = read_without_power();
  for (const auto& channel : rails_.channels) {
    reading.power.push_back(read_power(sysfs_, channel));
  }
  const auto total_w = total_power_w(rails_.channels, [&](std::size_t i) {
    const PowerReading& power = reading.power[i];
    return power.error_number == 0 ? power.power_w : std::numeric_limits<double>::quiet_NaN();
  });
  if (total_w && !std::isnan(*total_w)) reading.total_w = total_w;
  return reading;
}

MachineReading MachineSensors::read_without_power() {
  MachineReading reading;
  if (nvml_) {
    for (const auto& device : nvml_->devices()) {
      const int i = device.index;
      reading.gpus.push_back({device, nvml_->power_w(i), nvml_->gpu_clock_hz(i),
                              nvml_->temperature_celsius(i), nvml_->load(i),
                              nvml_->throttle_reasons(i)});
    }
  }
  reading.snapshot = reader_.read();
  return reading;
}

}  // namespace ridgewatt::platform
