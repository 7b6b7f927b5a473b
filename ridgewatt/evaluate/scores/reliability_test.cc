#include "ridgewatt/evaluate/reliability.h"

#include <gtest/gtest.h>

#include <vector>

namespace ridgewatt::evaluate {
namespace {

TEST(Reliability, BinsHoldTheMeanStatementAndTheShareThatIsTrue) {
  const std::vector<StatedProbability> statements = {
      {0.1, false}, {0.3, true}, {0.5, true}, {0.9, true}, {1, false}};
  const std::vector<double> edges = {0, 0.25, 0.5, 0.75, 1};
  const auto bins = reliability(statements, edges);
  ASSERT_EQ(bins.size(), 4u);
  EXPECT_EQ(bins[0].rows, 1u);
  EXPECT_EQ(bins[1].stated, 0.3);
  EXPECT_EQ(bins[2].from, 0.5);  // an edge belongs to the bin above it; the last, to the last bin
  EXPECT_EQ(bins[3].rows, 2u);
  EXPECT_NEAR(bins[3].stated, 0.95, 1e-12);
  EXPECT_EQ(bins[3].true_share, 0.5);
  EXPECT_NEAR(calibration_error(bins), (0.1 + 0.7 + 0.5 + 2 * 0.45) / 5, 1e-12);
}

TEST(Reliability, NoStatementsHaveNoBins) {
  const std::vector<double> edges = {0, 1};
  EXPECT_TRUE(reliability({}, edges).empty());
  EXPECT_EQ(calibration_error({}), 0);
}

}  // namespace
}  // namespace ridgewatt::evaluate
