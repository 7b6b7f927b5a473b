// Tracks the current mode of a board. The mode is read again only if the sensors show a change, or
// after ten readings.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::monitor {

class ModeWatch {
 public:
  explicit ModeWatch(const platform::Sysfs& sysfs);
  // Empty for a machine without knobs.
  ModeState look(const platform::SensorSnapshot& snapshot);

 private:
  ModeState read() const;

  const platform::Sysfs& sysfs_;
  platform::JetsonLayout layout_;
  std::optional<platform::NvpConf> presets_;
  std::string seen_;  // limits, governors, cores
  int age_ = 0;       // readings since the mode was read
  ModeState state_;
};

}  // namespace ridgewatt::monitor
