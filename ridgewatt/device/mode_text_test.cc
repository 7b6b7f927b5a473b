#include "ridgewatt/device/mode_text.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt {
namespace {

// 1065.6 * 1e6 is not 1065600000.0 in double arithmetic: the EMC clock of the Xavier NX and the
// Nano.
TEST(ModeText, MegahertzBecomeWholeHertz) {
  EXPECT_NE(1065.6 * 1e6, 1065600000.0);
  EXPECT_EQ(hz_of_mhz(1065.6), 1065600000.0);
  EXPECT_EQ(hz_of_mhz(114.75), 114750000.0);
  EXPECT_EQ(parse_mode_text("cores=4,cpu=1113.6,gpu=612,mem=1065.6"),
            (PowerMode{4, 1113600000.0, 612000000.0, 1065600000.0, ""}));
}

TEST(ModeText, PresetsOfAllBoardsReadBack) {
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    for (const auto& bsp : board.bsps) {
      for (const auto& preset : presets(board, bsp.name)) {
        EXPECT_EQ(parse_mode_text(mode_text(preset.mode)), preset.mode) << name << preset.name;
      }
    }
  }
  const PowerMode governed{4, 0, 0, 0, "schedutil"};
  EXPECT_EQ(parse_mode_text(mode_text(governed)), governed);
  for (const char* text : {"limit=150", "limit=150W", "power_limit=150"}) {
    EXPECT_EQ(parse_mode_text(text), (PowerMode{0, 0, 0, 0, "150W"})) << text;
  }
}

TEST(ModeText, PartsHaveUnits) {
  const PowerMode plain = parse_mode_text("cores=4,cpu=1113.6,gpu=1300.5,mem=2133");
  for (const char* text : {"cores=4,cpu=1113.6MHz,gpu=1.3005GHz,mem=2133 MHz",
                           "cores=4,cpu=1113600kHz,gpu=1300.5mhz,mem=2.133GHz"}) {
    EXPECT_EQ(parse_mode_text(text), plain) << text;
  }
  EXPECT_EQ(parse_mode_text("limit=0.3kW"), parse_mode_text("limit=300"));
  for (const char* text : {"gpu=612W", "gpu=612MB", "limit=300MHz", "cores=4GHz", "gpu=30GHz"}) {
    EXPECT_THROW(parse_mode_text(text), UsageError) << text;
  }
}

TEST(ModeText, WhatIsNotAModeIsRefused) {
  for (const char* text : {"cores=2.5",
                           "cores=0",
                           "cores=-1",
                           "cores=nan",
                           "gpu=inf",
                           "gpu=1e400",
                           "gpu=306000000",
                           "cpu=0",
                           "mem=",
                           "gpu",
                           "speed=3",
                           "",
                           "governor=",
                           "limit=",
                           "limit=0",
                           "limit=-5",
                           "limit=nan",
                           "limit=1e9",
                           "governor=schedutil,limit=150",
                           "limit=150,governor=schedutil"}) {
    EXPECT_THROW(parse_mode_text(text), UsageError) << text;
  }
}

// Under any of its names, and with equal or different values.
TEST(ModeText, APartThatIsGivenTwiceIsNamed) {
  for (const auto& [text, name] : {std::pair{"gpu=306,gpu=408", "gpu is"},
                                   {"gpu=306,gpu_mhz=306", "gpu is"},
                                   {"cores=4,cpu=1113.6,cpus=4", "cores is"},
                                   {"mem=2133,emc=2133", "mem is"},
                                   {"limit=150,power_limit=200", "limit is"},
                                   {"governor=a,cpu=1113.6,governor=b", "governor is"}}) {
    try {
      parse_mode_text(text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(std::string(name) + " given twice", 0), 0u)
          << error.what();
    }
  }
}

}  // namespace
}  // namespace ridgewatt
