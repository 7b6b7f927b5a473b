#include "ridgewatt/measure/compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::measure {
namespace {

Measurement run_of(double time_s, double power_w) {
  Measurement measurement;
  measurement.end_s = time_s;
  EnergyEstimate energy;
  energy.energy_j = time_s * power_w;
  energy.mean_w = power_w;
  measurement.total = energy;
  return measurement;
}

// B takes 10 % longer at the same power. Heat makes both drift, and the comparison of pairs removes
// the drift.
TEST(Compare, FindsTheRatioThroughADrift) {
  Random random(5);
  std::vector<Measurement> a;
  std::vector<Measurement> b;
  for (int i = 0; i < 12; ++i) {
    const double drift = 1 + 0.05 * i;
    a.push_back(run_of(2 * drift * std::exp(0.01 * random.normal()), 20));
    b.push_back(run_of(2.2 * drift * std::exp(0.01 * random.normal()), 20));
  }
  const auto found = compare_measurements(a, b);
  ASSERT_EQ(found.size(), 3u);  // time, energy, power: nothing else was measured
  EXPECT_EQ(found[0].quantity, "time");
  EXPECT_NEAR(found[0].ratio, 1.1, 0.02);
  EXPECT_LT(found[0].ratio_lo, 1.1);
  EXPECT_GT(found[0].ratio_hi, 1.1);
  EXPECT_TRUE(found[0].differs());
  EXPECT_DOUBLE_EQ(found[2].ratio, 1);
  EXPECT_FALSE(found[2].differs());
}

// The power of a minibatch leaves out the start of the program, which draws less.
TEST(Compare, ThePowerOfAMinibatchIsThatOfItsWindow) {
  Measurement run = run_of(10, 26);
  run.summary.time_s = 0.1;
  run.summary.energy_j = 3;
  const auto found = compare_measurements({run, run}, {run, run});
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[2].quantity, "power");
  EXPECT_DOUBLE_EQ(found[2].a, 26);
  EXPECT_EQ(found[5].quantity, "minibatch power");
  EXPECT_DOUBLE_EQ(found[5].a, 30);
}

// Of 1,000 comparisons of 5 pairs, 950 should contain the true ratio in their 95 % intervals,
// within three standard deviations. (A percentile bootstrap of 5 pairs contains it only about 840
// times.)
TEST(Compare, FivePairsHoldTheTruthAsOftenAsTheySay) {
  Random random(11);
  int held = 0;
  int alarms = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<Measurement> a;
    std::vector<Measurement> b;
    for (int pair = 0; pair < 5; ++pair) {
      a.push_back(run_of(2 * std::exp(0.03 * random.normal()), 20));
      b.push_back(run_of(2.2 * std::exp(0.03 * random.normal()), 20));
    }
    const Comparison time = compare_measurements(a, b).front();
    held += time.ratio_lo <= 1.1 && 1.1 <= time.ratio_hi ? 1 : 0;
    alarms += compare_measurements(a, a).front().differs() ? 1 : 0;
  }
  EXPECT_NEAR(held, 950, 21);
  EXPECT_EQ(alarms, 0);  // compares runs with themselves
}

// label: slow
TEST(Compare, RunsBothInTurn) {
  const platform::Sysfs sysfs("/nonexistent");
  CompareOptions options;
  options.a.command = {"/bin/sh", "-c", "sleep 0.02"};
  options.b.command = {"/bin/sh", "-c", "sleep 0.1"};
  options.repeats = 3;
  int done = 0;
  const auto found = compare_commands(sysfs, options, [&](int runs) { done = runs; });
  EXPECT_EQ(done, 6);
  EXPECT_GT(found.quantities[0].ratio, 1.5);
  EXPECT_EQ(found.malformed_marks, 0u);
  options.b.command = {"/bin/false"};
  EXPECT_THROW(compare_commands(sysfs, options, [](int) {}), Error);
  EXPECT_THROW(compare_measurements({}, {}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::measure
