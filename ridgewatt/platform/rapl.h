// Energy counters of x86 processors: the kernel's powercap files (RAPL).
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

struct RaplZone {
  std::string name;  // "package-0", "core", "dram", "psys"
  std::string path;
  double max_energy_j = 0;  // the counter wraps around here
  bool in_total = false;    // packages are in the total; psys is not: it contains them
  int error_number = 0;     // errno of reading the counter; EACCES: only root may read it
};

std::vector<RaplZone> find_rapl_zones(const Sysfs& sysfs);

// Energy between two readings of a counter that wraps around at `max_energy_j`.
double rapl_difference_j(double before_j, double after_j, double max_energy_j);

}  // namespace ridgewatt::platform
