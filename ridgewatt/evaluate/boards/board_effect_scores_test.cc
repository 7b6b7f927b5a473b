#include "ridgewatt/evaluate/board_effect_scores.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/test_support.h"

namespace ridgewatt::evaluate {
namespace {

// 200 simulated campaigns of 8 boards, with seeds that were not used for any choice: 90 % intervals
// contain the truth in 85 to 95 % of the cases, also with outlier boards and wrong points.
// label: slow
TEST(BoardEffectScores, IntervalsHoldWhatTheySay) {
  for (const Trouble trouble :
       {Trouble::kNone, Trouble::kBoard, Trouble::kPoints, Trouble::kBoth}) {
    RecoveryOptions options;
    options.trouble = trouble;
    options.seed = 2026;
    const RecoveryScore score = score_recovery(options);
    for (const double share :
         {score.time_offset, score.power_offset, score.time_slope, score.power_slope}) {
      EXPECT_GE(share, 0.85) << name_of(trouble);
      EXPECT_LE(share, 0.95) << name_of(trouble);
    }
    EXPECT_LT(score.falsely_named, 0.03) << name_of(trouble);
    const bool odd = trouble == Trouble::kBoard || trouble == Trouble::kBoth;
    EXPECT_EQ(score.outliers_found, odd ? 1 : 0) << name_of(trouble);
    const bool wrong = trouble == Trouble::kPoints || trouble == Trouble::kBoth;
    EXPECT_TRUE(!wrong || score.points_found > 0.9);
    RecordProperty(std::string(name_of(trouble)), std::to_string(score.time_offset));
  }
}

// label: slow
TEST(BoardEffectScores, MergedSweepPredictsLikeOneBoard) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto sweep = read_sweep(
      (testing::shared_folder() / "data/xavier-nx/inference/inception_v1_triton.csv").string());
  MergeOptions options;
  options.runs = 3;
  const MergeScore score = score_merged(sweep, options);
  EXPECT_LE(score.time.ratio(), 1.2);
  EXPECT_LE(score.power.ratio(), 1.2);
  EXPECT_GT(score.power.uncorrected, score.power.merged);
}

}  // namespace
}  // namespace ridgewatt::evaluate
