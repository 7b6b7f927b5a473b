// Which minibatches count, energy of each, and an external meter's log.
#include "ridgewatt/measure/window.h"

#include <gtest/gtest.h>

#include <ctime>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/measure/machine_series.h"
#include "ridgewatt/measure/power_trace.h"

namespace ridgewatt {
namespace {

// Marks at the ends of minibatches of these lengths; the first mark is at 100 s.
std::vector<TimedMark> marks_of(const std::vector<double>& lengths_s) {
  std::vector<TimedMark> marks = {{TimedMark::Kind::kMinibatch, "", 100}};
  for (const double length_s : lengths_s) {
    marks.push_back({TimedMark::Kind::kMinibatch, "", marks.back().time_s + length_s});
  }
  return marks;
}

TEST(Window, TakesCleanMinibatchesAndMarksOutliers) {
  // A slow start, then 10 ms with one hiccup of 30 ms and one of 13 ms.
  const auto marks = marks_of(
      {0.02, 0.010, 0.0101, 0.03, 0.0099, 0.010, 0.013, 0.0101, 0.0099, 0.010, 0.010, 0.010});
  WindowOptions options;
  options.warm_up = 2;
  options.minibatches = 5;
  const auto window = minibatch_window(marks, options);
  EXPECT_TRUE(window.complete);
  ASSERT_EQ(window.minibatches.size(), 7u);  // five clean ones and the two hiccups among them
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(window.minibatches[i].outlier, i == 2 || i == 5) << i;
  }
  options.minibatches = 20;
  EXPECT_FALSE(minibatch_window(marks, options).complete);
  EXPECT_EQ(minibatch_window(marks, options).minibatches.size(), 11u);
}

TEST(Window, IsLongEnoughForPowerSamples) {
  WindowOptions options;
  options.minibatches = 2;
  options.at_least_s = 0.045;
  const auto window = minibatch_window(marks_of(std::vector<double>(10, 0.01)), options);
  EXPECT_TRUE(window.complete);
  EXPECT_EQ(window.minibatches.size(), 5u);
}

TEST(Window, NothingMarkedIsNoWindow) {
  EXPECT_TRUE(minibatch_window({}, {}).minibatches.empty());
  EXPECT_TRUE(minibatch_window(marks_of({}), {3, 2, 0}).minibatches.empty());
}

// P = 5 + 2 t between 0 and 10 s: energy of [a, b] is 5 (b - a) + b^2 - a^2.
TEST(PowerIntegral, OfARamp) {
  PowerTrace ramp{"ramp", true, {0, 1, 2.5, 3, 7, 10}, {}};
  for (const double t : ramp.times_s) ramp.powers_w.push_back(5 + 2 * t);
  ramp.powers_w[3] = std::numeric_limits<double>::quiet_NaN();
  const PowerIntegral integral(ramp);
  EXPECT_NEAR(integral.energy_j(0, 10), 150, 1e-12);
  EXPECT_NEAR(integral.energy_j(2.7, 2.9), 5 * 0.2 + 2.9 * 2.9 - 2.7 * 2.7, 1e-12);
  EXPECT_NEAR(integral.energy_j(-1, 0), 5, 1e-12);    // held
  EXPECT_NEAR(integral.energy_j(10, 12), 50, 1e-12);  // held
  EXPECT_NEAR(integral.energy_j(1.3, 8.2), ramp.energy(1.3, 8.2)->energy_j, 1e-12);
  EXPECT_EQ(PowerIntegral({}).energy_j(0, 1), 0);
}

TEST(Meter, PowerOrVoltageTimesCurrentWithoutALineThatIsBeingWritten) {
  const testing::TemporaryFolder folder;
  const auto power = read_meter(folder.write("p.csv", "time_s,power_w\n1,10\n2,12\n3,1"), 0, 5);
  EXPECT_EQ(power.times_s, (std::vector<double>{1, 2}));
  EXPECT_EQ(power.powers_w, (std::vector<double>{10, 12}));
  const auto product =
      read_meter(folder.write("v.csv", "voltage_v,time_s,current_a\n12,1,2\n12,2,2.5\n"), 0, 5);
  EXPECT_EQ(product.powers_w, (std::vector<double>{24, 30}));
  const double now_s = monotonic_s();
  const auto unix_s = static_cast<double>(std::time(nullptr));
  const auto wall =
      read_meter(folder.write("u.csv", "unix_s,power_w\n" + std::to_string(unix_s) + ",7\n"),
                 now_s - 3, now_s + 3);
  EXPECT_NEAR(wall.times_s[0], now_s, 1.5);
}

TEST(Meter, WhatCannotBeMeant) {
  const testing::TemporaryFolder folder;
  const auto read = [&](const char* text) { read_meter(folder.write("m.csv", text), 0, 5); };
  EXPECT_THROW(read("time_s,power_w\n10,1\n11,1\n"), InputError);  // not during the run
  EXPECT_THROW(read("time_s,power_w\n2,1\n1,1\n"), InputError);    // backwards
  EXPECT_THROW(read("time_s,current_a\n1,1\n"), InputError);
  EXPECT_THROW(read("power_w\n1\n"), InputError);
  EXPECT_THROW(read("time_s,power_w\n1,x\n"), InputError);
  EXPECT_THROW(read_meter("/no/such/file", 0, 1), NotFoundError);
}

TEST(Series, MeanAndRangeOfTheWindow) {
  const std::vector<RawSample> samples = {{"clock:gpu", 0, 900},
                                          {"clock:gpu", 1, 1000},
                                          {"load:cpu", 1, 0.5},
                                          {"clock:gpu", 2, 800},
                                          {"clock:gpu", 9, 100}};
  const auto summaries = summarize_series(samples, 0.5, 3);
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_EQ(summaries[0].channel, "clock:gpu");
  EXPECT_DOUBLE_EQ(summaries[0].mean, 900);
  EXPECT_DOUBLE_EQ(summaries[0].low, 800);
  EXPECT_DOUBLE_EQ(summaries[0].high, 1000);
  // Between two looks the last one holds.
  EXPECT_DOUBLE_EQ(summarize_series(samples, 3, 4)[0].mean, 800);
}

}  // namespace
}  // namespace ridgewatt
