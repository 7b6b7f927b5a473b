// Finds and reads the power rails of a Jetson: INA3221 through hwmon (JetPack 5 and later) and
// through the old IIO driver (JetPack 4), INA238 (Thor). Determines the rails whose sum is the
// total of the module.
//
// Rails are identified by their full label. Tools that match parts of a label make errors: they
// count VDDQ_VDD2_1V8AO of the AGX Orin twice, or mistake VIN_SYS_5V0 for the input or
// VDD_CPU_GPU_CV for the CPU.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/platform/sysfs.h"

namespace ridgewatt::platform {

struct PowerChannel {
  std::string rail;    // label, exactly as the board reports it
  std::string device;  // "ina3221 1-0040"
  // Either a file with power, or files with voltage (mV) and current (mA).
  std::string power_path;
  double power_unit_w = 0;
  std::string voltage_path;
  std::string current_path;
  bool in_total = false;
};

struct SkippedChannel {
  std::string rail;    // label; empty if it cannot be read
  std::string where;   // "ina3221 1-0041 channel 3"
  std::string reason;  // "not connected", "disabled", "Input/output error", ..
};

struct PowerRails {
  std::vector<PowerChannel> channels;
  std::vector<SkippedChannel> skipped;
  std::string total_rule;  // "VDD_IN", "VDD_GPU_SOC + VDD_CPU_CV + VIN_SYS_5V0"; empty: no total
  std::string total_note;  // what the total includes, or why there is none
};

// Sets in_total for the rails that make up the total, by their labels. If one of these rails cannot
// be read, there is no total, because an incomplete sum would be wrong.
void choose_total(PowerRails& rails);

// Finds the rails. `board` selects a table of rail labels, for an IIO driver that hides the labels
// from users without root.
PowerRails find_power_rails(const Sysfs& sysfs, const std::string& board);

struct PowerReading {
  int error_number = 0;  // errno; 0: the values are valid
  double power_w = 0;
  std::optional<double> voltage_v;
  std::optional<double> current_a;
};
PowerReading read_power(const Sysfs& sysfs, const PowerChannel& channel);

// Returns the text of a sensor file as a finite number; empty for other text. Allocates no memory.
std::optional<double> sensor_number(std::string_view text);

}  // namespace ridgewatt::platform
