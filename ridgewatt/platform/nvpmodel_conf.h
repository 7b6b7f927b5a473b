// NVIDIA's power modes: the board's own nvpmodel.conf, read by its full grammar. Modes are known by
// name; ids differ between boards. nvpmodel itself is never started: it may ask to reboot, and in a
// container it only pretends.
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
  int skipped_sections = 0;  // of unknown kinds

  const NvpParam* param(std::string_view name) const;
  // By name, or by id when the name is a number. NotFoundError names the modes that there are.
  const NvpMode& mode(const std::string& name) const;
};

// Throws InputError with the line on anything outside the grammar: a header without its key, a
// setting of an unknown parameter, a value that is not a number, two modes with one id or name.
NvpConf parse_nvpmodel_conf(std::string_view text, const std::string& source);

// Cores and upper limits of a preset; a limit of -1 (or 0 for memory) leaves the knob absent: the
// board's highest.
PowerMode limits_of(const NvpConf& conf, const NvpMode& mode);

// A POWER_MODEL section that fixes `mode`, with the parameters that `conf` has; appended to the
// board's own file it makes a mode for `nvpmodel -f FILE -m ID`. Throws UsageError when the id or
// the name is taken or the name is not one word.
std::string power_model_section(const NvpConf& conf, const PowerMode& mode, int id,
                                const std::string& name);

}  // namespace ridgewatt::platform
