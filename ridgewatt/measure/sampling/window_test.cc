// Tests which minibatches count, the energy of each minibatch, and the log of an external meter.
#include "ridgewatt/measure/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/measure/machine_series.h"
#include "ridgewatt/measure/power_trace.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::measure {
namespace {

// Marks at the ends of minibatches of these lengths. The first mark is at 100 s.
std::vector<TimedMark> marks_of(const std::vector<double>& lengths_s) {
  std::vector<TimedMark> marks = {{TimedMark::Kind::kMinibatch, "", 100}};
  for (const double length_s : lengths_s) {
    marks.push_back({TimedMark::Kind::kMinibatch, "", marks.back().time_s + length_s});
  }
  return marks;
}

// A slow start, then minibatches of 10 ms with delayed ones of 30 ms and 13 ms. The delayed
// minibatches are part of the program's cost.
TEST(Window, SlowMinibatchesCount) {
  const auto marks = marks_of(
      {0.02, 0.010, 0.0101, 0.03, 0.0099, 0.010, 0.013, 0.0101, 0.0099, 0.010, 0.010, 0.010});
  WindowOptions options;
  options.warm_up = 2;
  options.minibatches = 7;
  const auto window = minibatch_window(marks, options);
  EXPECT_TRUE(window.complete);
  ASSERT_EQ(window.minibatches.size(), 7u);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(window.minibatches[i].slow, i == 2 || i == 5) << i;
    EXPECT_EQ(window.minibatches[i].excluded, "");
  }
  options.minibatches = 20;
  EXPECT_FALSE(minibatch_window(marks, options).complete);
  EXPECT_EQ(minibatch_window(marks, options).minibatches.size(), 11u);
  options.begin_s = 100.125;  // the last two minibatches only
  EXPECT_EQ(minibatch_window(marks, options).minibatches.size(), 2u);
}

// Minibatches during a disturbance are excluded, and later minibatches replace them.
TEST(Window, OnlyAnOutsideCauseExcludes) {
  const auto marks = marks_of(std::vector<double>(20, 0.01));
  WindowOptions options;
  options.minibatches = 5;
  const std::vector<Disturbance> disturbances = {{"throttling", 100.015, 100.025},
                                                 {"clock changed", 100.02, 100.035}};
  const auto window = minibatch_window(marks, options, disturbances);
  EXPECT_TRUE(window.complete);
  ASSERT_EQ(window.minibatches.size(), 8u);
  const std::vector<std::string> causes = {"", "throttling", "throttling", "clock changed", ""};
  for (std::size_t i = 0; i < causes.size(); ++i) {
    EXPECT_EQ(window.minibatches[i].excluded, causes[i]) << i;
  }
}

