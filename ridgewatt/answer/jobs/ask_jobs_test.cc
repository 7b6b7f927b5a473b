#include <gtest/gtest.h>

#include "ridgewatt/answer/jobs.h"
#include "ridgewatt/base/error.h"

namespace ridgewatt::answer {
namespace {

constexpr double kDayS = 24 * 3600;

// A fast mode of 10 W and a slow mode of 4 W, which both idle at 2 W. Minibatches have 4 samples.
ModeCosts two_modes() {
  ModeCosts costs;
  costs.points = {{{}, 4}, {{}, 4}};
  costs.costs = {{1, 10, 2}, {2, 4, 2}};
  return costs;
}

JobQuestion job_until(double deadline_s) {
  JobQuestion question;
  question.deadline_s = deadline_s;
  question.samples = 40;
  return question;
}
JobQuestion day_within(double power_w) {
  JobQuestion question;
  question.day_energy_j = 3 * kDayS;
  question.max_power_w = power_w;
  return question;
}
JobQuestion every(double period_s) {
  JobQuestion question;
  question.period_s = period_s;
  return question;
}

// 40 samples are 10 minibatches: 20 s at 4 W, then 5 s at 2 W.
TEST(AskJobs, AJobWithADeadlineTakesTheLeastEnergyUntilTheDeadline) {
  const JobAnswer found = ask_job(job_until(25), two_modes());
  ASSERT_FALSE(found.ways.empty());
  const auto& [name, best] = found.ways.front();
  EXPECT_EQ(name, "best mix");
  EXPECT_NEAR(best.energy_j, 90, 1e-9);
  EXPECT_NEAR(found.samples_of(best), 40, 1e-9);
  EXPECT_EQ(found.ways.back().name, "slow and steady");
}

TEST(AskJobs, ADeadlineThatNoModeMeetsLeavesTheLeastTime) {
  const JobAnswer found = ask_job(job_until(5), two_modes());
  EXPECT_TRUE(found.ways.empty());
  EXPECT_NEAR(found.least_time_s, 10, 1e-9);
}

// 3 W on average over the day: half of the time at 4 W, half at 2 W.
TEST(AskJobs, ADayWorksInTheModesWithinThePowerLimit) {
  const JobAnswer found = ask_day(day_within(5), two_modes());
  EXPECT_EQ(found.costs.costs.size(), 1u);
  EXPECT_NEAR(found.held_power_w, 3, 1e-9);
  EXPECT_NEAR(found.samples_of(found.ways.front().way), 4 * kDayS / 2 / 2, 1e-3);
  EXPECT_THROW(ask_day(day_within(1), two_modes()), NoSolutionError);
}

// In a period of 4 s: 2 s at 4 W and 2 s at 2 W. The fast mode needs 10 J + 6 J.
TEST(AskJobs, APeriodicTaskTakesTheLeastEnergyPerPeriod) {
  const PeriodAnswer found = ask_period(every(4), two_modes());
  ASSERT_FALSE(found.ways.empty());
  EXPECT_EQ(found.ways.front().name, "best");
  EXPECT_NEAR(found.ways.front().way.energy_j, 12, 1e-9);
  EXPECT_TRUE(ask_period(every(0.5), two_modes()).ways.empty());
}

}  // namespace
}  // namespace ridgewatt::answer
