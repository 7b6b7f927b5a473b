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

// With a measured idle power of 0.5 W, the slow mode needs 8 J + 1 J, the fast one 10 J + 1.5 J. A
// day at 3 W has 5/7 of the time at 4 W. Idle power is never above that of the mode.
TEST(AskJobs, AMeasuredIdlePowerReplacesThatOfTheTwin) {
  JobQuestion question = every(4);
  question.idle_power_w = 0.5;
  const PeriodAnswer found = ask_period(question, two_modes());
  EXPECT_NEAR(found.ways.front().way.energy_j, 9, 1e-9);
  EXPECT_EQ(found.costs.idle_power, "given: 0.5 W");
  JobQuestion day = day_within(5);
  day.idle_power_w = 0.5;
  const JobAnswer in_a_day = ask_day(day, two_modes());
  EXPECT_NEAR(in_a_day.samples_of(in_a_day.ways.front().way), 4 * kDayS * 5 / 7 / 2, 1e-3);
  day.idle_power_w = 99;
  EXPECT_THROW(ask_day(day, two_modes()), NoSolutionError);
  question.idle_power_w = 99;
  EXPECT_NEAR(ask_period(question, two_modes()).ways.front().way.energy_j, 16, 1e-9);
}

}  // namespace
}  // namespace ridgewatt::answer
