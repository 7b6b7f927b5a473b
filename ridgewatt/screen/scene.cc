#include "ridgewatt/screen/scene.h"

#include <algorithm>

#include "ridgewatt/base/text.h"
#include "ridgewatt/platform/jetson_sensors.h"

namespace ridgewatt::screen {
namespace {

constexpr std::size_t kMostThrottlings = 50;

}  // namespace

BoardFacts board_facts(const platform::MachineSensors& sensors, const platform::Sysfs& sysfs,
                       bool fake) {
  BoardFacts facts;
  facts.provenance = fake ? "fake" : "measured";
  facts.total_rule = sensors.rails().total_rule;
  if (const auto& jetson = sensors.jetson()) {
    facts.name = jetson->model.empty() ? "Jetson" : jetson->model;
    if (!jetson->jetpack.empty()) facts.system = "JetPack " + jetson->jetpack;
    if (!jetson->l4t.empty())
      facts.system += (facts.system.empty() ? "L4T " : ", L4T ") + jetson->l4t;
    return facts;
  }
  facts.name = sysfs.text("/proc/sys/kernel/hostname").value_or("this machine");
  facts.system = "Linux " + sysfs.text("/proc/sys/kernel/osrelease").value_or("");
  facts.system = trim(facts.system);
  return facts;
}

void ThrottleLog::look(const monitor::Snapshot& now) {
  const auto& signals = now.machine.snapshot.throttling;
  // At the first reading, counters are ignored, since they include all events since boot.
  const auto& before = looked_ ? before_ : signals;
  for (const auto& signal : signals) {
    if (platform::throttled(before, {signal}).empty()) continue;
    const auto old = std::find_if(before.begin(), before.end(),
                                  [&](const auto& one) { return one.name == signal.name; });
    const bool counted = signal.counter && old != before.end();
    note(std::string(name_of(signal.kind)) + ": " + signal.name, now.time_s,
         counted ? signal.value - old->value : 0);
  }
  for (const auto& gpu : now.machine.gpus) {
    for (const auto& reason : gpu.throttling) note(gpu.device.name + ": " + reason, now.time_s, 0);
  }
  for (auto& entry : entries_) entry.active = entry.last_s == now.time_s;
  before_ = signals;
  looked_ = true;
}

// `times`: number of events counted since the last reading; 0 if the board does not count them.
void ThrottleLog::note(const std::string& what, double now_s, std::int64_t times) {
  auto found = std::find_if(entries_.begin(), entries_.end(),
                            [&](const Throttling& entry) { return entry.what == what; });
  if (found == entries_.end()) {
    if (entries_.size() == kMostThrottlings) return;
    found = entries_.insert(entries_.end(), Throttling{what});
  }
  if (!found->active) found->since_s = now_s;
  found->times += times > 0 ? times : found->active ? 0 : 1;
  found->last_s = now_s;
}

}  // namespace ridgewatt::screen
