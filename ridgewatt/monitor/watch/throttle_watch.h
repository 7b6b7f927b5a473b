// Counts the starts of throttling: counters that rose, signals that turned on. Signals that are on
// at the first reading are a state of the machine, not an event.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ridgewatt/platform/machine_sensors.h"

namespace ridgewatt::monitor {

class ThrottleWatch {
 public:
  // Events since the first reading.
  std::uint64_t look(const platform::MachineReading& reading);

 private:
  bool first_ = true;
  std::map<std::string, std::int64_t> counters_;
  std::set<std::string> active_;
  std::uint64_t events_ = 0;
};

}  // namespace ridgewatt::monitor
