#include "ridgewatt/govern/jobs.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"

namespace ridgewatt::govern {
namespace {

// Computed by hand. Slow: 1 s at 10 W, 10 J. Fast: 0.5 s at 30 W, 15 J. They idle at 4 and 6 W.
const std::vector<ModeCost> kModes = {{1, 10, 4}, {0.5, 30, 6}};

// 150 minibatches in 100 s: x s fast and 100 - x s slow with 2 x + (100 - x) = 150, that is 50 s
// each: 500 J + 1500 J. Fast alone takes 75 s and 2250 J, and idles 25 s at 4 W: 2350 J.
TEST(Jobs, TwoModesBeatOneBetweenTheirSpeeds) {
  const JobWays ways = ways_of_job(kModes, {.minibatches = 150, .end_s = 100});
  ASSERT_TRUE(ways.mix && ways.fixed && ways.race && ways.steady);
  EXPECT_NEAR(ways.mix->energy_j, 2000, 1e-9);
  EXPECT_NEAR(ways.mix->end_s, 100, 1e-9);
  ASSERT_EQ(ways.mix->parts.size(), 2u);
  EXPECT_EQ(ways.mix->parts[0].mode, 1u) << "the faster one first";
  EXPECT_NEAR(ways.mix->parts[0].minibatches, 100, 1e-9);
  EXPECT_NEAR(ways.fixed->energy_j, 2350, 1e-9);
  EXPECT_NEAR(ways.race->energy_j, 2350, 1e-9);
  EXPECT_NEAR(ways.steady->energy_j, 2350, 1e-9);
}

// With time to spare, the slow mode is best: 50 s at 10 W, then idle for 50 s at 4 W. Racing: 25 s
// at 30 W, then 75 s idle at 4 W, or asleep at 1 W except for 5 s that take 25 J: 750 + 25 + 70.
TEST(Jobs, RacingPaysOnceSleepIsCheap) {
  const Job job{.minibatches = 50, .end_s = 100};
  const JobWays awake = ways_of_job(kModes, job);
  EXPECT_NEAR(awake.mix->energy_j, 700, 1e-9);
  EXPECT_NEAR(awake.race->energy_j, 1050, 1e-9);
  const Sleep sleep{.power_w = 1, .time_s = 5, .energy_j = 25};
  const JobWays asleep = ways_of_job(kModes, job, sleep);
  EXPECT_NEAR(asleep.race->energy_j, 845, 1e-9);
  EXPECT_EQ(asleep.race->parts.back().wait, Wait::kSleep);
  EXPECT_NEAR(asleep.fixed->energy_j, 500 + 25 + 45, 1e-9);
  // The second mode has twice the power of the slow one but needs less energy: now racing wins.
  const std::vector<ModeCost> hungry = {{1, 10, 4}, {0.4, 20, 6}};
  const JobWays raced = ways_of_job(hungry, job, sleep);
  EXPECT_NEAR(raced.mix->energy_j, 400 + 25 + 75, 1e-9);
  EXPECT_EQ(raced.mix->parts[0].mode, 1u);
}

TEST(Jobs, EnergyWithoutADeadlineIsSpentOnTime) {
  // 100 minibatches for 1250 J: half of them fast (25 s), half slow (50 s).
  const JobWays ways = ways_of_job(kModes, {.minibatches = 100, .energy_j = 1250});
  ASSERT_TRUE(ways.mix && ways.fixed);
  EXPECT_NEAR(ways.mix->end_s, 75, 1e-9);
  EXPECT_NEAR(ways.mix->energy_j, 1250, 1e-9);
  EXPECT_NEAR(ways.fixed->end_s, 100, 1e-9);
  EXPECT_FALSE(ways_of_job(kModes, {.minibatches = 100, .energy_j = 999}).mix);
}

TEST(Jobs, WhatCannotBeKeptIsSaid) {
  const JobWays late = ways_of_job(kModes, {.minibatches = 201, .end_s = 100});
  EXPECT_FALSE(late.mix || late.fixed);
  EXPECT_NEAR(late.least_time_s, 100.5, 1e-9);
  const JobWays dear = ways_of_job(kModes, {.minibatches = 150, .end_s = 100, .energy_j = 1900});
  EXPECT_FALSE(dear.mix || dear.fixed);
  EXPECT_NEAR(dear.least_energy_j, 2000, 1e-9);
  EXPECT_FALSE(ways_of_job(kModes, {.minibatches = 150, .end_s = 100, .power_w = 29}).mix);
  EXPECT_THROW(ways_of_job({}, {.minibatches = 1, .end_s = 1}), UsageError);
  EXPECT_THROW(ways_of_job(kModes, {.minibatches = 1}), UsageError);
  EXPECT_THROW(ways_of_job(kModes, {.minibatches = 0, .end_s = 1}), UsageError);
}

// A minibatch every 2 s. Slow: 10 J + 1 s x 4 W = 14 J. Fast and then idle: 15 J + 1.5 s x 6 W = 24
// J. Fast with a change to the slow mode while idle, two changes of 0.25 s at 6 W and 1 s at 4 W:
// 22 J.
TEST(Jobs, APeriodIsWorkAndTheCheapestWait) {
  const Period period{.period_s = 2, .change_s = 0.25};
  const PeriodWays ways = ways_of_period(kModes, period);
  ASSERT_TRUE(ways.best && ways.race && ways.steady && ways.rest);
  EXPECT_NEAR(ways.best->energy_j, 14, 1e-12);
  EXPECT_EQ(ways.best->wait, Wait::kIdle);
  EXPECT_NEAR(ways.race->energy_j, 22, 1e-12);
  EXPECT_EQ(ways.race->wait, Wait::kRest);
  EXPECT_FALSE(ways.asleep);
  // The fast mode can sleep for 1.5 s: 0.5 s and 1 J to enter and leave sleep, 1 s at 0.1 W:
  // 16.1 J. The slow mode can sleep for 1 s: 10 + 1 + 0.05 J.
  const PeriodWays asleep =
      ways_of_period(kModes, period, Sleep{.power_w = 0.1, .time_s = 0.5, .energy_j = 1});
  EXPECT_NEAR(asleep.race->energy_j, 16.1, 1e-12);
  EXPECT_NEAR(asleep.best->energy_j, 11.05, 1e-12);
  EXPECT_FALSE(ways_of_period(kModes, {.period_s = 0.4}).best);
  EXPECT_NEAR(ways_of_period(kModes, {.period_s = 0.4}).least_time_s, 0.5, 1e-12);
}

TEST(Jobs, ADaysEnergyIsAMeanPower) {
  EXPECT_NEAR(held_power_w({.energy_j = 864000}), 10, 1e-12);
  // 24 W for half of the day, a mean of 12 W. This power can be held if the battery supplies the
  // other half, 12 W x 12 h.
  std::vector<double> solar_w(24, 0.0);
  for (std::size_t hour = 6; hour < 18; ++hour) solar_w[hour] = 24;
  EXPECT_NEAR(held_power_w({.energy_j = 12 * 43200.0, .solar_w = solar_w}), 12, 1e-6);
  // Half of that battery supplies 6 W during the 12 h from 18 to 6 o'clock.
  EXPECT_NEAR(held_power_w({.energy_j = 6 * 43200.0, .solar_w = solar_w}), 6, 1e-6);
  EXPECT_NEAR(held_power_w({.energy_j = 0, .solar_w = solar_w}), 0, 1e-6);
}

// 16 W for 100 s, with the modes of the job above: fast for x = 30 % of the time, from (30 - 10) x
// = 6.
TEST(Jobs, MostWorkAtAPower) {
  const auto mix = most_work(kModes, 16, 100);
  ASSERT_TRUE(mix);
  EXPECT_NEAR(mix->energy_j, 1600, 1e-9);
  double minibatches = 0;
  for (const auto& part : mix->parts) minibatches += part.minibatches;
  EXPECT_NEAR(minibatches, 130, 1e-9);
  const auto one = most_work_of_one(kModes, 16, 100);
  ASSERT_TRUE(one);  // slow all the time: 100; fast for 12 / 26 of the time: 92.3
  EXPECT_NEAR(one->parts[0].minibatches, 100, 1e-9);
  EXPECT_FALSE(most_work(kModes, 3.9, 100));
  EXPECT_FALSE(most_work_of_one(kModes, 3.9, 100));
}

TEST(Jobs, TheSunIsReadStrictly) {
  const auto solar_w = parse_solar("hour,power_w\n0,0\n6.5,20\n18,0\n", "sun.csv");
  const double parts_per_h = static_cast<double>(solar_w.size()) / 24;
  EXPECT_EQ(solar_w[static_cast<std::size_t>(6.25 * parts_per_h)], 0);
  EXPECT_EQ(solar_w[static_cast<std::size_t>(6.75 * parts_per_h)], 20);
  EXPECT_EQ(solar_w.back(), 0);
  for (const char* damaged :
       {"", "hour,power_w\n", "hour\n0\n", "hour,power_w\n1,0\n", "hour,power_w\n0,0\n0,1\n",
        "hour,power_w\n0,-1\n", "hour,power_w\n0,nan\n", "hour,power_w\n0,1e9\n",
        "hour,power_w\n0,1\n24,1\n", "hour,power_w\n0\n", "hour,power_w\n0,\"1\n"}) {
    EXPECT_THROW(parse_solar(damaged, "sun.csv"), InputError) << damaged;
  }
}

}  // namespace
}  // namespace ridgewatt::govern
