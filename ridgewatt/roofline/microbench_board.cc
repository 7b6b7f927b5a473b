#include "ridgewatt/roofline/microbench_board.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt::roofline {
namespace {

constexpr double kMostOverSheet = 1.1;    // chosen: boost clocks and rounded data sheets
constexpr double kClockTolerance = 1.05;  // the tolerance for matching presets to clock tables

void check_clocks(const PowerMode& mode, const Board& board) {
  for (const Knob knob : kKnobs) {
    const auto& levels = board.find_bsp().levels[knob];
    const double highest = levels.empty() ? 0 : levels.back();
    if (!mode.has(knob) || mode.get(knob) <= highest * kClockTolerance) continue;
    throw InputError(
        fmt::format("{} of {:g} is above the maximum, {:g}, of board {}", knob_field(knob),
                    knob_in_field_unit(mode, knob),
                    knob == Knob::kCpuCores ? highest : mhz_of_hz(highest), board.name),
        describe(mode), "were the points measured on another board?");
  }
}

// Measured value divided by the data sheet's value.
double checked_share(const MeasuredRoof& roof, RoofQuantity quantity, double sheet,
                     const Board& board) {
  const double share = roof.find(quantity)->value / sheet;
  if (share > kMostOverSheet) {
    throw InputError(
        fmt::format("the measured {} of {:.4g} is above the {:.4g} in the data sheet of board {}",
                    name_of(quantity), roof.find(quantity)->value, sheet, board.name),
        describe(roof.mode), "were the points measured on another machine?");
  }
  return share;
}

std::string share_words(const char* what, const std::vector<double>& shares) {
  const auto [lo, hi] = std::minmax_element(shares.begin(), shares.end());
  const std::string range = shares.size() == 1 || *hi - *lo < 0.005
                                ? fmt::format("{:.0f}", 100 * *hi)
                                : fmt::format("{:.0f} to {:.0f}", 100 * *lo, 100 * *hi);
  return fmt::format("{}: {} % of the data sheet's", what, range);
}

}  // namespace

std::vector<std::string> check_against_board(const MeasuredRoofs& roofs, const Board& board) {
  if (roofs.target == RoofTarget::kCpu) {
    return {fmt::format("measured on a processor ({}): these are not the roofs of the GPU of {}",
                        roofs.machine.empty() ? "not named" : escape_terminal(roofs.machine),
                        board.name)};
  }
  std::vector<double> peaks, bandwidths;
  for (const auto& roof : roofs.modes) {
    check_clocks(roof.mode, board);
    if (roof.find(RoofQuantity::kFp32) != nullptr) {
      const double sheet = peak_flops(board, roof.mode, Arithmetic::kFp32);
      peaks.push_back(checked_share(roof, RoofQuantity::kFp32, sheet, board));
    }
    if (roof.find(RoofQuantity::kBandwidth) != nullptr) {
      const double sheet = peak_bandwidth(board, roof.mode);
      bandwidths.push_back(checked_share(roof, RoofQuantity::kBandwidth, sheet, board));
    }
  }
  std::vector<std::string> lines;
  if (!peaks.empty()) lines.push_back(share_words("measured FP32 peak", peaks));
  if (!bandwidths.empty()) lines.push_back(share_words("measured bandwidth", bandwidths));
  return lines;
}

}  // namespace ridgewatt::roofline
