// Roofs that were measured on a board: what its microbenchmarks reached, by power mode. `ridgewatt
// calibrate --microbench` writes them to the table [microbench] of the board file:
//
//   const Board board = load_board("board.toml");
//   if (const auto roof = measured_bandwidth(board, mode)) use(roof->value, roof->lo, roof->hi);
//
// A ceiling's `value` is the highest measured rate, because other load can only slow a kernel down;
// `lo` and `hi` are the 90 % interval of the rate of repeated measurements. The format is described
// in docs/reference/board_file.md.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// Results of a microbenchmark in a mode; the unit is the end of the name. Tensor cores and ordinary
// pipes of one precision are separate.
enum class RoofQuantity {
  kFp32,
  kFp64,
  kFp16,
  kTensorFp16,
  kBandwidth,
  kLaunch,
  kEnergyPerFlop,
  kEnergyPerByte,
  kStaticPower,
  kIdlePower,
  kBusyPower
};
constexpr auto enum_names(RoofQuantity) {
  return named<RoofQuantity>({{RoofQuantity::kFp32, "fp32_flop_per_s"},
                              {RoofQuantity::kFp64, "fp64_flop_per_s"},
                              {RoofQuantity::kFp16, "fp16_flop_per_s"},
                              {RoofQuantity::kTensorFp16, "tensor_fp16_flop_per_s"},
                              {RoofQuantity::kBandwidth, "bandwidth_bytes_per_s"},
                              {RoofQuantity::kLaunch, "launch_s"},
                              {RoofQuantity::kEnergyPerFlop, "energy_per_flop_j"},
                              {RoofQuantity::kEnergyPerByte, "energy_per_byte_j"},
                              {RoofQuantity::kStaticPower, "static_power_w"},
                              {RoofQuantity::kIdlePower, "idle_power_w"},
                              {RoofQuantity::kBusyPower, "busy_power_w"}});
}

// What the points were measured on.
enum class RoofTarget { kGpu, kCpu };
constexpr auto enum_names(RoofTarget) {
  return named<RoofTarget>({{RoofTarget::kGpu, "gpu"}, {RoofTarget::kCpu, "cpu"}});
}

struct MeasuredValue {
  double value = 0;
  double lo = 0;
  double hi = 0;
};

struct MeasuredRoof {
  PowerMode mode;  // a knob that the points do not name is absent
  std::map<RoofQuantity, MeasuredValue> quantities;
  const MeasuredValue* find(RoofQuantity quantity) const;  // null: not measured
};

struct MeasuredRoofs {
  RoofTarget target = RoofTarget::kGpu;
  std::string machine;              // as the program named it; may be empty
  std::string origin;               // date, data and command
  std::vector<MeasuredRoof> modes;  // ascending, never empty

  // The table of a board file: numbers and texts by key. Throws InputError, naming `where` and the
  // key, for missing or unknown keys and impossible values.
  static MeasuredRoofs parse(const std::map<std::string, double>& numbers,
                             const std::map<std::string, std::string>& texts,
                             const std::string& where);
  void write(std::map<std::string, double>& numbers,
             std::map<std::string, std::string>& texts) const;
};

}  // namespace ridgewatt

#pragma GCC visibility pop
