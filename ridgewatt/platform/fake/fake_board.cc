#include "ridgewatt/platform/fake_board.h"
#include "ridgewatt/io/path.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/platform/fake/clock_counters.h"
#include "ridgewatt/platform/fake_sysfs.h"

namespace ridgewatt::platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMark = ".ridgewatt-fake-board";

std::string join(const std::vector<double>& values, double divisor = 1) {
  std::string text;
  for (const double value : values) {
    text += fmt::format("{}{:.0f}", text.empty() ? "" : " ", value / divisor);
  }
  return text;
}

std::string join(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += fmt::format("{}{}", text.empty() ? "" : " ", value);
  return text;
}

class Builder {
 public:
  Builder(const FakeBoardSpec& spec, const std::string& folder) : spec_(spec), root_(folder) {
    for (const auto& preset : spec.presets) {
      if (preset.id == spec.default_preset) preset_ = preset;
    }
  }

  void build(std::uint64_t seed, const FakeSpecimen& specimen) {
    identity();
    const std::string serial =
        specimen.serial.empty() ? fmt::format("fake{}", seed) : specimen.serial;
    put("/proc/device-tree/serial-number", serial + '\0', 0444);
    cpus();
    gpu();
    emc();
    int hwmon = 0;
    for (const auto& chip : spec_.sensors) sensor(chip, hwmon);
    throttling(hwmon);
    fan(hwmon);
    thermal();
    put("/etc/nvpmodel.conf", nvpmodel_conf(), 0644);
    put("/var/lib/nvpmodel/status", fmt::format("pmode:{:04d}", spec_.default_preset), 0644);
    put(std::string("/") + kMark, fmt::format("{} {} {}", spec_.name, seed, specimen.text()), 0644);
  }

 private:
  void put(const std::string& path, const std::string& content, mode_t mode) {
    const fs::path host = root_ + path;
    fs::create_directories(folder_of(host));
    std::ofstream out(host, std::ios::binary);
    out << content << '\n';
    out.close();
    if (!out) throw IoError("cannot write the fake board", host.string());
    ::chmod(host.c_str(), mode);
  }
  void put(const std::string& path, double value, mode_t mode) {
    put(path, fmt::format("{:.0f}", value), mode);
  }
  void link(const std::string& path, const std::string& target) {
    const fs::path host = root_ + path;
    fs::create_directories(folder_of(host));
    fs::create_symlink(fs::path(root_ + target).lexically_relative(folder_of(host)), host);
  }

  void identity() {
    std::string list;
    for (const auto& entry : spec_.compatible) list += entry + '\0';
    put("/proc/device-tree/model", spec_.model + '\0', 0444);
    put("/proc/device-tree/compatible", list, 0444);
    if (!spec_.release.empty()) put("/etc/nv_tegra_release", spec_.release, 0644);
    put("/proc/meminfo",
        fmt::format(
            "MemTotal:       {:.0f} kB\nMemFree:        {:.0f} kB\nMemAvailable:   {:.0f} kB",
            spec_.memory_bytes / 1024, spec_.memory_bytes * 0.8 / 1024,
            spec_.memory_bytes * 0.9 / 1024),
        0444);
  }

  void cpus() {
    const std::string folder = "/sys/devices/system/cpu";
    for (const auto& cpus : spec_.cpu_policies) {
      for (const int cpu : cpus) {
        put(fmt::format("{}/cpu{}/online", folder, cpu), cpu < preset_.cores ? "1" : "0", 0644);
        for (const auto& [state, name] : {std::pair{0, "WFI"}, std::pair{1, "c7"}}) {
          const std::string idle = fmt::format("{}/cpu{}/cpuidle/state{}", folder, cpu, state);
          put(idle + "/name", name, 0444);
          put(idle + "/disable", "0", 0644);
        }
      }
      const std::string policy = fmt::format("{}/cpufreq/policy{}", folder, cpus.front());
      std::vector<int> online;
      for (const int cpu : cpus) {
        if (cpu < preset_.cores) online.push_back(cpu);
      }
      const double top = preset_.cpu_max_khz > 0 ? preset_.cpu_max_khz : spec_.cpu_khz.back();
      const double floor = std::max(spec_.cpu_floor_khz, spec_.cpu_khz.front());
      put(policy + "/related_cpus", join(cpus), 0444);
      put(policy + "/affected_cpus", join(online), 0444);
      put(policy + "/scaling_available_frequencies", join(spec_.cpu_khz), 0444);
      put(policy + "/scaling_available_governors",
          "interactive conservative ondemand userspace powersave performance schedutil", 0444);
      put(policy + "/cpuinfo_min_freq", spec_.cpu_khz.front(), 0444);
      put(policy + "/cpuinfo_max_freq", spec_.cpu_khz.back(), 0444);
      put(policy + "/scaling_min_freq", floor, 0644);
      put(policy + "/scaling_max_freq", top, 0644);
      put(policy + "/scaling_cur_freq", floor, 0444);
      put(policy + "/scaling_governor", "schedutil", 0644);
      put(policy + "/scaling_setspeed", "<unsupported>", 0644);
      put(policy + "/stats/time_in_state", new_time_in_state(spec_.cpu_khz), 0444);
    }
  }

