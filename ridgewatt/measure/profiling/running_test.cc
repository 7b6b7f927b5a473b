// Tests measuring the program itself: the cost of windows, rejected calls, and bounded memory.
#include "ridgewatt/measure/running.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/measure/sampling/mark_record.h"
#include "ridgewatt/measure/sampling/power_record.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::measure {
namespace {

void nap(double duration_s) {
  std::this_thread::sleep_for(std::chrono::duration<double>(duration_s));
}

MeasureOptions of_this_program() {
  MeasureOptions options;
  options.command = {"this test"};
  options.idle_s = 0;
  return options;
}

// label: waits
TEST(RunningMeasurement, NestedWindowsOfConstantPower) {
  const testing::FakeBoard board("orin-nano");
  platform::FakeRails(*board.sysfs).set(8);
  MeasureOptions options = of_this_program();
  options.idle_s = 0.1;
  RunningMeasurement run(*board.sysfs, options);
  nap(0.1);
  run.begin();
  const auto outer = run.begin_window("outer");
  const auto inner = run.begin_window("inner");
  nap(0.2);
  const WindowCost early = run.end_window(inner);
  nap(0.1);
  EXPECT_FALSE(run.window(outer).ended);
  run.end_window(outer);
  const Measurement all = run.stop();
  const double total_w = all.total->mean_w;  // the rails report whole milliwatts
  EXPECT_NEAR(total_w, 8, 0.05);
  ASSERT_TRUE(early.energy);
  EXPECT_NEAR(early.energy->energy_j, total_w * early.time_s(), 1e-6);
  const auto windows = run.windows();
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].name, "inner");
  EXPECT_EQ(windows[1].name, "outer");
  EXPECT_GE(windows[1].time_s(), windows[0].time_s() + 0.1);
  for (const auto& window : windows) {
    EXPECT_NEAR(window.energy->energy_j, total_w * window.time_s(), 1e-6);
    EXPECT_GE(window.energy->samples, 15u);
  }
  EXPECT_NEAR(*all.idle_w, total_w, 1e-6);
  EXPECT_NEAR(all.total->energy_j, total_w * (all.end_s - all.begin_s), 1e-6);
}

// Marks by the program itself and by a command give the same summary.
// label: waits
TEST(RunningMeasurement, MinibatchesPhasesAndStalls) {
  const testing::FakeBoard board("orin-nano");
  RunningMeasurement run(*board.sysfs, of_this_program());
  run.begin();
  run.begin_phase("load");
  run.end_phase("load");
  for (int i = 0; i < 7; ++i) {
    nap(0.02);
    run.fetched();
    nap(0.02);
    run.mark();
  }
  run.begin_phase("open");
  const Measurement result = run.stop(3);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.summary.count + result.summary.excluded, 6u);
  EXPECT_TRUE(result.summary.fetch_marked);
  EXPECT_GE(result.summary.fetch_s, 0.02);
  EXPECT_LE(result.summary.fetch_s, result.summary.time_s - 0.02);
  ASSERT_EQ(result.phases.size(), 2u);
  EXPECT_EQ(result.phases[1].span.end_s, result.end_s);
}

TEST(RunningMeasurement, OnlyWhileItRuns) {
  const testing::FakeBoard board("orin-nano");
  RunningMeasurement run(*board.sysfs, of_this_program());
  EXPECT_THROW(run.mark(), UsageError);
  EXPECT_THROW(run.stop(), UsageError);
  run.begin();
  EXPECT_THROW(run.begin(), UsageError);
  EXPECT_THROW(run.end_phase("never begun"), UsageError);
  EXPECT_THROW(run.end_window(7), UsageError);
  run.stop();
  EXPECT_THROW(run.mark(), UsageError);
  EXPECT_THROW(run.stop(), UsageError);
  EXPECT_THROW(run.window(0), UsageError);
}

TEST(RunningMeasurement, WithoutPowerThereAreTimes) {
  const testing::TemporaryFolder folder;
  const platform::Sysfs nothing(folder.path().string());
  RunningMeasurement run(nothing, of_this_program());
  EXPECT_FALSE(run.has_power());
  EXPECT_THAT(run.source(), ::testing::HasSubstr("none: "));
  run.begin();
  const auto window = run.begin_window("w");
  nap(0.05);
  EXPECT_FALSE(run.end_window(window).energy);
  const Measurement result = run.stop();
  EXPECT_FALSE(result.total);
  EXPECT_GE(run.windows()[0].time_s(), 0.05);
}

// A worker process forked during the measurement neither hangs nor takes part in it. The
// measurement continues.
TEST(RunningMeasurement, AForkHasNoPartInIt) {
  const testing::FakeBoard board("orin-nano");
  auto run = std::make_unique<RunningMeasurement>(*board.sysfs, of_this_program());
  run->begin();
  const pid_t child = ::fork();
  if (child == 0) {
    int refused = 0;
    try {
      run->mark();
    } catch (const UsageError&) {
      ++refused;
    }
    try {
      run->stop();
    } catch (const UsageError&) {
      ++refused;
    }
    run.reset();
    ::_exit(refused);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 2);
  nap(0.05);
  run->mark();
  EXPECT_GE(run->stop().total->samples, 4u);
}

