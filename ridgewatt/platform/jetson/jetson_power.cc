#include "ridgewatt/platform/jetson_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <set>
#include <system_error>

#include "ridgewatt/base/text.h"

namespace ridgewatt::platform {
namespace {

constexpr const char* kHwmonFolder = "/sys/class/hwmon";

std::string reason_of(int error_number) {
  if (error_number == ENODATA) return "disabled";
  return std::generic_category().message(error_number);
}

// Rails of boards whose IIO driver shows labels only to root: board, bus address, channels 0 to 2.
struct IioRails {
  const char* board;
  const char* address;
  const char* rails[3];
};
constexpr IioRails kIioRails[] = {
    {"nano", "6-0040", {"POM_5V_IN", "POM_5V_GPU", "POM_5V_CPU"}},
    {"tx2", "0-0040", {"VDD_SYS_GPU", "VDD_SYS_SOC", "VDD_4V0_WIFI"}},
    {"tx2", "0-0041", {"VDD_IN", "VDD_SYS_CPU", "VDD_SYS_DDR"}},
    {"xavier-nx", "7-0040", {"VDD_IN", "VDD_CPU_GPU_CV", "VDD_SOC"}},
    {"agx-xavier", "1-0040", {"GPU", "CPU", "SOC"}},
    {"agx-xavier", "1-0041", {"CV", "VDDRQ", "SYS5V"}},
};

class RailFinder {
 public:
  RailFinder(const Sysfs& sysfs, const std::string& board) : sysfs_(sysfs), board_(board) {}

  PowerRails find() {
    for (const auto& name : sysfs_.list(kHwmonFolder)) {
      hwmon(std::string(kHwmonFolder) + "/" + name);
    }
    for (const char* driver : {"ina3221", "ina238"}) {  // used if the class folder is missing
      const std::string folder = std::string("/sys/bus/i2c/drivers/") + driver;
      for (const auto& device : sysfs_.list(folder)) {
        for (const auto& name : sysfs_.list(folder + "/" + device + "/hwmon")) {
          hwmon(folder + "/" + device + "/hwmon/" + name, device);
        }
      }
    }
    const std::string folder = "/sys/bus/i2c/drivers/ina3221x";
    for (const auto& device : sysfs_.list(folder)) {
      for (const auto& name : sysfs_.list(folder + "/" + device)) {
        if (name.rfind("iio:device", 0) == 0) iio(folder + "/" + device + "/" + name, device);
      }
    }
    for (const auto& name : sysfs_.list("/sys/bus/iio/devices")) {
      const std::string path = "/sys/bus/iio/devices/" + name;
      if (sysfs_.text(path + "/name") == "ina3221x") iio(path, parent_name(path));
    }
    choose_total(rails_);
    return std::move(rails_);
  }

 private:
  // Name of the parent folder of the device that `path` links to ("1-0040").
  std::string parent_name(const std::string& path) const {
    const auto parts = split(sysfs_.resolve(path), '/');
    return parts.size() >= 2 ? parts[parts.size() - 2] : "";
  }

  void hwmon(const std::string& path, std::string address = "") {
    const std::string chip = sysfs_.text(path + "/name").value_or("");
    if (chip != "ina3221" && chip != "ina238") return;
    if (!seen_.insert(sysfs_.resolve(path)).second) return;
    if (address.empty()) {
      const auto parts = split(sysfs_.resolve(path + "/device"), '/');
      if (!parts.empty() && parts.back() != "device") address = parts.back();
    }
    const std::string device = address.empty() ? chip : chip + " " + address;
    if (chip == "ina238") {
      ina238(path, device);
      return;
    }
    // Channels 4 to 6 are shunt voltages; channel 7 is their sum.
    for (int i = 1; i <= 3; ++i) ina3221(path, device, i);
  }

  void ina3221(const std::string& path, const std::string& device, int i) {
    PowerChannel channel;
    channel.device = device;
    channel.voltage_path = fmt::format("{}/in{}_input", path, i);
    channel.current_path = fmt::format("{}/curr{}_input", path, i);
    const auto label = sysfs_.read(fmt::format("{}/in{}_label", path, i));
    channel.rail = label.text;
    const std::string where = fmt::format("{} channel {}", device, i);
    if (!label.ok() && !sysfs_.exists(channel.voltage_path)) return;
    if (!label.ok() || label.text.empty())
      rails_.skipped.push_back({"", where, "has no label"});
    else if (sysfs_.text(fmt::format("{}/in{}_enable", path, i)) == "0")
      rails_.skipped.push_back({label.text, where, "disabled"});
    else
      add(std::move(channel), where);
  }

  void ina238(const std::string& path, const std::string& device) {
    PowerChannel channel;
    channel.device = device;
    for (const char* name : {"/label", "/power1_label", "/in1_label", "/in0_label"}) {
      if (channel.rail.empty()) channel.rail = sysfs_.text(path + name).value_or("");
    }
    if (channel.rail.empty()) {
      rails_.skipped.push_back({"", device, "has no label"});
      return;
    }
    channel.power_path = path + "/power1_input";
    channel.power_unit_w = 1e-6;
    channel.voltage_path = path + "/in1_input";
    channel.current_path = path + "/curr1_input";
    add(std::move(channel), device);
  }

