// NVIDIA's power modes: parses the board's own nvpmodel.conf. Modes are identified by name, since
// ids differ between boards. The program nvpmodel is never started: it may ask to reboot, and in a
// container it has no effect.
//
//   < PARAM TYPE=CLOCK NAME=GPU >          lines  ARG path   (HWMON: ARG folder attribute)
//   < POWER_MODEL ID=2 NAME=MODE_30W >     lines  PARAM ARG value, applied in this order
//   < PM_CONFIG DEFAULT=2 >, < FAN_CONFIG DEFAULT=quiet >, and kinds that are skipped
//   old files (L4T 27 and 28): lines  path value  inside POWER_MODEL
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/device/power_mode.h"

namespace ridgewatt::platform {

struct NvpParam {
  enum class Type { kFile, kClock, kHwmon };
  struct Argument {
    std::string name;  // CORE_0, MAX_FREQ, MAX_FREQ_KNEXT
    std::string path;
    std::string attribute;  // HWMON: file in the folder `path`
  };
  Type type = Type::kFile;
  std::string name;  // CPU_ONLINE, GPU, EMC
  std::vector<Argument> arguments;
};

struct NvpSetting {
  std::string param;     // empty in old files
  std::string argument;  // in old files the path
  std::string value;
};

struct NvpMode {
  int id = 0;
  std::string name;
  std::vector<NvpSetting> settings;
};

struct NvpConf {
  std::string source;
  std::vector<NvpParam> params;
  std::vector<NvpMode> modes;
  std::optional<int> default_id;
  std::string fan_default;
  int skipped_sections = 0;  // sections of unknown kinds

  const NvpParam* param(std::string_view name) const;
  // Finds a mode by id, or by name like find_preset(): "30W" finds MODE_30W. Throws NotFoundError
  // that lists the modes, or UsageError that lists the modes if several match.
  const NvpMode& mode(const std::string& name) const;
};

// Throws InputError with the line for any violation of the grammar: a header without its key, a
// setting of an unknown parameter, a value that is not a number, two modes with the same id or
// name.
NvpConf parse_nvpmodel_conf(std::string_view text, const std::string& source);

// Cores and upper limits of a preset. A limit of -1 (or 0 for memory) means the highest clock of
// the board; its knob is then absent.
PowerMode limits_of(const NvpConf& conf, const NvpMode& mode);

// Formats a POWER_MODEL section that sets `mode`, with the parameters in `conf`. Append it to the
// board's file to define a mode for `nvpmodel -f FILE -m ID`. Throws UsageError if the id or name
// exists or the name is not one word.
std::string power_model_section(const NvpConf& conf, const PowerMode& mode, int id,
                                const std::string& name);

}  // namespace ridgewatt::platform
