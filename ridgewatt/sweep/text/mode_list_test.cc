#include "ridgewatt/sweep/mode_list.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/sweep/sweep.h"

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
  // Omitted knobs have their maximum. A clock within 1 MHz of the board's clock is that clock.
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

// A file of modes follows the rules of --modes: rounded clocks are the board's clocks, other clocks
// are rejected.
TEST(SelectModes, AFileNamesModesOfTheBoard) {
  const testing::TemporaryFolder folder;
  const Board board = load_board("agx-orin");
  const std::string header = "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz\n";
  const auto modes = select_modes(
      board, folder.write("modes.csv", header + "4,1114,420.75,2133\n4,1113.6,421,2133\n"));
  ASSERT_EQ(modes.size(), 1u);
  EXPECT_EQ(modes[0], find_preset(board, "MODE_15W").mode);
  for (const std::string row :
       {"4,1113.6,999,2133", "13,1113.6,420.75,2133", "4,1113.6,420.75,1"}) {
    const std::string path = folder.write("bad.csv", header + "4,1113.6,420.75,2133\n" + row);
    try {
      select_modes(board, path);
      ADD_FAILURE() << row;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
    }
  }
  const Board gpu = load_board("a100-sxm");
  EXPECT_EQ(select_modes(gpu, folder.write("cap.csv", "governor\n200W\n")).size(), 1u);
  EXPECT_THROW(select_modes(gpu, folder.write("cap.csv", "governor\n900W\n")), UsageError);
}

std::string message_of(const std::string& path) {
  try {
    read_modes(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A list of modes accepts the names that --modes accepts, and reports unknown columns.
TEST(ReadModes, ShortNamesAreReadAndUnknownColumnsNamed) {
  const testing::TemporaryFolder folder;
  const auto wanted = read_modes(folder.write(
      "long.csv",
      "cpu_cores,cpu_mhz,gpu_mhz,mem_mhz\n4,1190.4,624.75,2133\n8,1190.4,624.75,2133\n"));
  ASSERT_EQ(wanted.size(), 2u);
  EXPECT_EQ(read_modes(folder.write(
                "short.csv", "cores,cpu,gpu,mem\n4,1190.4,624.75,2133\n8,1190.4,624.75,2133\n")),
            wanted);
  const auto refusal = [&](const std::string& header) {
    return message_of(folder.write("bad.csv", header + "\n4,1190.4,624.75\n"));
  };
  EXPECT_NE(refusal("core,cpu_mhz,gpu_mhz").find("'core'"), std::string::npos);
  EXPECT_NE(refusal("cpu_cores,cpu_mhz,speed").find("speed"), std::string::npos);
  EXPECT_NE(refusal("cpu_cores,cores,gpu_mhz").find("are the same knob"), std::string::npos);
  EXPECT_NE(refusal("CPU_CORES,cpu_mhz,gpu_mhz").find("cpu_cores"), std::string::npos);
  // In a file of results, other columns are ignored.
  EXPECT_EQ(message_of(folder.write("result.csv", "cpu_cores,time_ms,whatever\n4,1,2\n")), "");
}

TEST(ReadModes, SweepsReadTheSameNames) {
  const auto sweeps = parse_sweeps("cores,gpu,batch,time_ms,power_w\n4,624.75,1,10,5\n", "s.csv");
  EXPECT_EQ(sweeps[0].observations[0].point.mode.cpu_cores, 4);
  EXPECT_EQ(sweeps[0].observations[0].point.mode.gpu_clock_hz, 624750000);
  EXPECT_THROW(parse_sweeps("cpu_core,batch,time_ms,power_w\n4,1,10,5\n", "s.csv"), InputError);
}

}  // namespace
}  // namespace ridgewatt
