#include "ridgewatt/platform/jetson_sensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <sstream>

#include "ridgewatt/base/text.h"
#include "ridgewatt/platform/jetson/online_cpus.h"

namespace ridgewatt::platform {
namespace {

bool starts(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

bool ends(const std::string& text, const std::string& suffix) {
  return text.size() >= suffix.size() &&
         text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

void add_signal(const Sysfs& sysfs, const std::string& path, const std::string& name,
                ThrottleSignal::Kind kind, bool counter, std::vector<ThrottleSignal>& signals) {
  const auto value = sysfs.number(path);
  if (value) signals.push_back({name, kind, static_cast<std::int64_t>(*value), counter});
}

void hwmon_signals(const Sysfs& sysfs, const std::string& path,
                   std::vector<ThrottleSignal>& signals) {
  const std::string chip = sysfs.text(path + "/name").value_or("");
  if (chip == "soctherm_oc") {
    for (const auto& file : sysfs.list(path)) {
      // Orin: oc1_event_cnt; Xavier: oc1_irq_cnt.
      if (starts(file, "oc") && (ends(file, "_event_cnt") || ends(file, "_irq_cnt"))) {
        add_signal(sysfs, path + "/" + file, "over-current " + file.substr(0, file.find('_')),
                   ThrottleSignal::Kind::kOverCurrent, true, signals);
      }
    }
  } else if (chip == "ina3221") {
    for (int i = 1; i <= 3; ++i) {
      const auto rail = sysfs.text(fmt::format("{}/in{}_label", path, i));
      if (!rail || *rail == "NC") continue;
      for (const char* alarm : {"max_alarm", "crit_alarm"}) {
        add_signal(sysfs, fmt::format("{}/curr{}_{}", path, i, alarm),
                   fmt::format("{} {}", *rail, alarm), ThrottleSignal::Kind::kPowerLimit, false,
                   signals);
      }
    }
  }
}

}  // namespace

std::vector<ThrottleSignal> read_throttling(const Sysfs& sysfs) {
  std::vector<ThrottleSignal> signals;
  for (const auto& name : sysfs.list("/sys/class/hwmon")) {
    hwmon_signals(sysfs, "/sys/class/hwmon/" + name, signals);
  }
  for (const auto& name : sysfs.list("/sys/class/thermal")) {
    if (!starts(name, "cooling_device")) continue;
    const std::string path = "/sys/class/thermal/" + name;
    const std::string type = sysfs.text(path + "/type").value_or("");
    if (ends(type, "-throttle-alert") || ends(type, "hot-surface-alert") ||
        starts(type, "devfreq-gpu") || starts(type, "cpufreq-cpu")) {
      add_signal(sysfs, path + "/cur_state", type, ThrottleSignal::Kind::kThermal, false, signals);
    }
  }
  return signals;
}

std::vector<std::string> throttled(const std::vector<ThrottleSignal>& before,
                                   const std::vector<ThrottleSignal>& after) {
  std::vector<std::string> names;
  for (const auto& signal : after) {
    bool raised = signal.active();
    if (signal.counter) {
      const auto old = std::find_if(before.begin(), before.end(),
                                    [&](const auto& s) { return s.name == signal.name; });
      raised = old != before.end() && signal.value > old->value;
    }
    if (raised) names.push_back(signal.name);
  }
  return names;
}

SensorReader::SensorReader(const Sysfs& sysfs)
    : sysfs_(sysfs), layout_(find_jetson_layout(sysfs)) {}

void SensorReader::read_clocks(SensorSnapshot& snapshot) const {
  const auto hz = [&](const std::string& path, double unit) {
    return path.empty() ? 0.0 : sysfs_.number(path).value_or(0) * unit;
  };
  for (const auto& policy : layout_.cpu_policies) {
    ClockReading clock;
    clock.name = fmt::format("cpu{}", policy.cpus.empty() ? 0 : policy.cpus.front());
    // An offline core still shows its last clock.
    clock.clock_hz = any_online(sysfs_, policy) ? hz(policy.path + "/scaling_cur_freq", 1e3) : 0;
    clock.min_hz = hz(policy.path + "/scaling_min_freq", 1e3);
    clock.max_hz = hz(policy.path + "/scaling_max_freq", 1e3);
    clock.governor = sysfs_.text(policy.path + "/scaling_governor").value_or("");
    if (clock.clock_hz > 0 || clock.max_hz > 0) snapshot.clocks.push_back(std::move(clock));
  }
  const auto devfreq = [&](const Devfreq& device, const std::string& name) {
    snapshot.clocks.push_back({name, hz(device.path + "/cur_freq", 1),
                               hz(device.path + "/min_freq", 1), hz(device.path + "/max_freq", 1),
                               sysfs_.text(device.path + "/governor").value_or("")});
  };
  for (const auto& gpu : layout_.gpus) devfreq(gpu, layout_.gpus.size() == 1 ? "gpu" : gpu.name);
  for (const auto& device : layout_.other_devfreq) devfreq(device, device.name);
  const auto& emc = layout_.emc;
  if (emc.kind != EmcLayout::Kind::kNone) {
    const double current = hz(emc.current, 1);
    const bool locked = !emc.lock.empty() && sysfs_.text(emc.lock) == "1";
    if (current > 0) {
      snapshot.clocks.push_back(
          {"emc", current, hz(emc.minimum, 1), hz(emc.maximum, 1), locked ? "locked" : ""});
    }
  }
}

void SensorReader::read_loads(SensorSnapshot& snapshot) {
  std::istringstream lines(sysfs_.text("/proc/stat").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    if (!starts(line, "cpu")) continue;
    std::istringstream fields(line);
    std::string name;
    fields >> name;
    // Fields: user nice system idle iowait irq softirq steal
    CpuTimes now;
    double value = 0;
    for (int i = 0; i < 8 && fields >> value; ++i) {
      now.total += value;
      if (i != 3 && i != 4) now.busy += value;
    }
    const auto last = cpu_times_.find(name);
    if (last != cpu_times_.end() && now.total > last->second.total) {
      const double load = (now.busy - last->second.busy) / (now.total - last->second.total);
      snapshot.loads.push_back({name, std::clamp(load, 0.0, 1.0)});
    }
    cpu_times_[name] = now;
  }
  if (!layout_.gpu_load.empty()) {
    if (const auto permille = sysfs_.number(layout_.gpu_load)) {
      snapshot.loads.push_back({"gpu", std::clamp(*permille / 1000, 0.0, 1.0)});
    }
  }
  // The activity counter is in kHz: the memory clock times the share of busy time.
  if (!layout_.emc.load.empty()) {
    const auto activity = sysfs_.number(layout_.emc.load);
    const auto clock = sysfs_.number(layout_.emc.current);
    if (activity && clock && *clock > 0) {
      snapshot.loads.push_back({"emc", std::clamp(*activity * 1e3 / *clock, 0.0, 1.0)});
    }
  }
}

void SensorReader::read_temperatures(SensorSnapshot& snapshot) const {
  for (const auto& name : sysfs_.list("/sys/class/thermal")) {
    if (!starts(name, "thermal_zone")) continue;
    const std::string path = "/sys/class/thermal/" + name;
    TemperatureReading reading;
    reading.name = sysfs_.text(path + "/type").value_or(name);
    const auto text = sysfs_.read(path + "/temp");
    const auto millicelsius = text.ok() ? parse_double(text.text) : std::nullopt;
    if (text.error_number == EAGAIN)
      reading.note = "no power";
    else if (!millicelsius || !std::isfinite(*millicelsius))
      reading.note = "cannot be read";
    else if (*millicelsius <= -255000)
      reading.note = "no power";
    else
      reading.celsius = *millicelsius / 1e3;
    snapshot.temperatures.push_back(std::move(reading));
  }
}

void SensorReader::read_memory(SensorSnapshot& snapshot) const {
  std::istringstream lines(sysfs_.text("/proc/meminfo").value_or(""));
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string name;
    double kibibytes = 0;
    fields >> name >> kibibytes;
    if (name == "MemTotal:") snapshot.memory_total_bytes = kibibytes * 1024;
    if (name == "MemAvailable:") snapshot.memory_available_bytes = kibibytes * 1024;
    if (name == "SwapTotal:") snapshot.swap_total_bytes = kibibytes * 1024;
    if (name == "SwapFree:") snapshot.swap_free_bytes = kibibytes * 1024;
  }
}

// Fans in hwmon ("pwmfan"; "pwm_tach" with its `rpm`), or in the folder of JetPack 4.
void SensorReader::read_fans(SensorSnapshot& snapshot) const {
  const auto add = [&](const std::string& name, const std::string& duty, const std::string& rpm) {
    FanReading fan;
    fan.name = name;
    if (const auto value = sysfs_.number(duty)) fan.duty = std::clamp(*value / 255, 0.0, 1.0);
    fan.rpm = sysfs_.number(rpm);
    if (fan.duty || fan.rpm) snapshot.fans.push_back(std::move(fan));
  };
  for (const auto& chip : sysfs_.list("/sys/class/hwmon")) {
    const std::string path = "/sys/class/hwmon/" + chip;
    const std::string name = sysfs_.text(path + "/name").value_or(chip);
    if (name == "pwm_tach") add(name, "", path + "/rpm");
    for (const auto& file : sysfs_.list(path)) {
      if (starts(file, "fan") && ends(file, "_input")) {
        const std::string n = file.substr(3, file.find('_') - 3);
        add(name + " " + n, path + "/pwm" + n, path + "/" + file);
      } else if (starts(file, "pwm") && file.find('_') == std::string::npos &&
                 !sysfs_.exists(path + "/fan" + file.substr(3) + "_input")) {
        add(name + " " + file.substr(3), path + "/" + file, "");
      }
    }
  }
  const std::string old = "/sys/devices/pwm-fan";
  add("pwm-fan", old + (sysfs_.exists(old + "/cur_pwm") ? "/cur_pwm" : "/target_pwm"),
      old + "/rpm_measured");
}

SensorSnapshot SensorReader::read() {
  SensorSnapshot snapshot;
  snapshot.cpus_present = layout_.cpu_count;
  snapshot.cpus_online = online_cpus(sysfs_, layout_);
  read_clocks(snapshot);
  read_loads(snapshot);
  read_temperatures(snapshot);
  snapshot.throttling = read_throttling(sysfs_);
  read_memory(snapshot);
  read_fans(snapshot);
  return snapshot;
}

}  // namespace ridgewatt::platform
