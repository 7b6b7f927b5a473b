#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/measure/profile.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::measure {
namespace {

TEST(Marks, LinesInPieces) {
  MarkReader reader(10);
  reader.add("begin load 10.5\nminib", 11);
  reader.add("atch 11.0\nfetched 11.2\nminibatch 12\nend load\nnonsense\nminibatch 99\n", 13);
  EXPECT_EQ(reader.malformed(), 2u);  // "nonsense", and a time in the future
  ASSERT_EQ(reader.marks().size(), 5u);
  const auto minibatches = minibatches_of(reader.marks());
  ASSERT_EQ(minibatches.size(), 1u);
  EXPECT_DOUBLE_EQ(minibatches[0].end_s - minibatches[0].begin_s, 1);
  EXPECT_NEAR(minibatches[0].fetch_s, 0.2, 1e-12);
  const auto phases = phases_of(reader.marks(), 20);
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_DOUBLE_EQ(phases[0].end_s, 13);  // states no time: its time of arrival
}

TEST(Marks, AnEndlessLineIsOneMalformedMark) {
  MarkReader reader(0);
  for (int i = 0; i < 1000; ++i) reader.add(std::string(1000, 'x'), 1);
  reader.add("\nminibatch\n", 1);
  EXPECT_EQ(reader.malformed(), 1u);
  EXPECT_EQ(reader.marks().size(), 1u);
}

// Options for a board whose power is steady immediately.
ProfileOptions quick_profile(const std::string& script) {
  ProfileOptions options;
  options.quiet = true;
  options.measure.settle.at_most_s = 0;
  options.measure.idle_s = 0;
  options.measure.command = {"/bin/sh", "-c", script};
  options.series = {"fake", "sleep", "inference", Provenance::kFake};
  return options;
}

// Profiling the same modes again measures only the missing points and restores the board.
// label: board
TEST(Profile, GoesOnWhereItStopped) {
  const testing::FakeBoard board("agx-orin-jp6");
  const auto first = board.content();
  const testing::TemporaryFolder folder;
  ProfileOptions options = quick_profile(
      "for i in 1 2 3 4; do sleep 0.05; echo minibatch "
      ">&$RIDGEWATT_MARK_FD; done");
  platform::JetsonModeControl control(*board.sysfs);
  std::vector<PowerMode> modes = {{4, 729.6e6, 306e6, 2133e6, ""},
                                  {8, 1190.4e6, 612e6, 3199e6, ""}};
  store::Store store((folder.path() / "points.db").string());
  EXPECT_EQ(profile(*board.sysfs, control, store, {modes[0]}, options).measured, 1);
  const auto summary = profile(*board.sysfs, control, store, modes, options);
  EXPECT_EQ(summary.measured, 1);
  EXPECT_EQ(summary.skipped, 1);
  EXPECT_EQ(board.changes(first), "");
  const auto points = store.points(store.series(options.series), true);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].observation.point.mode, modes[0]);
  EXPECT_EQ(points[0].minibatches + points[0].excluded, 3);
  EXPECT_GT(points[0].observation.time_s, 0);
  // The shell script does not load the board, so the board is idle in its mode before and during
  // the command.
  control.apply(modes[0]);
  EXPECT_NEAR(points[0].observation.power_w,
              platform::FakeRest(*board.sysfs, {"agx-orin-jp6", 1}).power_w(), 0.06);
  control.restore();
  EXPECT_GE(points[0].power_samples, 10);
  // If the command fails, the point fails, but the run of all points does not.
  options.measure.command = {"/bin/false"};
  options.series.workload = "false";
  EXPECT_EQ(profile(*board.sysfs, control, store, modes, options).failed, 2);
}

