// Compute rates, bandwidths and powers that microbenchmarks measured on a board, by power mode.
// `ridgewatt calibrate --microbench` writes them to the table [microbench] of the board file:
//
//   const Board board = load_board("board.toml");
//   if (const auto roof = measured_bandwidth(board, mode)) use(roof->value, roof->lo, roof->hi);
//
// The `value` of a rate is the highest measured rate, because other load can only slow down a
// kernel. `lo` and `hi` are the 90 % interval of repeated measurements.
// docs/reference/board_file.md describes the format.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/device/power_mode.h"

#pragma GCC visibility push(default)

namespace ridgewatt {

// A quantity that microbenchmarks measure in a mode. Its name ends with its unit. FP16 has separate
// quantities for tensor cores and for ordinary arithmetic units.
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

// The processor on which the points were measured.
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
  PowerMode mode;  // absent knobs count as the highest values of the board
  std::map<RoofQuantity, MeasuredValue> quantities;
  const MeasuredValue* find(RoofQuantity quantity) const;  // null: not measured
};

struct MeasuredRoofs {
  RoofTarget target = RoofTarget::kGpu;
  std::string machine;              // name that the machine reports; may be empty
  std::string origin;               // date, data and command
  std::vector<MeasuredRoof> modes;  // in ascending order; not empty

  // Convert to and from a table of the board file, with numbers and texts by key. parse() throws
  // InputError, which names `where` and the key, for missing or unknown keys and impossible values.
  static MeasuredRoofs parse(const std::map<std::string, double>& numbers,
                             const std::map<std::string, std::string>& texts,
                             const std::string& where);
  void write(std::map<std::string, double>& numbers,
             std::map<std::string, std::string>& texts) const;
};

}  // namespace ridgewatt

#pragma GCC visibility pop
