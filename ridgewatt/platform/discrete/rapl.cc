#include "ridgewatt/platform/rapl.h"

#include <algorithm>

namespace ridgewatt::platform {

std::vector<RaplZone> find_rapl_zones(const Sysfs& sysfs) {
  const std::string folder = "/sys/class/powercap";
  std::vector<RaplZone> zones;
  for (const auto& name : sysfs.list(folder)) {
    // intel-rapl-mmio is the same package again.
    if (name.rfind("intel-rapl:", 0) != 0) continue;
    RaplZone zone;
    zone.path = folder + "/" + name;
    zone.name = sysfs.text(zone.path + "/name").value_or(name);
    zone.max_energy_j = sysfs.number(zone.path + "/max_energy_range_uj").value_or(0) / 1e6;
    zone.error_number = sysfs.read(zone.path + "/energy_uj").error_number;
    const bool top_level = std::count(name.begin(), name.end(), ':') == 1;
    zone.in_total = top_level && zone.name.rfind("package", 0) == 0;
    zones.push_back(std::move(zone));
  }
  return zones;
}

double rapl_difference_j(double before_j, double after_j, double max_energy_j) {
  return after_j >= before_j ? after_j - before_j : after_j + max_energy_j - before_j;
}

}  // namespace ridgewatt::platform
