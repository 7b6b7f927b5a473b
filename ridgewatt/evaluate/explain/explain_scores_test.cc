#include "ridgewatt/evaluate/explain_scores.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::evaluate {
namespace {

// Uses half of the targets in docs/results/explain.md, so that a few runs are enough.
// label: slow
TEST(ExplainScores, CausesAreFoundAndPartsAddUp) {
  const ExplainScores scores = score_explain({.runs = 50, .seed = 7});
  EXPECT_EQ(scores.watched.none.runs, 10u);
  EXPECT_EQ(scores.watched.single.runs, 20u);
  EXPECT_EQ(scores.watched.pair.runs, 20u);
  EXPECT_GT(scores.watched.none.first, 0.6);
  EXPECT_GT(scores.watched.single.first, 0.6);
  EXPECT_GE(scores.watched.pair.first_two, scores.watched.pair.first);
  EXPECT_GT(scores.watched.single.first, scores.numbers.single.first);
  EXPECT_LT(scores.watched.parts_error, 1e-6);
}

TEST(ExplainScores, NeedsARunOfEachKind) {
  EXPECT_THROW(score_explain({.runs = 4}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::evaluate
