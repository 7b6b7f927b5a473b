// Counts how often throttling began: counters that rose, signals that came on. What is on at the
// first look is a state of the machine and no event.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ridgewatt/platform/machine_sensors.h"

namespace ridgewatt::monitor {

class ThrottleWatch {
 public:
  // Events since the first look.
  std::uint64_t look(const platform::MachineReading& reading);

 private:
  bool first_ = true;
  std::map<std::string, std::int64_t> counters_;
  std::set<std::string> active_;
  std::uint64_t events_ = 0;
};

}  // namespace ridgewatt::monitor
