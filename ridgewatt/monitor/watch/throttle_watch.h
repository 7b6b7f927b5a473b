// Counts throttling events: counters that increased and signals that became active. A signal that
// is active at the first reading is not an event.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ridgewatt/platform/machine_sensors.h"

namespace ridgewatt::monitor {

class ThrottleWatch {
 public:
  // Number of events since the first reading.
  std::uint64_t look(const platform::MachineReading& reading);

 private:
  bool first_ = true;
  std::map<std::string, std::int64_t> counters_;
  std::set<std::string> active_;
  std::uint64_t events_ = 0;
};

}  // namespace ridgewatt::monitor
