// Compares the twins of boards with sweeps that no fit used.
#include "ridgewatt/evaluate/board_scores.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::evaluate {
namespace {

twin::SweepSpec sweep(const std::string& path, const std::string& device) {
  return twin::parse_sweep_spec((testing::shared_folder() / "data" / path).string() +
                                ",device=" + device);
}

TEST(BoardScores, ASweepNamesItsBoard) {
  EXPECT_THROW(score_boards({twin::parse_sweep_spec("a.csv")}), UsageError);
}

TEST(BoardScores, OptionsOutOfRangeAreRefused) {
  EXPECT_THROW(score_boards({}, {.draws = 0}), UsageError);
  EXPECT_THROW(score_boards({}, {.points = {-1}}), UsageError);
}

// For a twin fitted to published figures: 15 % of time and 10 % of power, set in advance.
TEST(BoardScores, TheOrinNanoIsFittedToPublishedFigures) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto scores = score_boards({sweep("orin-nano/training/mobilenet_v3.csv", "orin-nano-8gb")},
                                   {.points = {0}});
  ASSERT_EQ(scores.size(), 1);
  EXPECT_LT(scores[0].time_error, 0.15);
  EXPECT_LT(scores[0].power_error, 0.10);
  EXPECT_GT(scores[0].time_covered, 0.85);
  EXPECT_EQ(scores[0].groups, 0);  // three GPU clocks are too few
}

// The clock must be within one step of the published or measured clock for 80 % of the groups, and
// for 95 % with five points.
TEST(BoardScores, TheClockOfLeastEnergyIsThatOfPapersOrSweeps) {
  RIDGEWATT_REQUIRE_SHARED();
  double groups = 0, near = 0, searched = 0;
  for (const auto& [path, device] :
       {std::pair{"nano/inference/inception_v1_triton.csv", "nano"},
        std::pair{"xavier-nx/inference/inception_v1_triton.csv", "xavier-nx"}}) {
    const auto scores = score_boards({sweep(path, device)}, {.points = {0}});
    ASSERT_EQ(scores.size(), 2);
    groups += scores[0].groups;
    near += scores[0].near_either;
    searched += scores[1].near_either;
    EXPECT_LE(scores[1].excess, scores[0].excess);
  }
  EXPECT_EQ(groups, 13 + 18);
  EXPECT_GE(near, 0.80 * groups);
  EXPECT_GE(searched, 0.95 * groups);
}

}  // namespace
}  // namespace ridgewatt::evaluate
