#include "ridgewatt/platform/mode_control.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/platform/jetson/online_cpus.h"
#include "ridgewatt/platform/modes/mode_translate.h"

namespace ridgewatt::platform {
namespace {

std::vector<std::string> words(const std::optional<std::string>& text) {
  std::vector<std::string> result;
  for (auto& word : split(text.value_or(""), ' ')) {
    if (!word.empty()) result.push_back(std::move(word));
  }
  return result;
}

constexpr double kSameClockHz = 1e6;  // 2133 MHz matches 2133.0 and 2133.3

std::string in_mhz(const std::vector<double>& clocks_hz) {
  std::string text;
  for (const double hz : clocks_hz)
    text += fmt::format("{}{:g}", text.empty() ? "" : ", ", mhz_of_hz(hz));
  return text + " MHz";
}

// Settings that set every fan to full speed and disable the kernel's fan control.
std::vector<FileSetting> full_fan(const Sysfs& sysfs) {
  std::vector<FileSetting> settings;
  const auto add = [&](const std::string& path, const char* value) {
    if (sysfs.exists(path)) settings.push_back({path, value});
  };
  for (const auto& chip : sysfs.list("/sys/class/hwmon")) {
    const std::string folder = "/sys/class/hwmon/" + chip;
    const auto name = sysfs.text(folder + "/name");
    if (name != "pwmfan" && name != "pwm-fan") continue;
    add(folder + "/pwm1_enable", "1");
    add(folder + "/pwm1", "255");
  }
  add("/sys/devices/pwm-fan/temp_control", "0");  // JetPack 4
  add("/sys/devices/pwm-fan/target_pwm", "255");
  if (settings.empty())
    throw NotSupportedError("the fan of this board cannot be set", sysfs.root(), "omit --full-fan");
  return settings;
}

// Settings that disable every idle state of every core, as jetson_clocks does.
std::vector<FileSetting> no_idle_states(const Sysfs& sysfs, int cpus) {
  std::vector<FileSetting> settings;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    const std::string folder = fmt::format("{}/cpu{}/cpuidle", kCpuFolder, cpu);
    for (const auto& state : sysfs.list(folder)) {
      const std::string path = folder + "/" + state + "/disable";
      if (sysfs.exists(path)) settings.push_back({path, "1"});
    }
  }
  if (settings.empty())
    throw NotSupportedError("this board has no CPU idle states", kCpuFolder,
                            "omit --no-idle-states");
  return settings;
}

KnobSpace::Levels knob_levels(const Sysfs& sysfs, const JetsonLayout& layout) {
  KnobSpace::Levels levels;
  auto& cores = levels[Knob::kCpuCores];
  for (int cpu = 0; cpu < layout.cpu_count; ++cpu) {
    const std::string path = fmt::format("/sys/devices/system/cpu/cpu{}/online", cpu);
    if (cpu > 0 && sysfs.exists(path)) cores.push_back(cpu + 1);
  }
  if (!cores.empty()) cores.push_back(1);
  if (!layout.cpu_policies.empty()) {
    auto& clocks = levels[Knob::kCpuClock];
    clocks = sysfs.numbers(layout.cpu_policies[0].path + "/scaling_available_frequencies");
    for (double& clock : clocks) clock *= 1e3;
  }
  if (!layout.gpus.empty()) {
    levels[Knob::kGpuClock] = sysfs.numbers(layout.gpus[0].path + "/available_frequencies");
  }
  levels[Knob::kMemClock] = emc_rates_hz(sysfs, layout.emc);
  bool any = false;
  for (auto& level : levels) {
    level.erase(std::remove_if(level.begin(), level.end(), [](double v) { return !(v > 0); }),
                level.end());
    any = any || !level.empty();
  }
  if (!any) {
    throw NotSupportedError("this machine has no power-mode knobs", sysfs.root(),
                            "only NVIDIA Jetson boards have them; to tune the number of threads, "
                            "write {threads} in the command");
  }
  return levels;
}

std::string matching_preset(const KnobSpace::Levels& levels, const NvpConf& conf,
                            const ModeState& state) {
  std::string name;
  for (const auto& preset : conf.modes) {
    const PowerMode limits = limits_of(conf, preset);
    bool same = true;
    for (const Knob knob : kKnobs) {
      const auto& table = levels[knob];
      const double limit = limits.get(knob);
      if (table.empty()) continue;
      // Presets may name clocks that are not in the table (640 MHz of the Nano): the kernel rounds
      // down.
      double low = *std::min_element(table.begin(), table.end());
      double high = *std::max_element(table.begin(), table.end());
      for (const double value : table) {
        if (value <= limit) low = std::max(low, value);
      }
      if (limit > 0)
        high = limit;
      else
        low = high;
      const double now = state.limits.get(knob);
      same = same && now >= 0.995 * low && now <= 1.005 * high;
    }
    if (same) name = preset.name;
  }
  return name;
}

// While the memory clock is not locked, it follows the load, and only the cap of nvpmodel limits
// it.
double memory_limit_hz(const Sysfs& sysfs, const EmcLayout& emc, bool locked) {
  static constexpr double kNoCap = 2147483647;
  const double rate_hz = sysfs.number(emc.current).value_or(0);
  const auto rates_hz = emc_rates_hz(sysfs, emc);
  if (locked || rates_hz.empty()) return rate_hz;
  const double cap_hz = emc.cap.empty() ? 0 : sysfs.number(emc.cap).value_or(0);
  return cap_hz > 0 && cap_hz != kNoCap ? std::min(cap_hz, rates_hz.back()) : rates_hz.back();
}

}  // namespace

