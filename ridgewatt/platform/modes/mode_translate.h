// Converts a power mode, or a preset of nvpmodel.conf, to values of the board's knob files.
#pragma once

#include "ridgewatt/device/power_mode.h"
#include "ridgewatt/platform/jetson_layout.h"
#include "ridgewatt/platform/mode_settings.h"
#include "ridgewatt/platform/nvpmodel_conf.h"
#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

// Fixed clocks (minimum = maximum, memory locked), or a governor between the lowest clock and the
// clock of the mode (if absent: the highest clock). A GPU without that governor uses its own
// dynamic one. Cores are used in ascending order; a policy without a used core keeps its limits. If
// not empty, `gpu_governor` is the governor of the GPU.
ModeSettings settings_of_mode(const Sysfs& sysfs, const JetsonLayout& layout, const PowerMode& mode,
                              const std::string& gpu_governor = "");

// The values that nvpmodel would write for `preset`, with the memory unlocked. -1 becomes the
// highest clock of the table. If an argument has two paths, the existing one is used (_KNEXT on
// newer kernels).
ModeSettings settings_of_preset(const Sysfs& sysfs, const JetsonLayout& layout, const NvpConf& conf,
                                const NvpMode& preset);

}  // namespace ridgewatt::platform
