#include "ridgewatt/platform/modes/mode_translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "ridgewatt/base/text.h"
#include "ridgewatt/io/path.h"

namespace ridgewatt::platform {
namespace {

constexpr const char* kNoLimit = "2147483647";
constexpr const char* kCpuTable = "/scaling_available_frequencies";
constexpr const char* kDevfreqTable = "/available_frequencies";

// `wanted` if the GPU has this governor, else its own dynamic governor: the first that is not one
// of the standard ones.
std::optional<std::string> gpu_governor(const std::vector<std::string>& known,
                                        const std::string& wanted) {
  std::optional<std::string> dynamic;
  for (const auto& name : known) {
    if (name == wanted) return name;
    const bool plain = name == "performance" || name == "powersave" || name == "userspace";
    if (!plain && !name.empty() && !dynamic) dynamic = name;
  }
  return dynamic;
}

// The range of a clock. Fixed: [maximum, maximum]. With a governor: [lowest, maximum].
void set_range(ClockSettings& clock, const std::vector<double>& table, double maximum,
               bool governed) {
  if (maximum > 0) clock.maximum = std::round(maximum);
  if (governed && !table.empty()) {
    clock.minimum = *std::min_element(table.begin(), table.end());
    if (!clock.maximum) clock.maximum = *std::max_element(table.begin(), table.end());
  } else if (!governed) {
    clock.minimum = clock.maximum;
  }
}

void add_cpus(const Sysfs& sysfs, const JetsonLayout& layout, const PowerMode& mode,
              ModeSettings& settings) {
  if (mode.cpu_cores > 0) {
    for (int cpu = 1; cpu < layout.cpu_count; ++cpu) {
      settings.cpus_online[cpu] = cpu < mode.cpu_cores;
    }
  }
  const bool governed = !mode.governor.empty();
  if (!governed && mode.cpu_clock_hz <= 0) return;
  for (const auto& policy : layout.cpu_policies) {
    const bool used =
        mode.cpu_cores == 0 || std::any_of(policy.cpus.begin(), policy.cpus.end(),
                                           [&](int cpu) { return cpu < mode.cpu_cores; });
    if (!used) continue;
    ClockSettings clock;
    clock.folder = policy.path;
    if (governed) clock.governor = mode.governor;
    set_range(clock, sysfs.numbers(policy.path + kCpuTable), mode.cpu_clock_hz / 1e3, governed);
    settings.cpus.push_back(std::move(clock));
  }
}

void add_devfreq(const Sysfs& sysfs, const std::string& folder, double clock_hz,
                 const std::string& governor, ModeSettings& settings) {
  if (governor.empty() && clock_hz <= 0) return;
  ClockSettings clock;
  clock.folder = folder;
  if (!governor.empty()) {
    clock.governor = gpu_governor(
        split(sysfs.text(folder + "/available_governors").value_or(""), ' '), governor);
  }
  set_range(clock, sysfs.numbers(folder + kDevfreqTable), clock_hz, !governor.empty());
  settings.devfreq.push_back(std::move(clock));
}

void add_memory(const Sysfs& sysfs, const EmcLayout& emc, const PowerMode& mode,
                ModeSettings& settings) {
  const bool governed = !mode.governor.empty();
  if (emc.kind == EmcLayout::Kind::kDevfreq) {
    add_devfreq(sysfs, folder_of(emc.current), mode.mem_clock_hz, mode.governor, settings);
    return;
  }
  if (governed) settings.emc_locked = false;
  if (mode.mem_clock_hz <= 0) return;
  const std::string rate = fmt::format("{:.0f}", mode.mem_clock_hz);
  const double cap = emc.cap.empty() ? 0 : sysfs.number(emc.cap).value_or(0);
  const bool too_low = cap > 0 && cap < mode.mem_clock_hz;
  if (governed || too_low) settings.emc_cap = rate;
  if (!governed) {
    settings.emc_rate = rate;
    settings.emc_locked = true;
  }
}

class PresetTranslator {
 public:
  PresetTranslator(const Sysfs& sysfs, const JetsonLayout& layout, const NvpConf& conf)
      : sysfs_(sysfs), layout_(layout), conf_(conf) {
    settings_.emc_locked = false;
    tpc_mask_ = layout.tpc_mask.empty() ? "-" : sysfs.resolve(layout.tpc_mask);
    gpu_power_ = layout.gpu_power.empty() ? "-" : sysfs.resolve(layout.gpu_power);
    emc_cap_ = layout.emc.cap.empty() ? "-" : sysfs.resolve(layout.emc.cap);
  }