  void devfreq(const std::string& path, const std::vector<double>& table, double max_hz,
               const char* governor) {
    put(path + "/available_frequencies", join(table), 0444);
    put(path + "/available_governors", fmt::format("{} performance powersave userspace", governor),
        0444);
    put(path + "/governor", words_of(governor).front(), 0644);
    put(path + "/min_freq", table.front(), 0644);
    put(path + "/max_freq", max_hz, 0644);
    put(path + "/cur_freq", fs::path(path).filename() == "bwmgr" ? max_hz : table.front(), 0444);
    put(path + "/userspace/set_freq", table.front(), 0644);
    put(path + "/trans_stat", new_trans_stat(table), 0444);
    link("/sys/class/devfreq/" + fs::path(path).filename().string(), path);
  }

  void gpu() {
    const double top = preset_.gpu_max_hz > 0 ? preset_.gpu_max_hz : spec_.gpu_hz.back();
    devfreq(spec_.gpu_devfreq, spec_.gpu_hz, top, "nvhost_podgov wmark_active simple_ondemand");
    if (!spec_.gpu_node.empty()) {
      const std::string device = folder_of(folder_of(spec_.gpu_devfreq));
      put(device + "/of_node/name", spec_.gpu_node + '\0', 0444);
      link(spec_.gpu_devfreq + "/device", device);
    } else {
      devfreq(folder_of(spec_.gpu_devfreq) + "/gpu-nvd-0", spec_.gpu_hz, top,
              "nvhost_podgov wmark_active simple_ondemand");
    }
    if (!spec_.gpu_folder.empty()) {
      put(spec_.gpu_folder + "/load", "0", 0444);
      put(spec_.gpu_folder + "/power/control", "auto", 0644);
      if (preset_.tpc_mask >= 0) put(spec_.gpu_folder + "/tpc_pg_mask", preset_.tpc_mask, 0644);
    }
  }

  void emc() {
    const double top = preset_.emc_max_hz > 0 ? preset_.emc_max_hz : spec_.emc_hz.back();
    if (spec_.emc == "bwmgr") {
      devfreq("/sys/devices/platform/bwmgr/devfreq/bwmgr", spec_.emc_hz, top, "bwmgr");
      return;
    }
    const std::string debug = "/sys/kernel/debug";
    if (spec_.emc == "bpmp") {
      const std::string clock = debug + "/bpmp/debug/clk/emc";
      put(clock + "/rate", top, 0644);
      put(clock + "/min_rate", spec_.emc_hz.front(), 0444);
      put(clock + "/max_rate", spec_.emc_hz.back(), 0444);
      put(clock + "/mrq_rate_locked", "0", 0644);
      put(clock + "/state", "1", 0644);
      put(debug + "/bpmp/debug/emc/possible_rates", join(spec_.emc_hz, 1e3) + " (kHz)", 0444);
      put(debug + "/cactmon/mc_all", "0", 0444);
    } else {
      put(debug + "/clk/override.emc/clk_rate", top, 0444);
      put(debug + "/clk/override.emc/clk_update_rate", top, 0644);
      put(debug + "/clk/override.emc/clk_state", "0", 0644);
      put(debug + "/clk/override.emc/clk_possible_rates", join(spec_.emc_hz), 0444);
      put(debug + "/tegra_bwmgr/emc_min_rate", spec_.emc_hz.front(), 0444);
      put(debug + "/tegra_bwmgr/emc_max_rate", spec_.emc_hz.back(), 0444);
      put("/sys/kernel/actmon_avg_activity/mc_all", "0", 0444);
    }
    put(spec_.emc_cap, preset_.emc_max_hz > 0 ? preset_.emc_max_hz : 0, 0660);
  }

