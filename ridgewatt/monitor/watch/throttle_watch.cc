#include "ridgewatt/monitor/watch/throttle_watch.h"

#include <fmt/format.h>

#include <utility>

namespace ridgewatt::monitor {

std::uint64_t ThrottleWatch::look(const platform::MachineReading& reading) {
  std::set<std::string> active;
  std::map<std::string, std::int64_t> counters;
  for (const auto& signal : reading.snapshot.throttling) {
    if (signal.active()) active.insert(signal.name);
    if (signal.counter) counters[signal.name] += signal.value;  // two chips may use the same name
  }
  for (const auto& [name, value] : counters) {
    const auto old = counters_.find(name);
    if (old == counters_.end() || value <= old->second) continue;
    events_ += static_cast<std::uint64_t>(value - old->second);
  }
  for (const auto& gpu : reading.gpus) {
    for (const auto& reason : gpu.throttling) {
      active.insert(fmt::format("gpu {} {}", gpu.device.index, reason));
    }
  }
  for (const auto& name : active) events_ += first_ || active_.count(name) > 0 ? 0 : 1;
  first_ = false;
  active_ = std::move(active);
  counters_ = std::move(counters);
  return events_;
}

}  // namespace ridgewatt::monitor
