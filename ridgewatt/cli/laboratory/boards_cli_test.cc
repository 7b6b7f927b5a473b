// Tests `ridgewatt evaluate boards` on the command line.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

using testing::run_program;

TEST(EvaluateBoards, CountsTheVerdictsOfABoard) {
  const Json result =
      Json::parse(run_program("evaluate boards --board nano --quiet --format json").output);
  std::map<std::pair<std::string, std::string>, int> reproduced;
  int unasked = 0;
  for (const Json& finding : result["findings"]) {
    const auto board = finding["board"].get<std::string>();
    const auto to = finding["to"].get<std::string>();
    EXPECT_TRUE(board == "nano" || to.find("board=nano") != std::string::npos) << finding["id"];
    if (finding["verdict"] == "reproduced") ++reproduced[{finding["about"], board}];
    if (finding["verdict"] != "cannot be asked") continue;
    ++unasked;
    EXPECT_FALSE(finding["why"].get<std::string>().empty()) << finding["id"];
  }
  int unasked_counted = 0;
  for (const Json& counts : result["boards"]) {
    EXPECT_EQ(counts["reproduced"].get<int>(), (reproduced[{counts["about"], counts["board"]}]));
    int verdicts = 0;
    for (const char* verdict : {"reproduced", "not_reproduced", "cannot_tell", "cannot_ask"}) {
      verdicts += counts[verdict].get<int>();
    }
    EXPECT_EQ(counts["findings"], verdicts);
    unasked_counted += counts["cannot_ask"].get<int>();
  }
  EXPECT_EQ(unasked_counted, unasked);
  for (const Json& share : result["shares"]) {
    EXPECT_LE(share["reproduced"].get<int>(), share["asked"].get<int>());
  }
}

// A board's file must give the same findings as its name.
TEST(EvaluateBoards, TakesABoardFile) {
  const auto verdicts = [](const std::string& board) {
    return Json::parse(
        run_program("evaluate boards --quiet --format json --board " + board).output)["findings"];
  };
  const std::string file = (testing::source_folder() / "boards/nano.toml").string();
  EXPECT_EQ(verdicts(file), verdicts("nano"));
}

TEST(EvaluateBoards, SaysWhatItHasNothingOf) {
  EXPECT_EQ(run_program("evaluate boards --board thor").status, 1);
  EXPECT_EQ(run_program("evaluate boards --board nosuch").status, 1);
}

}  // namespace
}  // namespace ridgewatt::cli
