#include "ridgewatt/sweep/mode_list.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/device/mode_text.h"

namespace ridgewatt {
namespace {

PowerMode only(const Board& board, const std::string& text) {
  const auto modes = select_modes(board, text);
  EXPECT_EQ(modes.size(), 1u) << text;
  return modes.at(0);
}

TEST(SelectModes, OneModeAsText) {
  const Board board = load_board("agx-orin");
  const PowerMode top = knob_space(board).top();
  EXPECT_EQ(only(board, mode_text(top)), top);
  // Knobs that are left out are at their highest; clocks within 1 MHz are the board's own.
  PowerMode wanted = top;
  wanted.gpu_clock_hz = 624750000;
  EXPECT_EQ(only(board, "gpu=624.75"), wanted);
  EXPECT_EQ(only(board, "gpu=625"), wanted);
  wanted.cpu_cores = 4;
  EXPECT_EQ(only(board, "gpu=624.75,cores=4"), wanted);
}

TEST(SelectModes, WhatTheBoardCannotBeSetToIsRefused) {
  const Board board = load_board("agx-orin");
  for (const std::string text : {"gpu=650", "cores=5.5", "cores=13", "mem=1", "gpu=", "x=1"}) {
    EXPECT_THROW(select_modes(board, text), UsageError) << text;
  }
  try {
    select_modes(board, "gpu=650");
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("gpu=624.75"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ridgewatt
