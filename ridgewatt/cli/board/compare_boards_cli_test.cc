#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/store/fleet_store_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

TEST(CompareBoards, NamesWhatBoardsDifferBy) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "fleet.db").string();
  testing::make_fleet_store(path);
  const auto result = testing::run_program("compare boards " + path + " --format json --quiet");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  ASSERT_EQ(json["rows"].size(), 3u);
  // 1.02 and 1 relative to their geometric mean; the third board is an outlier.
  EXPECT_NEAR(json["rows"][0]["time_pct"].get<double>(), 100 * (std::sqrt(1.02) - 1), 0.3);
  EXPECT_NEAR(json["rows"][1]["time_pct"].get<double>(), 100 * (1 / std::sqrt(1.02) - 1), 0.3);
  EXPECT_NEAR(json["rows"][2]["time_pct"].get<double>(), 100 * (3 / std::sqrt(1.02) - 1), 3);
  EXPECT_EQ(json["rows"][2]["outlier"], "time");
  EXPECT_TRUE(json["rows"][0]["outlier"].is_null());
  EXPECT_EQ(json["rows"][2]["serial"], "orin3");
  EXPECT_EQ(json["rows"][2]["board"], "orin-nano-8gb");

  const auto merged = testing::run_program("store export --merge-boards " + path);
  ASSERT_EQ(merged.status, 0) << merged.output;
  EXPECT_THAT(merged.output, HasSubstr("boards,time_correction_pct,power_correction_pct"));
  EXPECT_THAT(merged.output, HasSubstr(",orin1 orin2,"));  // the outlier has no points of its own
}

TEST(CompareBoards, SaysWhatItCannot) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "fleet.db").string();
  testing::make_fleet_store(path);
  const auto other = testing::run_program("compare boards " + path + " --workload bert");
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.output, HasSubstr("no points that match"));
  EXPECT_THAT(other.output, HasSubstr("`ridgewatt store list " + path + "`"));
  const auto nothing = testing::run_program("compare");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.output, HasSubstr("compare needs two commands"));
  EXPECT_NE(testing::run_program("compare boards " + path + ".none").status, 0);
}

}  // namespace
}  // namespace ridgewatt::cli