  void sensor(const FakeSensorChip& chip, int& hwmon) {
    const std::string bus = std::string(chip.address).substr(0, 1);
    const std::string device = fmt::format("/sys/devices/platform/i2c-{}/{}", bus, chip.address);
    const std::string driver = chip.driver;
    link("/sys/bus/i2c/drivers/" + driver + "/" + chip.address, device);
    if (driver == "ina3221x") {
      iio(fmt::format("{}/iio:device{}", device, iio_chips_++), chip);
      return;
    }
    const std::string path = fmt::format("{}/hwmon/hwmon{}", device, hwmon);
    link(fmt::format("/sys/class/hwmon/hwmon{}", hwmon++), path);
    link(path + "/device", device);
    put(path + "/name", driver, 0444);
    if (driver == "ina238") {
      put(path + "/label", chip.labels[0], 0444);
      put(path + "/in1_input", "19500", 0444);
      put(path + "/curr1_input", "1014", 0444);
      put(path + "/power1_input", "19773000", 0444);
      return;
    }
    for (std::size_t i = 0; i < chip.labels.size(); ++i) hwmon_channel(path, chip, i);
    put(path + "/in7_input", "900", 0444);
    put(path + "/in7_label", "sum of shunt voltages", 0444);
    put(path + "/curr4_input", "700", 0444);
    put(path + "/samples", "1", 0644);
    put(path + "/update_interval", "7", 0644);
  }

  void hwmon_channel(const std::string& path, const FakeSensorChip& chip, std::size_t i) {
    const std::string label = chip.labels[i];
    const auto n = i + 1;
    const bool connected = label != "NC";
    put(fmt::format("{}/in{}_label", path, n), label, 0444);
    put(fmt::format("{}/in{}_enable", path, n), "1", 0644);
    // "!errno" makes FakeSysfs fail the read, as the kernel does.
    put(fmt::format("{}/in{}_input", path, n), connected ? "5064" : "!EIO", 0444);
    put(fmt::format("{}/curr{}_input", path, n),
        connected ? fmt::format("{}", 240 + 80 * i) : "!EIO", 0444);
    put(fmt::format("{}/in{}_input", path, n + 3), "320", 0444);
    put(fmt::format("{}/shunt{}_resistor", path, n), chip.shunt_uohm, 0444);
    put(fmt::format("{}/curr{}_max", path, n), "32760", 0644);
    put(fmt::format("{}/curr{}_crit", path, n), "32760", 0644);
    put(fmt::format("{}/curr{}_max_alarm", path, n), "0", 0444);
    put(fmt::format("{}/curr{}_crit_alarm", path, n), "0", 0444);
  }

  void iio(const std::string& path, const FakeSensorChip& chip) {
    put(path + "/name", chip.driver, 0444);
    for (std::size_t i = 0; i < chip.labels.size(); ++i) {
      put(fmt::format("{}/rail_name_{}", path, i), chip.labels[i], 0600);
      put(fmt::format("{}/in_voltage{}_input", path, i), "5064", 0444);
      put(fmt::format("{}/in_current{}_input", path, i), 240.0 + 80.0 * static_cast<double>(i),
          0444);
      put(fmt::format("{}/in_power{}_input", path, i),
          5.064 * (240.0 + 80.0 * static_cast<double>(i)), 0444);
      put(fmt::format("{}/warn_current_limit_{}", path, i), "32760 ma", 0644);
      put(fmt::format("{}/crit_current_limit_{}", path, i), "32760 ma", 0644);
    }
    put(path + "/in_current_sum_input", "960", 0444);
  }

  void throttling(int& hwmon) {
    const std::string path = fmt::format("/sys/class/hwmon/hwmon{}", hwmon++);
    put(path + "/name", "soctherm_oc", 0444);
    for (int i = 1; i <= 3; ++i) put(fmt::format("{}/oc{}_event_cnt", path, i), "0", 0444);
    int device = 0;
    for (const char* type : {"cpu-throttle-alert", "gpu-throttle-alert", "hot-surface-alert"}) {
      const std::string folder = fmt::format("/sys/class/thermal/cooling_device{}", device++);
      put(folder + "/type", type, 0444);
      put(folder + "/cur_state", "0", 0644);
      put(folder + "/max_state", "1", 0444);
    }
  }

  void fan(int hwmon) {
    const std::string driver = spec_.sensors.front().driver;
    if (driver == "ina3221x") {  // JetPack 4
      put("/sys/devices/pwm-fan/target_pwm", "80", 0644);
      put("/sys/devices/pwm-fan/temp_control", "1", 0644);
      return;
    }
    const std::string path = fmt::format("/sys/class/hwmon/hwmon{}", hwmon);
    put(path + "/name", "pwmfan", 0444);
    put(path + "/pwm1", "80", 0644);
    put(path + "/pwm1_enable", "2", 0644);
  }

  void thermal() {
    int zone = 0;
    const auto add = [&](const char* type, const std::string& value) {
      const std::string folder = fmt::format("/sys/class/thermal/thermal_zone{}", zone++);
      put(folder + "/type", type, 0444);
      put(folder + "/temp", value, 0444);
      put(folder + "/trip_point_0_type", "critical", 0444);
      put(folder + "/trip_point_0_temp", "104500", 0444);
    };
    for (const char* type : spec_.zones) add(type, fmt::format("{}", 41000 + 500 * zone));
    for (const char* type : spec_.off_zones) add(type, spec_.legacy ? "-256000" : "!EAGAIN");
  }