ModeState read_mode_state(const Sysfs& sysfs, const JetsonLayout& layout, const NvpConf* presets) {
  ModeState state;
  state.limits.cpu_cores = online_cpus(sysfs, layout);
  const auto range = [&](const std::string& minimum, const std::string& maximum, double unit,
                         double& clock_hz) {
    const double low = sysfs.number(minimum).value_or(0) * unit;
    clock_hz = sysfs.number(maximum).value_or(0) * unit;
    return clock_hz > 0 && low == clock_hz;
  };
  if (!layout.cpu_policies.empty()) {
    const std::string& policy = layout.cpu_policies[0].path;
    state.cpu_fixed = range(policy + "/scaling_min_freq", policy + "/scaling_max_freq", 1e3,
                            state.limits.cpu_clock_hz);
    state.limits.governor = sysfs.text(policy + "/scaling_governor").value_or("");
  }
  if (!layout.gpus.empty()) {
    const std::string& gpu = layout.gpus[0].path;
    state.gpu_fixed = range(gpu + "/min_freq", gpu + "/max_freq", 1, state.limits.gpu_clock_hz);
    state.gpu_governor = sysfs.text(gpu + "/governor").value_or("");
  }
  const auto& emc = layout.emc;
  if (emc.kind == EmcLayout::Kind::kDevfreq) {
    state.mem_fixed = range(emc.minimum, emc.maximum, 1, state.limits.mem_clock_hz);
  } else if (emc.kind != EmcLayout::Kind::kNone) {
    state.mem_fixed = sysfs.text(emc.lock.empty() ? emc.state : emc.lock) == "1";
    state.limits.mem_clock_hz = memory_limit_hz(sysfs, emc, state.mem_fixed);
  }
  if (presets != nullptr && !state.cpu_fixed && !state.gpu_fixed) {
    state.preset = matching_preset(knob_levels(sysfs, layout), *presets, state);
  }
  return state;
}

JetsonModeControl::JetsonModeControl(Sysfs& sysfs, Options options)
    : sysfs_(sysfs), options_(std::move(options)), layout_(find_jetson_layout(sysfs)) {
  if (options_.state_folder.empty()) options_.state_folder = ModeJournal::default_folder(sysfs);
  if (const auto text = sysfs.text("/etc/nvpmodel.conf")) {
    conf_ = parse_nvpmodel_conf(*text, "/etc/nvpmodel.conf");
  }
  // Without write permission, leave the journal of a dead run to a process that has it. Skip the
  // journal of this process.
  const bool journal = ::access((options_.state_folder + "/mode.journal").c_str(), F_OK) == 0;
  if (journal && !options_.dry_run && !holds_mode() &&
      ::access(options_.state_folder.c_str(), W_OK) == 0) {
    try {
      recover_mode(sysfs_, layout_, options_.state_folder, /*wait_s=*/0);
    } catch (const NotSupportedError& error) {  // apply() will fail; reading still works
      warning_ = error.what();
    } catch (const IoError& error) {  // another process holds a mode; apply() waits for it
      warning_ = error.what();
    }
  }
  if (options_.full_fan) held_ = full_fan(sysfs);
  if (options_.no_idle_states) {
    const auto idle = no_idle_states(sysfs, layout_.cpu_count);
    held_.insert(held_.end(), idle.begin(), idle.end());
  }
}

