// Samples the total power of a board and finds external disturbances while a program is tuned on
// the board.
#pragma once

#include <sys/types.h>

#include <memory>
#include <vector>

#include "ridgewatt/measure/in_place.h"
#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/platform/jetson_sensors.h"
#include "ridgewatt/platform/power_source.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::measure {

class BoardWatch {
 public:
  // Processes of `program` do not count as disturbances. Starts a thread. Throws IoError if the
  // machine has no power sensor.
  BoardWatch(const platform::Sysfs& sysfs, pid_t program);
  // Appends the valid samples since the last call.
  void drain(std::vector<TimedPower>& power);
  TunedProgram::Surroundings surroundings();
  bool tells_means() const { return source_->tells_means(); }

 private:
  const platform::Sysfs& sysfs_;
  pid_t program_;
  platform::PowerMeter meter_;
  platform::PowerSource* source_ = nullptr;
  std::unique_ptr<Sampler> sampler_;
  std::vector<PowerSample> samples_;
  platform::SensorReader reader_;
  std::vector<platform::ThrottleSignal> first_throttling_;
};

}  // namespace ridgewatt::measure
