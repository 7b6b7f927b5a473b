#include "ridgewatt/platform/machine_sensors.h"

namespace ridgewatt {

MachineSensors::MachineSensors(const Sysfs& sysfs)
    : sysfs_(sysfs),
      jetson_(identify_jetson(sysfs)),
      rails_(find_power_rails(sysfs, jetson_ ? jetson_->board : "")),
      rapl_(find_rapl_zones(sysfs)),
      reader_(sysfs) {
  if (sysfs.root().empty())
    nvml_ = Nvml::open(&nvml_note_);
  else
    nvml_note_ = "not asked for a recorded tree";
}

MachineReading MachineSensors::read() {
  MachineReading reading;
  double total_w = 0;
  bool complete = !rails_.total_rule.empty();
  for (const auto& channel : rails_.channels) {
    reading.power.push_back(read_power(sysfs_, channel));
    if (!channel.in_total) continue;
    total_w += reading.power.back().power_w;
    complete = complete && reading.power.back().error_number == 0;
  }
  if (complete) reading.total_w = total_w;
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

}  // namespace ridgewatt