KnobSpace::Levels JetsonModeControl::levels() const {
  return knob_levels(sysfs_, layout_);
}

std::vector<std::string> JetsonModeControl::governors() const {
  if (layout_.cpu_policies.empty()) return {};
  auto names = words(sysfs_.text(layout_.cpu_policies[0].path + "/scaling_available_governors"));
  names.erase(std::remove(names.begin(), names.end(), "userspace"), names.end());
  return names;
}

std::vector<std::string> JetsonModeControl::gpu_governors() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < layout_.gpus.size(); ++i) {
    const auto known = words(sysfs_.text(layout_.gpus[i].path + "/available_governors"));
    if (i == 0) names = known;
    std::erase_if(names, [&](const auto& name) { return !contains(known, name); });
  }
  std::erase(names, "userspace");
  return names;
}

ModeState JetsonModeControl::state() const {
  return read_mode_state(sysfs_, layout_, conf_ ? &*conf_ : nullptr);
}

PowerMode JetsonModeControl::nearest(const PowerMode& mode) const {
  const auto levels = this->levels();
  PowerMode result = mode;
  for (const Knob knob : kKnobs) {
    const auto& table = levels[knob];
    if (!mode.has(knob)) continue;
    if (table.empty()) {
      throw NotSupportedError("the knob cannot be set on this board", std::string(knob_field(knob)),
                              knob == Knob::kMemClock ? "setting the memory clock needs root" : "");
    }
    const double wanted = mode.get(knob);
    const double best = *std::min_element(table.begin(), table.end(), [&](double a, double b) {
      return std::abs(a - wanted) < std::abs(b - wanted);
    });
    if (knob == Knob::kCpuCores && best != wanted) {
      throw UsageError("the board cannot run with this number of cores",
                       fmt::format("{:.0f}", wanted), fmt::format("give 1 to {}", table.size()));
    }
    const double low = *std::min_element(table.begin(), table.end());
    const double high = *std::max_element(table.begin(), table.end());
    if (wanted < 0.9 * low || wanted > 1.1 * high) {
      throw UsageError(
          fmt::format("{:g} MHz is outside the clock table of the board", mhz_of_hz(wanted)),
          std::string(knob_field(knob)),
          fmt::format("must be {:g} to {:g} MHz", mhz_of_hz(low), mhz_of_hz(high)));
    }
    // If memory clocks are not listed, only the ends of the range are known. Reject any other
    // clock.
    if (knob == Knob::kMemClock && std::abs(best - wanted) > kSameClockHz &&
        !lists_emc_rates(sysfs_, layout_.emc)) {
      throw UsageError(
          fmt::format(
              "the board does not list its memory clocks, so {:g} MHz may not be one of them",
              mhz_of_hz(wanted)),
          layout_.emc.possible_rates, "give one of the known clocks: " + in_mhz(table));
    }
    result.set(knob, best);
  }
  return result;
}

void JetsonModeControl::require_writable(const WriteSummary& plan) const {
  for (const auto& write : plan.writes) {
    if (::access(sysfs_.host_path(write.path).c_str(), W_OK) == 0) continue;
    throw_errno(errno, "cannot set the power mode", write.path + " (changing modes needs root)");
  }
}

// A service that controls the fan would overwrite its setting within seconds.
void JetsonModeControl::require_held() const {
  for (const auto& [path, value] : held_) {
    const std::string found = sysfs_.text(path).value_or("unreadable");
    if (found == value) continue;
    throw IoError(fmt::format("was set to {}, but is now {}", value, found), path,
                  "another program sets it; for the fan, run 'systemctl stop nvfancontrol'");
  }
}

ApplySummary JetsonModeControl::write(const PowerMode& requested, ModeSettings settings) {
  settings.others.insert(settings.others.end(), held_.begin(), held_.end());
  ApplySummary summary;
  summary.requested = requested;
  WriteOptions plan_options;
  plan_options.dry_run = true;
  const WriteSummary plan = write_mode_settings(sysfs_, layout_, settings, plan_options);
  if (options_.dry_run) {
    summary.written = plan;
    summary.applied = requested;
    return summary;
  }
  require_writable(plan);
  if (!guardian_) {
    throttling_ = read_throttling(sysfs_);
    guardian_ =
        std::make_unique<ModeGuardian>(sysfs_, layout_, options_.state_folder, settings.others);
  }
  try {
    summary.written = write_mode_settings(sysfs_, layout_, settings);
    require_held();
  } catch (...) {
    restore();
    throw;
  }
  check_safety();
  summary.applied = state().limits;
  return summary;
}

