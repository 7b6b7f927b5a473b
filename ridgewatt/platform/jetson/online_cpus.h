// Determines which CPUs are on.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/platform/jetson_layout.h"

namespace ridgewatt::platform {

// cpu0 often has no `online` file, since it is always on.
inline bool is_online(const Sysfs& sysfs, int cpu) {
  return sysfs.text(fmt::format("{}/cpu{}/online", kCpuFolder, cpu)).value_or("1") == "1";
}

inline int online_cpus(const Sysfs& sysfs, const JetsonLayout& layout) {
  int online = 0;
  for (int cpu = 0; cpu < layout.cpu_count; ++cpu) online += is_online(sysfs, cpu) ? 1 : 0;
  return online;
}

inline bool any_online(const Sysfs& sysfs, const CpuPolicy& policy) {
  return std::any_of(policy.cpus.begin(), policy.cpus.end(),
                     [&](int cpu) { return is_online(sysfs, cpu); });
}

}  // namespace ridgewatt::platform
