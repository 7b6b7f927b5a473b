// The mode that a board is set to, read again only when what the sensors show of it has changed,
// or ten looks have passed.
#pragma once

#include <optional>
#include <string>

#include "ridgewatt/monitor/monitor.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::monitor {

class ModeWatch {
 public:
  explicit ModeWatch(const platform::Sysfs& sysfs);
  // Of a machine without clocks that can be set: empty.
  ModeState look(const platform::SensorSnapshot& snapshot);

 private:
  ModeState read() const;

  const platform::Sysfs& sysfs_;
  platform::JetsonLayout layout_;
  std::optional<platform::NvpConf> presets_;
  std::string seen_;  // limits, governors, cores
  int age_ = 0;       // looks since it was read
  ModeState state_;
};

}  // namespace ridgewatt::monitor
