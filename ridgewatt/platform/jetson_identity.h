// Identifies the board from the device tree, the presets of nvpmodel, the L4T release file and the
// memory size, without root. The board files state which of these facts match.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

struct JetsonIdentity {
  std::string model;                    // "NVIDIA Jetson AGX Orin Developer Kit"
  std::vector<std::string> compatible;  // most specific first
  std::string soc;                      // "tegra234"; empty: unknown
  std::string module;                   // "p3701-0005"; empty: unknown
  std::string board;                    // "orin-nano-8gb@super"; empty: no board file matches
  bool super = false;                   // the BSP with the "super" modes is installed
  std::string l4t;                      // "36.4.3"; empty: no release file
  std::string jetpack;                  // "6.2"; empty: unknown
  double memory_bytes = 0;              // MemTotal; 0: unknown
};

// Empty if there is no device tree and no release file of a Jetson.
std::optional<JetsonIdentity> identify_jetson(const Sysfs& sysfs);

// The JetPack release for an L4T release ("36.4.3" gives "6.2"); empty if unknown.
std::string jetpack_of_l4t(const std::string& l4t);

}  // namespace ridgewatt::platform