  void iio(const std::string& path, const std::string& address) {
    if (!seen_.insert(sysfs_.resolve(path)).second) return;
    const std::string device = address.empty() ? "ina3221x" : "ina3221x " + address;
    for (int i = 0; i < 3; ++i) {
      PowerChannel channel;
      channel.device = device;
      channel.power_path = fmt::format("{}/in_power{}_input", path, i);
      channel.power_unit_w = 1e-3;
      channel.voltage_path = fmt::format("{}/in_voltage{}_input", path, i);
      channel.current_path = fmt::format("{}/in_current{}_input", path, i);
      if (!sysfs_.exists(channel.power_path)) channel.power_path.clear();
      if (channel.power_path.empty() && !sysfs_.exists(channel.voltage_path)) continue;
      const std::string where = fmt::format("{} channel {}", device, i);
      const auto label = sysfs_.read(fmt::format("{}/rail_name_{}", path, i));
      channel.rail = label.ok() ? label.text : known_iio_rail(address, i);
      if (channel.rail.empty()) {
        rails_.skipped.push_back({"", where, "label cannot be read: run as root"});
      } else {
        add(std::move(channel), where);
      }
    }
  }

  std::string known_iio_rail(const std::string& address, int i) const {
    for (const auto& known : kIioRails) {
      if (board_ == known.board && address == known.address) return known.rails[i];
    }
    return "";
  }

  void add(PowerChannel channel, const std::string& where) {
    if (channel.rail == "NC") {
      rails_.skipped.push_back({channel.rail, where, "not connected"});
      return;
    }
    const auto reading = read_power(sysfs_, channel);
    if (reading.error_number != 0) {
      rails_.skipped.push_back({channel.rail, where, reason_of(reading.error_number)});
      return;
    }
    rails_.channels.push_back(std::move(channel));
  }

  const Sysfs& sysfs_;
  std::string board_;
  std::set<std::string> seen_;
  PowerRails rails_;
};

// A file without a valid number counts as an input/output error.
int read_number(const Sysfs& sysfs, const std::string& path, double& value) {
  const auto content = sysfs.read(path);
  if (!content.ok()) return content.error_number;
  const auto number = sensor_number(content.text);
  if (!number) return EIO;
  value = *number;
  return 0;
}

PowerChannel* find_channel(PowerRails& rails, const std::string& rail) {
  const auto found = std::find_if(rails.channels.begin(), rails.channels.end(),
                                  [&](const auto& c) { return c.rail == rail; });
  return found == rails.channels.end() ? nullptr : &*found;
}

bool known(PowerRails& rails, const std::string& rail) {
  return find_channel(rails, rail) != nullptr ||
         std::any_of(rails.skipped.begin(), rails.skipped.end(),
                     [&](const auto& s) { return s.rail == rail; });
}

}  // namespace

// Applies the first rule whose rails the board has.
void choose_total(PowerRails& rails) {
  struct Rule {
    std::vector<const char*> rails;
    const char* note;
  };
  static const Rule kRules[] = {
      {{"VIN"}, "carrier board and module, at the input"},
      {{"VDD_IN"}, "module, at its input"},
      {{"POM_5V_IN"}, "module, at its 5 V input"},
      {{"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"},
       "module; VDDQ_VDD2_1V8AO is supplied from VIN_SYS_5V0 and not added"},
      {{"GPU", "CPU", "SOC", "CV", "VDDRQ", "SYS5V"}, "module; there is no input rail"},
  };
  for (const auto& rule : kRules) {
    if (!std::all_of(rule.rails.begin(), rule.rails.end(),
                     [&](auto rail) { return known(rails, rail); })) {
      continue;
    }
    for (const char* rail : rule.rails) {
      if (find_channel(rails, rail) == nullptr) {
        rails.total_note = fmt::format("no total: rail {} cannot be read", rail);
        return;
      }
    }
    for (const char* rail : rule.rails) {
      find_channel(rails, rail)->in_total = true;
      rails.total_rule += (rails.total_rule.empty() ? "" : " + ") + std::string(rail);
    }
    rails.total_note = rule.note;
    return;
  }
  rails.total_note = rails.channels.empty() ? "this board has no power sensor that can be read"
                                            : "no total: no known set of rails covers this board";
}

PowerRails find_power_rails(const Sysfs& sysfs, const std::string& board) {
  return RailFinder(sysfs, board).find();
}

std::optional<double> sensor_number(std::string_view text) {
  const auto number = parse_double(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

PowerReading read_power(const Sysfs& sysfs, const PowerChannel& channel) {
  PowerReading reading;
  double millivolt = 0;
  double milliamp = 0;
  const int voltage_error = read_number(sysfs, channel.voltage_path, millivolt);
  const int current_error = read_number(sysfs, channel.current_path, milliamp);
  if (voltage_error == 0) reading.voltage_v = millivolt / 1e3;
  if (current_error == 0) reading.current_a = milliamp / 1e3;
  if (!channel.power_path.empty()) {
    double value = 0;
    reading.error_number = read_number(sysfs, channel.power_path, value);
    reading.power_w = value * channel.power_unit_w;
    return reading;
  }
  reading.error_number = voltage_error != 0 ? voltage_error : current_error;
  reading.power_w = millivolt * milliamp / 1e6;
  return reading;
}

}  // namespace ridgewatt::platform