TEST(RunningMeasurement, ManyThreadsMark) {
  const testing::FakeBoard board("orin-nano");
  RunningMeasurement run(*board.sysfs, of_this_program());
  run.begin();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const auto window = run.begin_window("w");
        run.mark();
        run.end_window(window);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  run.stop();
  EXPECT_EQ(run.windows().size(), 2000u);
}

// Power 5 W + 2 W/s x t, sampled at 100 Hz, in a record that is too small for all samples.
TEST(PowerRecord, ARampKeepsItsEnergyInBoundedMemory) {
  constexpr int kCount = 20'000;
  constexpr double kStepS = 0.01, kLastS = (kCount - 1) * kStepS;
  for (const bool means : {false, true}) {
    PowerRecord record(means, {.most_old = 1024, .most_new = 512});
    for (int i = 0; i < kCount; ++i) {
      PowerSample sample;
      sample.time_s = i * kStepS;
      // The mean since the previous sample equals the power at the midpoint.
      sample.power_w[0] = 5 + 2 * (means ? sample.time_s - kStepS / 2 : sample.time_s);
      if (means && i == 0) sample.power_w[0] = std::numeric_limits<double>::quiet_NaN();
      record.incoming().push_back(sample);
      record.settle();
    }
    const auto all = record.all();
    EXPECT_LE(all.size(), 1024u + 512u);
    EXPECT_NEAR(all[all.size() - 1].time_s - all[all.size() - 2].time_s, kStepS, 1e-9);
    auto trace = traces_of(all, {{"rail", true}})[0];
    if (means) trace = as_steps(trace);
    const auto energy = *trace.energy(0, kLastS);
    // At the start, half of a merged sample's 0.32 s has a constant value, which is wrong by at
    // most 0.32 W.
    EXPECT_NEAR(energy.energy_j, 5 * kLastS + kLastS * kLastS, 0.2) << means;
    EXPECT_LE(std::abs(energy.energy_j - 5 * kLastS - kLastS * kLastS), energy.error_j);
    const auto end = record.between(kLastS - 0.2, kLastS);
    EXPECT_NEAR(static_cast<double>(end.size()), 23, 1.5);
  }
}

TEST(PowerRecord, SamplesOfACounterWithoutNewsAreLeftOut) {
  PowerRecord record(/*means=*/true, /*channels=*/2);
  for (int i = 0; i <= 20; ++i) {
    PowerSample sample;
    sample.time_s = 0.01 * i;
    sample.power_w.fill(std::numeric_limits<double>::quiet_NaN());
    if (i == 10) sample.power_w[0] = 100;
    if (i == 20) sample.power_w[1] = 100;
    record.incoming().push_back(sample);
    record.settle();
  }
  ASSERT_EQ(record.all().size(), 3u);
  EXPECT_EQ(record.all()[1].time_s, 0.1);
}

TEST(MarkRecord, ForgetsTheOldestButNotWhatIsOpen) {
  using Kind = TimedMark::Kind;
  MarkRecord record(100);
  record.add({Kind::kBegin, "whole", 0});
  record.add({Kind::kBegin, "short", 0.5});
  record.add({Kind::kEnd, "short", 0.6});
  for (int i = 1; i <= 1000; ++i) record.add({Kind::kMinibatch, "", static_cast<double>(i)});
  EXPECT_LE(record.marks().size(), 101u);
  const auto left = minibatches_of(record.marks());
  EXPECT_EQ(left.size() + 1 + record.forgotten(), 1000u);
  EXPECT_EQ(left.back().end_s, 1000);
  record.add({Kind::kEnd, "whole", 1001});
  const auto phases = phases_of(record.marks(), 2000);
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_EQ(phases[0].begin_s, 0);
  EXPECT_EQ(phases[0].end_s, 1001);
  EXPECT_THROW(record.add({Kind::kEnd, "whole", 1002}), UsageError);
}

// label: waits
TEST(MachineSeries, KeepsEverySecondLookWhenThereAreTooMany) {
  const testing::FakeBoard board("orin-nano");
  MachineSeries series(*board.sysfs, 50, 400);
  nap(1.5);
  series.stop();
  EXPECT_LE(series.samples().size(), 400u);
  std::vector<double> looks;
  for (const auto& sample : series.samples()) {
    if (looks.empty() || sample.time_s > looks.back()) looks.push_back(sample.time_s);
  }
  ASSERT_GE(looks.size(), 4u);
  EXPECT_GE(looks[1] - looks[0], 0.038);  // at least two intervals
}

// If the watch function ends the work (Ctrl+C in Python), it also ends the measured program.
// label: slow
TEST(MeasureCommand, TheWatchEndsTheProgram) {
  const testing::FakeBoard board("orin-nano");
  const testing::TemporaryFolder folder;
  const std::string number = (folder.path() / "number").string();
  MeasureOptions options = of_this_program();
  options.command = {"/bin/sh", "-c", "echo $$ > " + number + "; sleep 60"};
  const Stopwatch watch;
  const WatchedWork watched([&](const WorkStep&) {
    if (std::filesystem::exists(number) && watch.s() > 0.3) throw IoError("ended");
  });
  EXPECT_THROW(measure_command(*board.sysfs, options), IoError);
  EXPECT_LT(watch.s(), 5);
  EXPECT_NE(::kill(std::stoi(read_file(number)), 0), 0);
}

}  // namespace
}  // namespace ridgewatt::measure
