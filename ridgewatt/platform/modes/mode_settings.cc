#include "ridgewatt/platform/mode_settings.h"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <system_error>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/path.h"

namespace ridgewatt::platform {
namespace {

struct ClockFiles {
  const char* governor;
  const char* minimum;
  const char* maximum;
  const char* request;
};
constexpr ClockFiles kCpuFiles = {"/scaling_governor", "/scaling_min_freq", "/scaling_max_freq",
                                  "/scaling_setspeed"};
constexpr ClockFiles kDevfreqFiles = {"/governor", "/min_freq", "/max_freq", "/userspace/set_freq"};

std::string online_path(int cpu) {
  return fmt::format("/sys/devices/system/cpu/cpu{}/online", cpu);
}

std::optional<double> to_number(const std::optional<std::string>& text) {
  return text ? parse_double(*text) : std::nullopt;
}

ClockSettings read_clock(const std::string& folder, const ClockFiles& files,
                         const FileReader& read) {
  ClockSettings clock;
  clock.folder = folder;
  clock.governor = read(folder + files.governor);
  clock.minimum = to_number(read(folder + files.minimum));
  clock.maximum = to_number(read(folder + files.maximum));
  if (clock.governor == "userspace") clock.request = read(folder + files.request);
  return clock;
}

bool same_value(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = parse_double(a);
  const auto y = parse_double(b);
  return x && y && *x == *y;
}

class Writer {
 public:
  Writer(Sysfs& sysfs, const JetsonLayout& layout, const ModeSettings& settings,
         const WriteOptions& options)
      : sysfs_(sysfs), layout_(layout), settings_(settings), options_(options) {}

  WriteSummary run() {
    const bool gpu =
        !layout_.gpu_power.empty() && (settings_.tpc_mask || !settings_.devfreq.empty());
    const std::string gpu_power =
        settings_.gpu_power.value_or(gpu ? value(layout_.gpu_power).value_or("auto") : "auto");
    if (gpu) set(layout_.gpu_power, "on");
    cpus();
    if (settings_.tpc_mask && !layout_.tpc_mask.empty()) set(layout_.tpc_mask, *settings_.tpc_mask);
    for (const auto& device : settings_.devfreq) clock(device, kDevfreqFiles);
    emc();
    for (const auto& other : settings_.others) set(other.path, other.value);
    if (gpu) set(layout_.gpu_power, gpu_power);
    read_back();
    return std::move(summary_);
  }

 private:
  // Content of the file; in a dry run, with the planned writes.
  std::optional<std::string> value(const std::string& path) const {
    const auto written = overlay_.find(path);
    if (written != overlay_.end()) return written->second;
    return sysfs_.text(path);
  }

  void set(const std::string& path, const std::string& wanted, bool force = false) {
    const auto now = value(path);
    if (now && same_value(*now, wanted) && !force) return;
    if (!now && !sysfs_.exists(path)) return;  // this kernel has no such knob
    if (options_.before_write) options_.before_write();
    summary_.writes.push_back({path, wanted});
    if (options_.dry_run) {
      overlay_[path] = wanted;
      return;
    }
    const int error = sysfs_.write(path, wanted);
    if (error != 0) refuse(path, wanted, error);
  }

  [[noreturn]] void refuse(const std::string& path, const std::string& wanted, int error) const {
    const std::string reason = std::generic_category().message(error);
    const std::string what = fmt::format("cannot write {} ({})", wanted, reason);
    if (error == EACCES || error == EPERM || error == EROFS) {
      throw PermissionError(what, path, "run as root on the board, not in a read-only container");
    }
    if (error == EBUSY && path == layout_.tpc_mask) {
      throw NotSupportedError(
          what, path,
          "the GPU was used since boot, so this mode needs a reboot (set it with 'nvpmodel -m')");
    }
    throw IoError(what, path);
  }

  bool online(int cpu) const { return value(online_path(cpu)).value_or("1") == "1"; }

  bool any_online(const CpuPolicy& policy) const {
    for (const int cpu : policy.cpus) {
      if (online(cpu)) return true;
    }
    return false;
  }

  bool differs(const ClockSettings& clock, const ClockFiles& files) const {
    const auto number_differs = [&](const std::optional<double>& wanted, const char* file) {
      return wanted && to_number(value(clock.folder + file)) != wanted;
    };
    return number_differs(clock.minimum, files.minimum) ||
           number_differs(clock.maximum, files.maximum) ||
           (clock.governor && value(clock.folder + files.governor) != clock.governor);
  }

  const ClockSettings* cpu_clock(const CpuPolicy& policy) const {
    for (const auto& entry : settings_.cpus) {
      if (entry.folder == policy.path) return &entry;
    }
    return nullptr;
  }