// A point with flags is measured again as a new repeat, and then counts without flags.
// label: board
TEST(Profile, MeasuresPointsAgainIfAsked) {
  const testing::FakeBoard board("agx-orin-jp6");
  const testing::TemporaryFolder folder;
  const std::string loop = "do sleep 0.05; echo minibatch >&$RIDGEWATT_MARK_FD; done";
  ProfileOptions options = quick_profile("for i in 1 2 3 4; " + loop);  // fewer than the window
  platform::JetsonModeControl control(*board.sysfs);
  const std::vector<PowerMode> modes = {{4, 729.6e6, 306e6, 2133e6, ""}};
  store::Store store((folder.path() / "points.db").string());
  const auto again = [&](Again which) {
    options.again = which;
    const auto summary = profile(*board.sysfs, control, store, modes, options);
    EXPECT_EQ(summary.measured + summary.skipped, 1);
    return summary.measured;
  };
  EXPECT_EQ(again(Again::kFlagged), 1);  // nothing is stored yet
  EXPECT_EQ(again(Again::kNone), 0);
  EXPECT_EQ(again(Again::kFlagged), 1);
  EXPECT_EQ(again(Again::kEvery), 1);
  const auto points = store.points(store.series(options.series));
  ASSERT_EQ(points.size(), 3u);
  EXPECT_EQ(store.planned(store.series(options.series)), 3);
  for (int repeat = 0; repeat < 3; ++repeat) {
    EXPECT_EQ(points[static_cast<std::size_t>(repeat)].repeat, repeat);
    EXPECT_TRUE(points[static_cast<std::size_t>(repeat)].flags.has(PointFlag::kFewMinibatches));
  }
  store::PointRecord clean = points[0];
  clean.repeat = 3;
  clean.flags = {};
  store.add(store.series(options.series), clean);
  EXPECT_EQ(again(Again::kFlagged), 0);
}

// The command records the second in which it runs, and ends in a later second.
// label: board
TEST(Profile, ARecordHasTheSecondInWhichTheRunStarted) {
  const testing::FakeBoard board("agx-orin-jp6");
  const testing::TemporaryFolder folder;
  const std::string second = (folder.path() / "second").string();
  platform::JetsonModeControl control(*board.sysfs);
  store::Store store((folder.path() / "points.db").string());
  const ProfileOptions options = quick_profile("date +%s > " + second +
                                               "; for i in 1 2 3; do sleep 0.6; echo minibatch "
                                               ">&$RIDGEWATT_MARK_FD; done");
  const std::int64_t before_s = unix_s_before(0);
  profile(*board.sysfs, control, store, {{4, 729.6e6, 306e6, 2133e6, ""}}, options);
  const auto points = store.points(store.series(options.series));
  ASSERT_EQ(points.size(), 1u);
  EXPECT_GE(points[0].started_unix_s, before_s);
  EXPECT_LE(points[0].started_unix_s, std::stoll(read_file(second)));
}

// A program that would run for a minute is ended after its window, together with its child
// processes.
// label: board
TEST(Profile, EndsTheCommandAfterItsWindow) {
  const testing::FakeBoard board("orin-nano");
  const testing::TemporaryFolder folder;
  const std::string late = (folder.path() / "late").string();
  MeasureOptions options;
  options.idle_s = 0;
  options.window.minibatches = 3;
  options.end_after_window = true;
  options.command = {"/bin/sh", "-c",
                     "(sleep 60 && echo > " + late +
                         ") & for i in $(seq 1000); do echo minibatch >&$RIDGEWATT_MARK_FD; "
                         "sleep 0.05; done; echo > " +
                         late};
  const auto result = measure_command(*board.sysfs, options);
  EXPECT_EQ(result.status, 0);
  EXPECT_FALSE(std::filesystem::exists(late));
  EXPECT_TRUE(result.summary.complete);
  EXPECT_EQ(result.summary.count, 3u);
}

// The first request for a point that an earlier run stored is answered from the store. A repeated
// request measures again.
// label: board
TEST(LiveProfiler, StoredPointsAnswerOnce) {
  const testing::FakeBoard board("agx-orin-jp6");
  const testing::TemporaryFolder folder;
  store::Store store((folder.path() / "points.db").string());
  ProfileOptions options = quick_profile(
      "test {batch} = 3 || exit 1; for i in 1 2 3; do sleep 0.03; echo minibatch "
      ">&$RIDGEWATT_MARK_FD; done");
  platform::JetsonModeControl control(*board.sysfs);
  const OperatingPoint point{{4, 729.6e6, 306e6, 2133e6, ""}, 3};
  const auto first = LiveProfiler(*board.sysfs, control, store, options).profile(point);
  EXPECT_GT(first.time_s, 0);
  LiveProfiler again(*board.sysfs, control, store, options);
  EXPECT_TRUE(again.waiting(point));
  EXPECT_EQ(again.profile(point).time_s, first.time_s);
  EXPECT_EQ(again.measured(), 0);
  again.profile(point);
  EXPECT_EQ(again.measured(), 1);
  EXPECT_EQ(store.points(store.series(options.series)).size(), 2u);
  LiveProfiler knowing(*board.sysfs, control, store, options);
  EXPECT_EQ(knowing.take_known().size(), 2u);
  EXPECT_FALSE(knowing.waiting(point));
  options.series.serial = "1421221012345";  // stored points have no serial number
  EXPECT_TRUE(LiveProfiler(*board.sysfs, control, store, options).waiting(point));
  options.measure.command = {"/bin/false"};
  EXPECT_THROW(LiveProfiler(*board.sysfs, control, store, options).profile({point.mode, 9}),
               PointFailedError);
}