  std::string nvpmodel_conf() const {
    std::string text = "# Power modes of a fake board\n\n< PARAM TYPE=FILE NAME=CPU_ONLINE >\n";
    for (const auto& cpus : spec_.cpu_policies) {
      for (const int cpu : cpus) {
        text += fmt::format("CORE_{0} /sys/devices/system/cpu/cpu{0}/online\n", cpu);
      }
    }
    const bool masks = preset_.tpc_mask >= 0 && !spec_.gpu_folder.empty();
    if (masks) {
      text +=
          fmt::format("\n< PARAM TYPE=FILE NAME=TPC_POWER_GATING >\nTPC_PG_MASK {}/tpc_pg_mask\n",
                      spec_.gpu_folder);
    }
    for (std::size_t i = 0; i < spec_.cpu_policies.size(); ++i) {
      const std::string policy =
          fmt::format("/sys/devices/system/cpu/cpufreq/policy{}", spec_.cpu_policies[i].front());
      text += fmt::format(
          "\n< PARAM TYPE=CLOCK NAME=CPU_{0} >\nFREQ_TABLE {1}/scaling_available_frequencies\n"
          "MAX_FREQ {1}/scaling_max_freq\nMIN_FREQ {1}/scaling_min_freq\n",
          i, policy);
    }
    text += fmt::format(
        "\n< PARAM TYPE=CLOCK NAME=GPU >\nFREQ_TABLE {0}/available_frequencies\n"
        "MAX_FREQ {0}/max_freq\nMIN_FREQ {0}/min_freq\n",
        spec_.gpu_devfreq);
    if (!spec_.emc_cap.empty()) {
      text += fmt::format("\n<PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ {}\n", spec_.emc_cap);
    }
    for (const auto& preset : spec_.presets) text += preset_text(preset, masks);
    return text + fmt::format("\n< PM_CONFIG DEFAULT={} >\n", spec_.default_preset);
  }

  std::string preset_text(const FakePreset& preset, bool masks) const {
    std::string text = fmt::format("\n< POWER_MODEL ID={} NAME={} >\n", preset.id, preset.name);
    for (const auto& cpus : spec_.cpu_policies) {
      for (const int cpu : cpus) {
        text += fmt::format("CPU_ONLINE CORE_{} {}\n", cpu, cpu < preset.cores ? 1 : 0);
      }
    }
    if (masks) text += fmt::format("TPC_POWER_GATING TPC_PG_MASK {}\n", preset.tpc_mask);
    for (std::size_t i = 0; i < spec_.cpu_policies.size(); ++i) {
      if (spec_.cpu_policies[i].front() >= preset.cores) continue;
      text += fmt::format("CPU_{} MIN_FREQ {:.0f}\nCPU_{} MAX_FREQ {:.0f}\n", i,
                          spec_.cpu_floor_khz, i, preset.cpu_max_khz);
    }
    text += fmt::format("GPU MIN_FREQ 0\nGPU MAX_FREQ {:.0f}\n", preset.gpu_max_hz);
    if (!spec_.emc_cap.empty()) text += fmt::format("EMC MAX_FREQ {:.0f}\n", preset.emc_max_hz);
    return text;
  }

  const FakeBoardSpec& spec_;
  std::string root_;
  FakePreset preset_;
  int iio_chips_ = 0;
};

}  // namespace

void create_fake_board(const FakeBoardSpec& spec, const std::string& folder, std::uint64_t seed,
                       const FakeSpecimen& specimen) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_empty(folder, error)) {
    throw IoError("the folder for the fake board is not empty", folder,
                  "give another folder or remove this one");
  }
  try {
    fs::create_directories(folder);
    Builder(spec, absolute_path(folder)).build(seed, specimen);
    FakeSysfs(folder, {spec.name, seed, specimen}).rest();
  } catch (const fs::filesystem_error& failure) {
    throw_errno(failure.code().value(), "cannot write the fake board", folder);
  }
}

FakeBoardMark fake_board_mark(const std::string& folder) {
  const std::string path = folder + "/" + kMark;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  const auto words = words_of(read_file(path, 4096));
  if (words.size() != 2 && words.size() != 3)
    throw InputError("is not the mark file of a fake board", path,
                     "create the fake board again with `ridgewatt fake-board`");
  return {words[0], static_cast<std::uint64_t>(parse_int(words[1]).value_or(0)),
          FakeSpecimen::parse(words.size() == 3 ? words[2] : "", path)};
}

}  // namespace ridgewatt::platform