  ModeSettings translate(const NvpMode& preset) {
    for (const auto& setting : preset.settings) add(setting);
    return std::move(settings_);
  }

 private:
  void add(const NvpSetting& setting) {
    const NvpParam* param = setting.param.empty() ? nullptr : conf_.param(setting.param);
    const bool is_clock = param != nullptr && param->type == NvpParam::Type::kClock;
    const std::string path =
        param == nullptr ? setting.argument : path_of(*param, setting.argument);
    const std::string value = is_clock && setting.value == "-1" ? kNoLimit : setting.value;
    const std::string real = sysfs_.resolve(path);
    const std::string name = file_name(path);
    int cpu = 0;
    if (name == "online" && std::sscanf(path.c_str(), "/sys/devices/system/cpu/cpu%d", &cpu) == 1) {
      if (cpu > 0) settings_.cpus_online[cpu] = value == "1";
    } else if (real == tpc_mask_) {
      settings_.tpc_mask = value;
    } else if (real == emc_cap_) {
      settings_.emc_cap = value;
    } else if (name == "scaling_min_freq" || name == "scaling_max_freq") {
      add_limit(settings_.cpus, cpu_folder(folder_of(path)), kCpuTable, name == "scaling_min_freq",
                value);
    } else if (name == "min_freq" || name == "max_freq") {
      add_limit(settings_.devfreq, gpu_folder(folder_of(path)), kDevfreqTable, name == "min_freq",
                value);
    } else if (real != gpu_power_) {  // the rail stays on during clock changes anyway
      settings_.others.push_back({path, value});
    }
  }

  std::string path_of(const NvpParam& param, const std::string& argument) const {
    const NvpParam::Argument* found = nullptr;
    for (const auto& entry : param.arguments) {
      if (entry.name == argument) found = &entry;
    }
    for (const auto& entry : param.arguments) {
      const bool next = entry.name == argument + "_KNEXT";
      if (next && (found == nullptr || !sysfs_.exists(found->path))) found = &entry;
    }
    if (found == nullptr) return "";
    return found->path + (found->attribute.empty() ? "" : "/" + found->attribute);
  }

  // The policy folder of a path such as cpu4/cpufreq.
  std::string cpu_folder(const std::string& folder) const {
    for (const auto& policy : layout_.cpu_policies) {
      if (sysfs_.resolve(policy.path) == sysfs_.resolve(folder)) return policy.path;
      for (const int cpu : policy.cpus) {
        if (folder == fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq", cpu)) return policy.path;
      }
    }
    return folder;
  }

  std::string gpu_folder(const std::string& folder) const {
    for (const auto& gpu : layout_.gpus) {
      if (sysfs_.resolve(gpu.path) == sysfs_.resolve(folder)) return gpu.path;
    }
    return folder;
  }

  void add_limit(std::vector<ClockSettings>& clocks, const std::string& folder, const char* table,
                 bool minimum, const std::string& text) {
    auto clock = std::find_if(clocks.begin(), clocks.end(),
                              [&](const auto& entry) { return entry.folder == folder; });
    if (clock == clocks.end()) {
      clocks.push_back({folder, {}, {}, {}, {}});
      clock = clocks.end() - 1;
    }
    double value = parse_double(text).value_or(0);
    const auto legal = sysfs_.numbers(folder + table);
    if (!legal.empty()) {
      value = std::clamp(value, *std::min_element(legal.begin(), legal.end()),
                         *std::max_element(legal.begin(), legal.end()));
    }
    (minimum ? clock->minimum : clock->maximum) = value;
  }

  const Sysfs& sysfs_;
  const JetsonLayout& layout_;
  const NvpConf& conf_;
  std::string tpc_mask_;
  std::string gpu_power_;
  std::string emc_cap_;
  ModeSettings settings_;
};

}  // namespace

ModeSettings settings_of_mode(const Sysfs& sysfs, const JetsonLayout& layout, const PowerMode& mode,
                              const std::string& gpu_governor) {
  ModeSettings settings;
  add_cpus(sysfs, layout, mode, settings);
  for (const auto& gpu : layout.gpus) {
    add_devfreq(sysfs, gpu.path, mode.gpu_clock_hz,
                gpu_governor.empty() ? mode.governor : gpu_governor, settings);
  }
  add_memory(sysfs, layout.emc, mode, settings);
  return settings;
}

ModeSettings settings_of_preset(const Sysfs& sysfs, const JetsonLayout& layout, const NvpConf& conf,
                                const NvpMode& preset) {
  return PresetTranslator(sysfs, layout, conf).translate(preset);
}

}  // namespace ridgewatt::platform
