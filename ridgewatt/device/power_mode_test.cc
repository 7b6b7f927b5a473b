// Tests the conversion of knobs to the units of their fields and back, for every clock of every
// board.
#include "ridgewatt/device/power_mode.h"

#include <gtest/gtest.h>

#include "ridgewatt/device/board.h"

namespace ridgewatt {
namespace {

TEST(PowerMode, EveryClockOfEveryBoardSurvivesItsFieldUnit) {
  std::size_t clocks = 0;
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    for (const auto& bsp : board.bsps) {
      for (const Knob knob : kKnobs) {
        for (const double level : bsp.levels[knob]) {
          PowerMode mode, again;
          mode.set(knob, level);
          set_in_field_unit(again, knob, knob_in_field_unit(mode, knob));
          EXPECT_EQ(again, mode) << name << " " << knob_field(knob) << " " << level;
          ++clocks;
        }
      }
    }
  }
  EXPECT_GT(clocks, 300u);
}

// 114750000 / 1e6 prints as 114.75; the EMC clock of the Xavier NX is 1065.6 MHz (its BSP's table).
TEST(PowerMode, ClocksAreWholeHz) {
  EXPECT_EQ(hz_of_mhz(1065.6), 1065600000.0);
  EXPECT_EQ(mhz_of_hz(1065600000.0), 1065.6);
  EXPECT_EQ(mhz_of_hz(114750000.4), 114.75);
}

TEST(PowerMode, LoweringChangesOnlyKnobsThatBothSet) {
  const PowerMode mode{8, 2e9, 1e9, 0, ""}, other{12, 1e9, 0, 3e9, "schedutil"};
  EXPECT_EQ(lowered_to(mode, other), (PowerMode{8, 1e9, 1e9, 0, ""}));
  EXPECT_EQ(lowered_to(other, mode), (PowerMode{8, 1e9, 0, 3e9, "schedutil"}));
}

TEST(PowerMode, APowerLimitTakesThePlaceOfAGovernor) {
  PowerMode mode{8, 3e9, 1.74e9, 7.251e9, ""};
  EXPECT_FALSE(power_limit_w(mode));
  set_power_limit(mode, 150);
  EXPECT_EQ(mode.governor, "150W");
  EXPECT_EQ(power_limit_w(mode), 150);
  EXPECT_EQ(describe(mode), "8 cores, CPU 3000, GPU 1740, memory 7251 MHz, limit 150 W");
  for (const char* name : {"W", "-5W", "0W", "nanW", "infW", "schedutil", "15WW", "1e999W"}) {
    mode.governor = name;
    EXPECT_FALSE(power_limit_w(mode)) << name;
  }
}

TEST(KnobArray, IsIndexedByTheKnob) {
  KnobArray<int> counts{{1, 2, 3, 4}};
  int next = 1;
  for (const Knob knob : kKnobs) EXPECT_EQ(counts[knob], next++);
  counts[Knob::kGpuClock] = 7;
  EXPECT_EQ(counts, (KnobArray<int>{{1, 2, 7, 4}}));
  EXPECT_EQ(counts.size(), kKnobs.size());
}

}  // namespace
}  // namespace ridgewatt