template <typename Function>
std::string refusal_of(Function function) {
  try {
    function();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

// The points of one command do not answer for another command of the same name.
// label: board
TEST(Profile, ASeriesBelongsToOneCommand) {
  const testing::FakeBoard board("agx-orin-jp6");
  const testing::TemporaryFolder folder;
  store::Store store((folder.path() / "points.db").string());
  platform::JetsonModeControl control(*board.sysfs);
  const std::vector<PowerMode> modes = {{4, 729.6e6, 306e6, 2133e6, ""}};
  const auto with = [](const std::string& seconds) {
    return quick_profile("for i in 1 2 3; do sleep " + seconds +
                         "; echo minibatch >&$RIDGEWATT_MARK_FD; done");
  };
  const ProfileOptions one = with("0.01"), other = with("0.02");
  EXPECT_EQ(profile(*board.sysfs, control, store, modes, one).measured, 1);
  EXPECT_EQ(profile(*board.sysfs, control, store, modes, one).skipped, 1);
  const auto refusal = refusal_of([&] { profile(*board.sysfs, control, store, modes, other); });
  EXPECT_THAT(refusal,
              ::testing::HasSubstr("1 point of workload sleep that another command measured"));
  EXPECT_THAT(refusal, ::testing::HasSubstr("--workload"));
  EXPECT_EQ(store.size(), 1);
  // The board may have had no serial number in the store.
  ProfileOptions same_board = other;
  same_board.series.serial = "1421221012345";
  EXPECT_NE(refusal_of([&] { profile(*board.sysfs, control, store, modes, same_board); }), "none");
  // A point of an older version does not name its command, and a running program has none.
  store::PointRecord old = store.points(store.series(one.series)).front();
  ProfileOptions older = other;
  older.series.workload = "older";
  store.add(store.series(older.series), old);
  EXPECT_EQ(profile(*board.sysfs, control, store, modes, older).skipped, 1);
  EXPECT_NO_THROW(require_same_command(*board.sysfs, store, one.series, {}, {0}));
}

// A governor is set, stored under its name, and reset afterwards.
// label: board
TEST(Profile, AGovernorIsAMode) {
  const testing::FakeBoard board("agx-orin-jp6");
  const auto first = board.content();
  const testing::TemporaryFolder folder;
  store::Store store((folder.path() / "points.db").string());
  const auto governor =
      board.sysfs->host_path("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor");
  ProfileOptions options = quick_profile(
      "for i in 1 2 3; do sleep 0.01; echo minibatch "
      ">&$RIDGEWATT_MARK_FD; done; grep -q performance " +
      governor);
  platform::JetsonModeControl control(*board.sysfs);
  PowerMode performance;
  performance.governor = "performance";
  const auto summary = profile(*board.sysfs, control, store, {performance}, options);
  EXPECT_EQ(summary.measured, 1) << ::testing::PrintToString(summary.failures);
  EXPECT_EQ(board.changes(first), "");
  EXPECT_EQ(store.points(store.series(options.series))[0].observation.point.mode.governor,
            "performance");
}

// The knobs that a mode leaves open have their original values, whatever mode was profiled before.
// label: board
TEST(Profile, WhatAModeLeavesOpenIsAsAtFirst) {
  const testing::FakeBoard board("agx-orin-jp6");
  const testing::TemporaryFolder folder;
  store::Store store((folder.path() / "points.db").string());
  const std::string limit = board.sysfs->host_path("/sys/class/devfreq/17000000.gpu/max_freq");
  ProfileOptions options = quick_profile(
      "for i in 1 2 3; do sleep 0.01; echo minibatch >&$RIDGEWATT_MARK_FD; done; cat " + limit +
      " >> " + (folder.path() / "limits").string());
  platform::JetsonModeControl control(*board.sysfs);
  PowerMode governed;
  governed.governor = "schedutil";
  profile(*board.sysfs, control, store, {governed, {1, 729.6e6, 306e6, 665.6e6, ""}}, options);
  EXPECT_EQ(read_file((folder.path() / "limits").string()), "306000000\n1300500000\n");
}

// label: board
TEST(Profile, HighClocksFirst) {
  const auto order = profiling_order({{1, 1, 1, 1, ""}, {1, 1, 2, 1, ""}, {1, 1, 1, 1, ""}});
  ASSERT_EQ(order.size(), 2u);
  EXPECT_EQ(order[0].gpu_clock_hz, 2);
}

// A shell script marks 5 minibatches of 60 ms on a board with constant power.
// label: board
TEST(Measure, ACommandOnAFakeBoard) {
  const testing::FakeBoard board("orin-nano");
  platform::FakeRails(*board.sysfs).set(8);
  MeasureOptions options;
  options.idle_s = 0.1;
  options.command = {"/bin/sh", "-c",
                     "echo begin all >&$RIDGEWATT_MARK_FD; for i in 1 2 3 4 5; do sleep 0.06; echo "
                     "minibatch >&$RIDGEWATT_MARK_FD; done; exit 3"};
  const auto result = measure_command(*board.sysfs, options);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.minibatches.size(), 4u);
  EXPECT_GT(result.summary.median_s, 0);
  const double power_w = 8;
  ASSERT_TRUE(result.total);
  EXPECT_NEAR(result.total->mean_w, power_w, 1e-9);
  EXPECT_NEAR(result.total->energy_j, power_w * (result.end_s - result.begin_s), 1e-9);
  EXPECT_NEAR(*result.idle_w, power_w, 1e-9);
  EXPECT_EQ(result.summary.count, 4u);
  EXPECT_NEAR(result.summary.energy_j, power_w * result.summary.time_s, 1e-9);
  EXPECT_NEAR(4 * result.summary.time_s,
              result.minibatches.back().end_s - result.minibatches[0].begin_s, 1e-9);
  ASSERT_EQ(result.phases.size(), 1u);
  EXPECT_EQ(result.phases[0].span.name, "all");
  double sum_j = 0;
  for (const auto& minibatch : result.minibatches) sum_j += minibatch.energy_j;
  EXPECT_NEAR(sum_j, power_w * (result.minibatches.back().end_s - result.minibatches[0].begin_s),
              1e-9);
  const auto gpu = std::find_if(result.series_summary.begin(), result.series_summary.end(),
                                [](const auto& s) { return s.channel == "clock:gpu"; });
  ASSERT_NE(gpu, result.series_summary.end());
  EXPECT_GT(gpu->mean, 0);
}

// Without rails, a log that is written during the command gives the power.
// label: board
TEST(Measure, AnExternalMeter) {
  const testing::TemporaryFolder folder;
  const std::string log = (folder.path() / "meter.csv").string();
  MeasureOptions options;
  options.idle_s = 0;
  options.meter = log;
  options.command = {"/bin/sh", "-c",
                     "echo time_s,power_w > " + log +
                         "; for i in 1 2 3 4; do cut -d' ' -f1 "
                         "/proc/uptime | sed 's/$/,8/' >> " +
                         log +
                         "; sleep 0.05; echo minibatch "
                         ">&$RIDGEWATT_MARK_FD; done"};
  const auto result = measure_command(platform::Sysfs(folder.path().string()), options);
  ASSERT_TRUE(result.total) << result.source;
  EXPECT_NEAR(result.total->energy_j, 8 * (result.end_s - result.begin_s), 1e-9);
  EXPECT_NEAR(result.summary.power_w, 8, 1e-9);
  ASSERT_EQ(result.channels.size(), 1u);
  EXPECT_EQ(result.channels[0].name, "meter");
  // With rails, the log is an additional channel, and the total of the rails stays the total.
  const testing::FakeBoard board("orin-nano");
  platform::FakeRails(*board.sysfs).set(6);
  const auto both = measure_command(*board.sysfs, options);
  EXPECT_NEAR(both.total->mean_w, 6, 1e-9);
  EXPECT_NEAR(both.channels.back().energy.mean_w, 8, 1e-9);
  options.meter_is_total = true;
  EXPECT_NEAR(measure_command(*board.sysfs, options).total->mean_w, 8, 1e-9);
}

TEST(Measure, WithoutASensorTimeIsStillMeasured) {
  const testing::TemporaryFolder nothing;
  MeasureOptions options;
  options.command = {"/bin/sh", "-c", "exit 0"};
  const auto result = measure_command(platform::Sysfs(nothing.path().string()), options);
  EXPECT_FALSE(result.total);
  EXPECT_THAT(result.source, ::testing::HasSubstr("has no power sensor"));
  EXPECT_GT(result.end_s, result.begin_s);
}

// A series uses one meter: the rails are opened once, and each measurement has its own samples.
// label: board
TEST(Measure, ASeriesSharesOneMeter) {
  const testing::FakeBoard board("orin-nano");
  platform::PowerMeter meter(*board.sysfs);
  MeasureOptions options;
  options.command = {"/bin/sh", "-c", "sleep 0.2"};
  options.idle_s = 0;
  options.rate_hz = 200;
  for (const double power_w : {6.0, 9.0}) {
    platform::FakeRails(*board.sysfs).set(power_w);
    const auto result = measure_command(*board.sysfs, options, meter);
    EXPECT_NEAR(result.total.value().mean_w, power_w, 1e-9);
    EXPECT_EQ(result.rate_asked_hz, 200);
    EXPECT_EQ(result.rate_hz, 200);
  }
  EXPECT_EQ(meter.usable_rate_hz(5000), meter.source()->largest_rate_hz());
}

TEST(MeasureOptions, DefaultsAreValidAndEachBadFieldIsNamed) {
  const auto fault = [](const std::function<void(MeasureOptions&)>& change) {
    MeasureOptions options;
    options.command = {"true"};
    change(options);
    try {
      options.check();
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault([](MeasureOptions&) {}), "");
  using ::testing::HasSubstr;
  EXPECT_THAT(fault([](auto& o) { o.command.clear(); }), HasSubstr("command"));
  EXPECT_THAT(fault([](auto& o) { o.rate_hz = 0; }), HasSubstr("rate_hz is 0"));
  EXPECT_THAT(fault([](auto& o) { o.rate_hz = 1e6; }), HasSubstr("rate_hz"));
  EXPECT_THAT(fault([](auto& o) { o.rate_hz = NAN; }), HasSubstr("rate_hz"));
  EXPECT_THAT(fault([](auto& o) { o.series_rate_hz = 60; }), HasSubstr("series_rate_hz is 60"));
  EXPECT_THAT(fault([](auto& o) { o.idle_s = -1; }), HasSubstr("idle_s is -1"));
  EXPECT_THAT(fault([](auto& o) { o.settle.at_most_s = -1; }), HasSubstr("settle.at_most_s"));
  EXPECT_THAT(fault([](auto& o) { o.settle.window_s = 0; }), HasSubstr("settle.window_s"));
  EXPECT_THAT(fault([](auto& o) { o.settle.tolerance = -1; }), HasSubstr("settle.tolerance"));
  EXPECT_THAT(fault([](auto& o) { o.window.warm_up = -1; }), HasSubstr("window.warm_up"));
  EXPECT_THAT(fault([](auto& o) { o.window.minibatches = -1; }), HasSubstr("window.minibatches"));
  EXPECT_THAT(fault([](auto& o) { o.window.at_least_s = -1; }), HasSubstr("window.at_least_s"));
  EXPECT_THAT(fault([](auto& o) { o.meter_is_total = true; }), HasSubstr("--meter FILE"));
}

// All options are checked before the command runs and before the wait for the idle baseline.
TEST(MeasureOptions, AreCheckedBeforeAnythingRuns) {
  const testing::TemporaryFolder folder;
  const auto trace = folder.path() / "ran";
  MeasureOptions options;
  options.command = {"/bin/sh", "-c", "touch " + trace.string()};
  options.series_rate_hz = 0;
  EXPECT_THROW(measure_command(platform::Sysfs(folder.path().string()), options), UsageError);
  EXPECT_FALSE(std::filesystem::exists(trace));
}

TEST(Measure, ACommandThatIsNotThere) {
  const testing::TemporaryFolder nothing;
  const platform::Sysfs sysfs(nothing.path().string());
  MeasureOptions options;
  EXPECT_THROW(measure_command(sysfs, options), UsageError);
  options.command = {"no-such-program-here"};
  EXPECT_THROW(measure_command(sysfs, options), NotFoundError);
  options.command = {"/no/such/program"};
  EXPECT_THROW(measure_command(sysfs, options), NotFoundError);
}

}  // namespace
}  // namespace ridgewatt::measure
