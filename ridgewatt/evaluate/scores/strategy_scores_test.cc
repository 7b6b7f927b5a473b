// Tests scores of search strategies on outcomes that the test writes.
#include "ridgewatt/evaluate/strategy_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::evaluate {
namespace {

// A solved search with this penalty, after 5 profiles of 2 s in total.
std::vector<double> outcome(double penalty) {
  const double unknown = std::nan("");
  return {1, 0, penalty, penalty, unknown, unknown, 5, 2, 30, 2, unknown};
}

TEST(StrategyScores, WithoutProblemsNoFigureIsKnown) {
  const StrategyScore score = score_outcomes({}, 1);
  EXPECT_EQ(score.problems, 0U);
  const Json row = strategy_table({score}).to_json()[0];
  EXPECT_EQ(row.at("problems"), 0);
  for (const char* key :
       {"solved_pct", "solved_lo_pct", "violations_pct", "median_penalty_pct", "median_hi_pct",
        "mean_penalty_pct", "mean_lo_pct", "p90_penalty_pct", "flagged_median_pct",
        "flagged_mean_pct", "profiles_used", "near_best_pct", "board_time_s", "board_energy_j"}) {
    EXPECT_TRUE(row.at(key).is_null()) << key << ": " << row.dump();
  }
}

TEST(StrategyScores, AveragesOutcomes) {
  const StrategyScore score = score_outcomes({outcome(0), outcome(0.1), outcome(0.5)}, 1);
  EXPECT_EQ(score.problems, 3U);
  EXPECT_EQ(score.solved, 1);
  EXPECT_DOUBLE_EQ(score.median_penalty, 0.1);
  EXPECT_DOUBLE_EQ(score.mean_penalty, 0.2);
  EXPECT_DOUBLE_EQ(score.near_best_share, 1.0 / 3);
  EXPECT_EQ(score.profiles_used, 5);
}

}  // namespace
}  // namespace ridgewatt::evaluate
