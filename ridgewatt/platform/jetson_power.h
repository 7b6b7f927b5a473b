// The power rails of a Jetson: INA3221 through hwmon (JetPack 5 and later) and through the old IIO
// driver (JetPack 4), INA238 (Thor), and which of them make up the module's total.
//
// Rails are known by their whole label. Other tools go by parts of a name, and so count
// VDDQ_VDD2_1V8AO of the AGX Orin twice, take VIN_SYS_5V0 for the input, or the combined
// VDD_CPU_GPU_CV for the CPU; here a combined rail keeps its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

struct PowerChannel {
  std::string rail;    // label, exactly as the board gives it
  std::string device;  // "ina3221 1-0040"
  // Either a power file, or voltage (mV) times current (mA).
  std::string power_path;
  double power_unit_w = 0;
  std::string voltage_path;
  std::string current_path;
  bool in_total = false;
};

struct SkippedChannel {
  std::string rail;    // label, or "" when it cannot be read
  std::string where;   // "ina3221 1-0041 channel 3"
  std::string reason;  // "not connected", "disabled", "Input/output error", ..
};

struct PowerRails {
  std::vector<PowerChannel> channels;
  std::vector<SkippedChannel> skipped;
  std::string total_rule;  // "VDD_IN", "VDD_GPU_SOC + VDD_CPU_CV + VIN_SYS_5V0"; empty: no total
  std::string total_note;  // what the total covers, or why there is none
};

// Marks the rails that make up the module's total, by their names. A rule with a failing rail gives
// no total: a sum that lacks a part would look like a measurement and be wrong.
void choose_total(PowerRails& rails);

// `board` names the table of rails for an IIO driver that hides its labels from users.
PowerRails find_power_rails(const Sysfs& sysfs, const std::string& board);

struct PowerReading {
  int error_number = 0;  // errno; 0: the values are valid
  double power_w = 0;
  std::optional<double> voltage_v;
  std::optional<double> current_a;
};
PowerReading read_power(const Sysfs& sysfs, const PowerChannel& channel);

// The text of a sensor's file as a number, finite; nothing when it is not one. Allocates nothing.
std::optional<double> sensor_number(std::string_view text);

}  // namespace ridgewatt::platform
