#include "ridgewatt/device/measured_roof.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt {
namespace {

using ::testing::HasSubstr;

// MAXN, and a mode with about half its GPU and memory clocks (the closest clocks in the tables).
MeasuredRoofs example() {
  MeasuredRoofs roofs;
  roofs.machine = "Orin \"nvgpu\"";
  roofs.origin = "2026-01-01, 20 points of mb.csv";
  MeasuredRoof slow;
  slow.mode = {4, 729.6e6, 612e6, 2133e6, ""};
  slow.quantities[RoofQuantity::kFp32] = {2.4e12, 2.3e12, 2.5e12};
  slow.quantities[RoofQuantity::kBandwidth] = {110e9, 108e9, 111e9};
  MeasuredRoof fast;
  fast.mode = {12, 2201.6e6, 1300.5e6, 3199e6, ""};
  fast.quantities[RoofQuantity::kFp32] = {5e12, 4.9e12, 5.1e12};
  fast.quantities[RoofQuantity::kBandwidth] = {180e9, 176e9, 184e9};
  fast.quantities[RoofQuantity::kTensorFp16] = {30e12, 29e12, 31e12};
  fast.quantities[RoofQuantity::kEnergyPerFlop] = {4e-12, 0, 5e-12};
  roofs.modes = {slow, fast};
  return roofs;
}

Board measured_orin() {
  const Board plain = load_board("agx-orin");
  return parse_board(board_toml_with_microbench(plain, example()), "own.toml");
}

TEST(MeasuredRoof, TheBoardFileKeepsThem) {
  const Board board = measured_orin();
  const MeasuredRoofs wrote = example();
  ASSERT_TRUE(board.microbench.has_value());
  const MeasuredRoofs& read = *board.microbench;
  EXPECT_EQ(read.machine, wrote.machine);
  EXPECT_EQ(read.origin, wrote.origin);
  EXPECT_EQ(read.target, RoofTarget::kGpu);
  ASSERT_EQ(read.modes.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.modes[i].mode, wrote.modes[i].mode);
    ASSERT_EQ(read.modes[i].quantities.size(), wrote.modes[i].quantities.size());
    for (const auto& [quantity, value] : wrote.modes[i].quantities) {
      EXPECT_EQ(read.modes[i].find(quantity)->value, value.value);
      EXPECT_EQ(read.modes[i].find(quantity)->lo, value.lo);
      EXPECT_EQ(read.modes[i].find(quantity)->hi, value.hi);
    }
  }
  // Writing the roofs twice gives the same file, and the twin is kept.
  EXPECT_EQ(board_toml_with_microbench(board, read), board.toml);
  EXPECT_EQ(board.twin.numbers, load_board("agx-orin").twin.numbers);
}

// A value measured at a mode's clocks is the ceiling there. At other clocks, peaks scale with the
// GPU clock and the bandwidth scales with the memory clock.
TEST(MeasuredRoof, IsTheCeilingAtItsClocksAndIsCarriedElsewhere) {
  const Board board = measured_orin();
  const PowerMode fast = example().modes[1].mode;
  PowerMode mode = fast;
  EXPECT_EQ(compute_ceiling(board, mode, Arithmetic::kFp32), 5e12);
  EXPECT_EQ(bandwidth_ceiling(board, mode), 180e9);
  EXPECT_EQ(bandwidth_ceiling_key(board), "microbench");
  EXPECT_TRUE(measured_peak(board, mode, Arithmetic::kFp32)->measured_here);
  EXPECT_NE(measured_roof(board, mode), nullptr);
  mode.cpu_cores = 8;  // another mode with the same roofs of the GPU
  EXPECT_TRUE(measured_bandwidth(board, mode)->measured_here);
  EXPECT_EQ(measured_roof(board, mode), nullptr);
  mode.gpu_clock_hz = 612e6;  // the slow mode's clock
  EXPECT_EQ(compute_ceiling(board, mode, Arithmetic::kFp32), 2.4e12);
  EXPECT_NEAR(compute_ceiling(board, mode, Arithmetic::kFp16), 30e12 * 612 / 1300.5, 1e6);
  mode.gpu_clock_hz = 1300.5e6 / 2;
  const auto carried = measured_peak(board, mode, Arithmetic::kFp32);
  EXPECT_FALSE(carried->measured_here);
  // The larger of 5e12 / 2 and 2.4e12 x 650.25 / 612 = 2.55e12.
  EXPECT_NEAR(carried->value, 2.4e12 * 650.25 / 612, 1e6);
  EXPECT_EQ(carried->from, example().modes[0].mode);
  // Values that were not measured come from the data sheet.
  EXPECT_EQ(compute_ceiling(board, fast, Arithmetic::kTf32),
            peak_flops(board, fast, Arithmetic::kTf32));
}

// The roofs of a processor do not apply to the GPU, which runs the networks.
TEST(MeasuredRoof, OfAProcessorAreNotTheGpus) {
  MeasuredRoofs roofs = example();
  roofs.target = RoofTarget::kCpu;
  const Board plain = load_board("agx-orin");
  const Board board = parse_board(board_toml_with_microbench(plain, roofs), "own.toml");
  const PowerMode mode = roofs.modes[1].mode;
  EXPECT_EQ(compute_ceiling(board, mode, Arithmetic::kFp32),
            compute_ceiling(plain, mode, Arithmetic::kFp32));
  EXPECT_EQ(bandwidth_ceiling(board, mode), bandwidth_ceiling(plain, mode));
  EXPECT_EQ(measured_roof(board, mode), nullptr);
}

TEST(MeasuredRoof, BadTablesAreNamedByKey) {
  const std::string plain = load_board("nano").toml;
  const auto fault = [&](const std::string& table) {
    try {
      parse_board(plain + "\n[microbench]\n" + table, "own.toml");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string head = "status = \"measured\"\ntarget = \"gpu\"\n";
  const std::string peak =
      "mode001.fp32_flop_per_s.value = 2e11\nmode001.fp32_flop_per_s.lo = 1e11\n";
  EXPECT_EQ(fault(head + peak + "mode001.fp32_flop_per_s.hi = 3e11\n"), "no error");
  EXPECT_THAT(fault(head), HasSubstr("at least one measured mode is required"));
  EXPECT_THAT(fault(peak), HasSubstr("'microbench.status' is missing"));
  EXPECT_THAT(fault(head + peak), HasSubstr("'microbench.mode001.fp32_flop_per_s.hi' is missing"));
  EXPECT_THAT(fault(head + peak + "mode001.fp32_flop_per_s.hi = 1.5e11\n"),
              HasSubstr("must have lo <= value <= hi"));
  EXPECT_THAT(fault(head + "mode001.fp32_flop_per_s.value = -1\n"), HasSubstr("must be positive"));
  EXPECT_THAT(fault(head + "mode001.fp31_flop_per_s.value = 1\n"), HasSubstr("is not a key"));
  EXPECT_THAT(fault(head + "mode001.gpu_mhz = 76800000\n"), HasSubstr("mode001.gpu_mhz"));
  EXPECT_THAT(fault(head + "colour = \"red\"\n"), HasSubstr("'microbench.colour' is not a key"));
  EXPECT_THAT(fault("status = \"fitted\"\n"), HasSubstr("must be \"measured\""));
  EXPECT_THAT(fault("target = \"tpu\"\n"), HasSubstr("\"gpu\" or \"cpu\""));
}

}  // namespace
}  // namespace ridgewatt
