// The contract of `ridgewatt evaluate boards` on the command line.
#include <gtest/gtest.h>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

using testing::run_program;

TEST(EvaluateBoards, CountsTheVerdictsOfABoard) {
  const Json result =
      Json::parse(run_program("evaluate boards --board nano --quiet --format json").output);
  int reproduced = 0;
  for (const Json& finding : result["findings"]) {
    const bool of_nano = finding["board"] == "nano";
    EXPECT_TRUE(of_nano || finding["id"].get<std::string>().find("nano") != std::string::npos);
    if (of_nano && finding["verdict"] == "reproduced") ++reproduced;
  }
  EXPECT_EQ(result["boards"][0]["board"], "nano");
  const Json& counts = result["boards"][0];
  EXPECT_EQ(counts["reproduced"], reproduced);
  EXPECT_EQ(counts["findings"].get<int>(), counts["reproduced"].get<int>() +
                                               counts["not_reproduced"].get<int>() +
                                               counts["cannot_tell"].get<int>());
}

// A board file with another twin than the board's own answers for that board.
TEST(EvaluateBoards, TakesABoardFile) {
  const auto time_span = [](const std::string& board) {
    const Json result =
        Json::parse(run_program("evaluate boards --quiet --format json --board " + board).output);
    return result["findings"][0]["modelled_lo"].get<double>();
  };
  const std::string file = (testing::source_folder() / "boards/nano.toml").string();
  EXPECT_EQ(time_span(file), time_span("nano"));
}

TEST(EvaluateBoards, SaysWhatItHasNothingOf) {
  EXPECT_EQ(run_program("evaluate boards --board thor").status, 1);
  EXPECT_EQ(run_program("evaluate boards --board nosuch").status, 1);
}

}  // namespace
}  // namespace ridgewatt::cli