  void cpus() {
    for (const auto& [cpu, on] : settings_.cpus_online) {
      if (on) set(online_path(cpu), "1");
    }
    for (const auto& policy : layout_.cpu_policies) {
      const auto* wanted = cpu_clock(policy);
      if (wanted == nullptr || !differs(*wanted, kCpuFiles)) continue;
      // The kernel rejects limits of a policy whose cores are all offline: enable one for the
      // write.
      const bool asleep = !any_online(policy) && !policy.cpus.empty();
      if (asleep) set(online_path(policy.cpus.front()), "1");
      clock(*wanted, kCpuFiles);
      if (asleep) set(online_path(policy.cpus.front()), "0");
    }
    for (auto entry = settings_.cpus_online.rbegin(); entry != settings_.cpus_online.rend();
         ++entry) {
      if (!entry->second) set(online_path(entry->first), "0");
    }
  }

  void clock(const ClockSettings& wanted, const ClockFiles& files) {
    if (wanted.governor) set(wanted.folder + files.governor, *wanted.governor);
    const std::string minimum = wanted.folder + files.minimum;
    const std::string maximum = wanted.folder + files.maximum;
    const auto old_maximum = to_number(value(maximum));
    const bool raise = wanted.maximum && (!old_maximum || *wanted.maximum >= *old_maximum);
    if (raise) set(maximum, digits_of(*wanted.maximum));
    if (wanted.minimum) set(minimum, digits_of(*wanted.minimum));
    if (wanted.maximum && !raise) set(maximum, digits_of(*wanted.maximum));
    if (wanted.request && *wanted.request != "<unsupported>") {
      set(wanted.folder + files.request, *wanted.request);
    }
  }

  static double cap_hz(const std::optional<std::string>& cap) {
    const auto hz = to_number(cap);
    const bool limits = hz && *hz > 0 && *hz < 2147483647;
    return limits ? *hz : INFINITY;
  }

  void emc() {
    const auto& emc = layout_.emc;
    const bool cap = settings_.emc_cap && !emc.cap.empty();
    const bool raise = cap && cap_hz(settings_.emc_cap) >= cap_hz(value(emc.cap));
    const std::string& lock = emc.lock.empty() ? emc.state : emc.lock;
    if (raise) set(emc.cap, *settings_.emc_cap);
    if (settings_.emc_locked && !lock.empty()) {
      const bool hold = *settings_.emc_locked && settings_.emc_rate && !emc.rate.empty();
      const bool held = value(lock) == "1" && hold && value(emc.current) == settings_.emc_rate;
      if (!held) set(lock, "0");
      if (hold && !held) {
        // Forced: a rate that is right but unlocked could change before the lock.
        set(emc.rate, *settings_.emc_rate, true);
        set(lock, "1");
      }
      // A run that died between rate and lock may have left a rate without a lock.
      if (!*settings_.emc_locked && settings_.emc_rate) set(emc.rate, *settings_.emc_rate);
    }
    if (cap && !raise) set(emc.cap, *settings_.emc_cap);
  }

  void read_back() {
    if (options_.dry_run) return;
    std::map<std::string, std::string> last;
    for (const auto& write : summary_.writes) last[write.path] = write.value;
    for (const auto& [path, wanted] : last) {
      const auto found = sysfs_.text(path);
      if (!found || !same_value(*found, wanted)) {
        summary_.changed.push_back({path, wanted, found.value_or("unreadable")});
      }
    }
  }

  Sysfs& sysfs_;
  const JetsonLayout& layout_;
  const ModeSettings& settings_;
  const WriteOptions& options_;
  std::map<std::string, std::string> overlay_;
  WriteSummary summary_;
};

}  // namespace

ModeSettings read_mode_settings(const JetsonLayout& layout, const FileReader& read) {
  ModeSettings settings;
  for (int cpu = 0; cpu < layout.cpu_count; ++cpu) {
    if (const auto online = read(online_path(cpu))) settings.cpus_online[cpu] = *online == "1";
  }
  for (const auto& policy : layout.cpu_policies) {
    settings.cpus.push_back(read_clock(policy.path, kCpuFiles, read));
  }
  for (const auto& gpu : layout.gpus) {
    settings.devfreq.push_back(read_clock(gpu.path, kDevfreqFiles, read));
  }
  if (!layout.gpu_power.empty()) settings.gpu_power = read(layout.gpu_power);
  if (!layout.tpc_mask.empty()) settings.tpc_mask = read(layout.tpc_mask);
  const auto& emc = layout.emc;
  if (emc.kind == EmcLayout::Kind::kDevfreq) {
    settings.devfreq.push_back(read_clock(folder_of(emc.current), kDevfreqFiles, read));
  }
  if (!emc.cap.empty()) settings.emc_cap = read(emc.cap);
  if (!emc.rate.empty()) settings.emc_rate = read(emc.rate);
  const std::string& lock = emc.lock.empty() ? emc.state : emc.lock;
  if (!lock.empty()) {
    if (const auto locked = read(lock)) settings.emc_locked = *locked == "1";
  }
  return settings;
}

WriteSummary write_mode_settings(Sysfs& sysfs, const JetsonLayout& layout,
                                 const ModeSettings& settings, const WriteOptions& options) {
  return Writer(sysfs, layout, settings, options).run();
}

}  // namespace ridgewatt::platform
