// Knobs in the units of their fields, and back, for every clock that a board has.
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
