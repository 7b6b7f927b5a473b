// Tests ridgewatt device: boards, their BSPs and modes.
#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

// label: slow
TEST(DeviceCommand, ListsAndShows) {
  const auto list = testing::run_program("device list --format json");
  ASSERT_EQ(list.status, 0) << list.output;
  const Json boards = Json::parse(list.output)["rows"];
  EXPECT_EQ(boards.size(), list_boards().size());
  const auto orin = std::find_if(boards.begin(), boards.end(),
                                 [](const Json& row) { return row["name"] == "agx-orin"; });
  ASSERT_NE(orin, boards.end());
  EXPECT_EQ((*orin)["modes"], 18096);

  const auto shown = testing::run_program("device show agx-orin@jp5.1 --list-modes --format json");
  ASSERT_EQ(shown.status, 0) << shown.output;
  const Json board = Json::parse(shown.output);
  EXPECT_EQ(board["modes"].size(), 15312u);
  EXPECT_EQ(board["bsps"][0]["modes"], 18096);
  EXPECT_EQ(board["bsps"][1]["presets"][2]["sms"], 8);
  EXPECT_EQ(board["bsps"][1]["presets"][2]["mode"]["gpu_mhz"], 612);

  const auto modes = testing::run_program("device show orin-nano --list-modes --format csv");
  const CsvTable table = parse_csv(modes.output, "modes");
  EXPECT_EQ(table.header,
            (std::vector<std::string>{"cpu_cores", "cpu_mhz", "gpu_mhz", "mem_mhz", "governor"}));
  EXPECT_EQ(table.rows.size(), 1800u);

  const auto wrong = testing::run_program("device show agx-orin@jp9");
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.output.find("choose one of agx-orin@jp5.0, agx-orin@jp5.1"), std::string::npos);
}

}  // namespace
}  // namespace ridgewatt::cli
