#include "ridgewatt/evaluate/schedule_scores.h"

#include <gtest/gtest.h>

#include "ridgewatt/schedule/schedule_fixture.h"

namespace ridgewatt::evaluate {
namespace {

TEST(EvaluateSchedules, ExhaustiveLosesNothing) {
  Random random(5);
  auto workloads = testing::random_workloads(random, testing::small_space().size());
  ScheduleEvaluationOptions options;
  options.grid.power_step_w = 10;
  options.grid.latency_step_s = 0.5;
  options.grid.rate_step_hz = 30;
  EXPECT_EQ(options.grid.problems().size(), 5u * 4u * 4u);
  options.strategies = {{"exhaustive", 1}, {"random", 5}};
  options.problems_per_pair = 0;
  const auto question =
      schedule_question({{workloads.background[0].sweep, *workloads.inference}}, options);
  const auto scores = schedule_scores(question->groups(), answer(*question));
  ASSERT_EQ(scores.size(), 4u);  // one pair and the totals
  EXPECT_DOUBLE_EQ(scores[0].solved, 1);
  EXPECT_DOUBLE_EQ(scores[0].mean_loss, 0);
  EXPECT_EQ(scores[0].tried, scores[0].solvable);
  EXPECT_LT(scores[1].solved + scores[1].mean_loss_of_all, 2);
  EXPECT_GT(scores[1].mean_loss_of_all, 0);
  EXPECT_EQ(scores[2].training, "all");
}

}  // namespace
}  // namespace ridgewatt::evaluate