void JetsonModeControl::require_governors(const PowerMode& mode,
                                          const std::string& gpu_governor) const {
  const auto known = governors(), known_of_gpu = gpu_governors();
  const auto list = [](const std::vector<std::string>& names) {
    return names.empty() ? std::string("it shows none")
                         : fmt::format("choose one of {}", fmt::join(names, ", "));
  };
  if (const auto limit_w = power_limit_w(mode)) {
    throw UsageError("a power limit cannot be set", fmt::format("limit={:g}", *limit_w),
                     fmt::format("choose clocks, or a preset; for a GPU card use `nvidia-smi "
                                 "--power-limit {:g}`",
                                 *limit_w));
  }
  if (!mode.governor.empty() && !contains(known, mode.governor)) {
    const bool of_gpu = contains(known_of_gpu, mode.governor);
    throw UsageError(
        of_gpu ? "this is a governor of the GPU, not of the CPU" : "the CPU has no such governor",
        mode.governor, of_gpu ? "give it as --gpu-governor" : list(known));
  }
  if (!gpu_governor.empty() && !contains(known_of_gpu, gpu_governor)) {
    throw UsageError("the GPU has no such governor", gpu_governor, list(known_of_gpu));
  }
}

ApplySummary JetsonModeControl::apply(const PowerMode& mode) {
  return apply(mode, "");
}

ApplySummary JetsonModeControl::apply(const PowerMode& mode, const std::string& gpu_governor) {
  const PowerMode target = nearest(mode);
  require_governors(mode, gpu_governor);
  ApplySummary summary = write(mode, settings_of_mode(sysfs_, layout_, target, gpu_governor));
  if (options_.dry_run) {
    summary.applied = target;
    return summary;
  }
  summary.applied.governor = mode.governor;
  for (const Knob knob : kKnobs) {
    // Measured clocks differ from the request by a few MHz. A larger difference means a refusal.
    const double wanted = target.get(knob);
    const double found = summary.applied.get(knob);
    if (wanted > 0 && std::abs(found - wanted) > 0.01 * wanted) {
      restore();
      throw IoError(
          fmt::format(
              "the board did not set {} to {:g} (it is {:g}); the original mode was restored",
              knob_field(knob), knob_in_field_unit(target, knob),
              knob_in_field_unit(summary.applied, knob)),
          describe(target), "another program may have set the power mode");
    }
  }
  return summary;
}

ApplySummary JetsonModeControl::apply_preset(const std::string& name) {
  if (!conf_) {
    throw NotFoundError("the board has no presets", "/etc/nvpmodel.conf",
                        "give clocks, for example 'ridgewatt mode apply --cpu-mhz 1113.6'");
  }
  const auto& preset = conf_->mode(name);
  return write(limits_of(*conf_, preset), settings_of_preset(sysfs_, layout_, *conf_, preset));
}

void JetsonModeControl::check_safety() {
  std::string fault;
  for (const auto& zone : sysfs_.list("/sys/class/thermal")) {
    if (zone.rfind("thermal_zone", 0) != 0) continue;
    const std::string path = "/sys/class/thermal/" + zone;
    const auto celsius = sysfs_.number(path + "/temp");
    // The PMIC-Die zone of the Nano always reads 100 C.
    if (!celsius || sysfs_.text(path + "/type") == "PMIC-Die") continue;
    if (*celsius / 1e3 > options_.max_celsius) {
      fault = fmt::format("over-temperature: {} at {:g} C",
                          sysfs_.text(path + "/type").value_or(zone), *celsius / 1e3);
    }
  }
  const auto now = read_throttling(sysfs_);
  for (const auto& signal : now) {
    if (signal.kind == ThrottleSignal::Kind::kThermal) continue;
    const auto raised = throttled(throttling_, {signal});
    if (!raised.empty()) fault = "over-current: " + signal.name;
  }
  if (fault.empty() && guardian_) {
    try {
      require_held();
    } catch (const IoError& error) {
      fault = error.what();
    }
  }
  if (fault.empty()) return;
  restore();
  throw IoError(fault + "; the original power mode was restored", "",
                "let the board cool and check its power supply");
}

void JetsonModeControl::restore() {
  if (!guardian_) return;
  guardian_->restore();
  guardian_.reset();
}

void JetsonModeControl::keep_and_exit() {
  if (guardian_) guardian_->keep_and_exit();
}

}  // namespace ridgewatt::platform
