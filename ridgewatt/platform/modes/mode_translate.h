// From a power mode, or a preset of nvpmodel.conf, to the values of the board's knob files.
#pragma once

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/mode_settings.h"
#include "ridgewatt/platform/nvpmodel_conf.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

// Fixed clocks (minimum = maximum, memory locked), or a governor between the lowest clock and the
// mode's (or the highest). A GPU without that governor gets its own dynamic one. Cores are taken
// from the first on; a policy that has none of them keeps its limits. `gpu_governor`, where it is
// not empty, is the GPU's, whatever the others have.
ModeSettings settings_of_mode(const Sysfs& sysfs, const JetsonLayout& layout, const PowerMode& mode,
                              const std::string& gpu_governor = "");

// What nvpmodel would write for `preset`, with the memory unlocked; -1 becomes the table's highest.
// Of two paths for one argument the one that exists is taken (_KNEXT on newer kernels).
ModeSettings settings_of_preset(const Sysfs& sysfs, const JetsonLayout& layout, const NvpConf& conf,
                                const NvpMode& preset);

}  // namespace ridgewatt::platform