// Autocorrelated times of minibatches, x(t) = phi x(t - 1) + noise around a mean of 1. About 95 %
// of the 95 % intervals must contain the mean. Intervals that assume independence would contain it
// in less than 80 % of cases.
// label: slow
// Minibatches end every 10 ms. A validation lies within the third, a phase of the loop within the
// fifth, and an evaluation contains the seventh.
TEST(Window, AMinibatchThatContainsAValidationIsExcluded) {
  auto marks = marks_of(std::vector<double>(8, 0.01));
  const auto add = [&](const char* name, double begin_s, double end_s) {
    marks.push_back({TimedMark::Kind::kBegin, name, begin_s});
    marks.push_back({TimedMark::Kind::kEnd, name, end_s});
  };
  add("validation", 100.022, 100.028);
  add("forward", 100.042, 100.044);
  add("evaluation", 100.055, 100.075);
  std::stable_sort(marks.begin(), marks.end(),
                   [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
  const auto window = minibatch_window(marks, {});
  ASSERT_EQ(window.minibatches.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(window.minibatches[i].excluded, i == 2 ? "validation" : "") << i;
  }
}

TEST(BatchMeans, HoldTheMeanOfAnAutocorrelatedSeries) {
  static constexpr int kSeries = 1000;
  for (const auto& [phi, count] : {std::pair{0.0, 40}, {0.5, 100}, {0.7, 400}, {0.9, 1000}}) {
    Random random(7);
    int held = 0, naively = 0;
    for (int series = 0; series < kSeries; ++series) {
      std::vector<double> values;
      double x = random.normal() / std::sqrt(1 - phi * phi);
      for (int i = 0; i < count; ++i) {
        values.push_back(1 + 0.1 * x);
        x = phi * x + random.normal();
      }
      const auto batches = batch_means_interval(values);
      const auto naive = student_interval(values);
      held += batches.lo <= 1 && 1 <= batches.hi ? 1 : 0;
      naively += naive.lo <= 1 && 1 <= naive.hi ? 1 : 0;
    }
    EXPECT_GE(held, 0.92 * kSeries) << phi;
    EXPECT_LE(held, 0.975 * kSeries) << phi;
    if (phi >= 0.5) {
      EXPECT_LT(naively, 0.8 * kSeries) << phi;
    }
  }
}

TEST(BatchMeans, OfFewValues) {
  EXPECT_EQ(batch_means_interval({}).count, 0);
  const std::vector<double> values = {1, 2, 3, 4};
  EXPECT_TRUE(std::isinf(batch_means_interval(std::span(values).first(3)).hi));
  const auto four = batch_means_interval(values);  // means 1.5 and 3.5: 2.5 +- 12.7 x 1
  EXPECT_DOUBLE_EQ(four.mean, 2.5);
  EXPECT_NEAR(four.hi, 2.5 + 12.706, 1e-3);
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

// P = 5 + 2 t from 0 to 10 s: the energy of [a, b] is 5 (b - a) + b^2 - a^2.
TEST(PowerIntegral, OfARamp) {
  PowerTrace ramp{"ramp", true, {0, 1, 2.5, 3, 7, 10}, {}};
  for (const double t : ramp.times_s) ramp.powers_w.push_back(5 + 2 * t);
  ramp.powers_w[3] = std::numeric_limits<double>::quiet_NaN();
  const PowerIntegral integral(ramp);
  EXPECT_NEAR(integral.energy_j(0, 10), 150, 1e-12);
  EXPECT_NEAR(integral.energy_j(2.7, 2.9), 5 * 0.2 + 2.9 * 2.9 - 2.7 * 2.7, 1e-12);
  EXPECT_NEAR(integral.energy_j(-1, 0), 5, 1e-12);    // constant before the first sample
  EXPECT_NEAR(integral.energy_j(10, 12), 50, 1e-12);  // constant after the last sample
  EXPECT_NEAR(integral.energy_j(1.3, 8.2), ramp.energy(1.3, 8.2)->energy_j, 1e-12);
  EXPECT_EQ(PowerIntegral({}).energy_j(0, 1), 0);
}

// A counter that stopped and then jumped, read at irregular times: 2 J, regardless of its means.
TEST(PowerIntegral, OfACountersMeans) {
  const PowerTrace means{"counter", true, {0, 1, 1.01, 2}, {NAN, 0, 150, 0.5 / 0.99}};
  const PowerTrace steps = as_steps(means);
  EXPECT_NEAR(PowerIntegral(steps).energy_j(0, 2), 2, 1e-9);
  EXPECT_NEAR(steps.energy(0, 2)->energy_j, 2, 1e-9);
  EXPECT_NEAR(PowerIntegral(steps).energy_j(1, 1.005), 0.75, 1e-9);
}

// A counter that advances less often than it is read: a reading without an advance has no value.
TEST(PowerIntegral, OfACounterReadMoreOftenThanItAdvances) {
  const PowerTrace means{"counter", true, {0, 1, 2, 3, 4, 5}, {NAN, NAN, 100, NAN, 200, NAN}};
  const PowerTrace steps = as_steps(means);
  EXPECT_NEAR(steps.energy(0, 4)->energy_j, 600, 1e-6);
  EXPECT_NEAR(steps.energy(2, 4)->energy_j, 400, 1e-6);
  EXPECT_NEAR(steps.energy(0, 5)->energy_j, 800, 1e-6) << "what came last is held";
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
  EXPECT_THROW(read("time_s,power_w\n2,1\n1,1\n"), InputError);    // decreasing times
  EXPECT_THROW(read("time_s,current_a\n1,1\n"), InputError);
  EXPECT_THROW(read("power_w\n1\n"), InputError);
  EXPECT_THROW(read("time_s,power_w\n1,x\n"), InputError);
  EXPECT_THROW(read_meter("/no/such/file", 0, 1), NotFoundError);
}

TEST(Series, MeanAndRangeOfTheWindow) {
  const std::vector<store::RawSample> samples = {{"clock:gpu", 0, 900},
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
  // Between two samples, the value of the last sample applies.
  EXPECT_DOUBLE_EQ(summarize_series(samples, 3, 4)[0].mean, 800);
}

// Each outside cause is detected when it starts. Conditions that existed before do not count.
// label: waits
TEST(Series, TellsOutsideCauses) {
  const testing::FakeBoard board("agx-orin-jp6");
  const std::string alarm = "/sys/class/thermal/cooling_device0/cur_state";
  const std::string other_alarm = "/sys/class/thermal/cooling_device1/cur_state";
  const std::string limit = "/sys/class/devfreq/17000000.gpu/max_freq";
  const std::string clients = "/sys/kernel/debug/nvmap/iovmm/clients";
  std::filesystem::create_directories(std::filesystem::path(board.root + clients).parent_path());
  const auto list = [&](const std::string& last) {
    std::ofstream(board.root + clients) << "CLIENT PROCESS PID SIZE\nuser Xorg 1 4096K\n"
                                        << last << "total 4096K\n";
  };
  list("");
  board.set(other_alarm, "1");
  MachineSeries series(*board.sysfs, 50);
  const auto causes_since = [&](double begin_s) {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    std::string causes;
    for (const auto& one : series.disturbances()) {
      if (one.end_s >= begin_s) causes += one.cause + " ";
    }
    return causes;
  };
  // The machine may delay the sampling.
  const auto causes_after = [&](auto change) {
    const double begin_s = monotonic_s();
    change();
    std::string causes;
    for (int i = 0; i < 100 && causes.empty(); ++i) causes = causes_since(begin_s);
    return causes;
  };
  const auto calm_after = [&](auto change) {
    change();
    for (int i = 0; i < 100; ++i) {
      if (causes_since(monotonic_s()).empty()) return true;
    }
    return false;
  };
  EXPECT_TRUE(calm_after([] {}));
  EXPECT_EQ(causes_after([&] { board.set(alarm, "1"); }), "throttling ");
  EXPECT_TRUE(calm_after([&] { board.set(alarm, "0"); }));
  EXPECT_EQ(causes_after([&] { board.sysfs->write(limit, "612000000"); }), "clock changed ");
  EXPECT_TRUE(calm_after([&] { board.sysfs->write(limit, "1300500000"); }));
  const double ours_s = monotonic_s();
  list("user ours " + std::to_string(getpid()) + " 1K\n");
  EXPECT_EQ(causes_since(ours_s), "");
  EXPECT_EQ(causes_after([&] { list("user train " + std::to_string(getppid()) + " 1K\n"); }),
            "another process ");
  EXPECT_TRUE(calm_after([&] { list(""); }));
}

}  // namespace
}  // namespace ridgewatt::measure
