// Tests the heat of a fake board: it follows the equations, for any reader, and only if it is
// requested.
#include "ridgewatt/platform/fake_heat.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/jetson_sensors.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::platform {
namespace {

double hottest_celsius(const Sysfs& sysfs) {
  double hottest = -1e300;
  const SensorSnapshot now = SensorReader(sysfs).read();
  for (const auto& zone : now.temperatures) {
    if (zone.celsius) hottest = std::max(hottest, *zone.celsius);
  }
  return hottest;
}

void wait(double time_s) {
  std::this_thread::sleep_for(std::chrono::duration<double>(time_s));
}

TEST(FakeHeat, IsReadAndWritten) {
  const auto spec = FakeHeatSpec::parse("ambient=35, scale=60,trip=80,limit=30", "test");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->ambient_celsius, 35);
  EXPECT_EQ(spec->scale, 60);
  EXPECT_EQ(FakeHeatSpec::parse(spec->text(), "test")->text(), spec->text());
  EXPECT_FALSE(FakeHeatSpec::parse("", "test"));
  for (const char* bad : {"heat", "ambient", "ambient=", "ambient=hot", "scale=0", "ambient=nan",
                          "trip=500", "ambient=1,ambient=2", ",", "=1"}) {
    EXPECT_THROW(FakeHeatSpec::parse(bad, "test"), UsageError) << bad;
  }
}

TEST(FakeHeat, IsThereOnlyWhereItIsAskedFor) {
  const testing::FakeBoard board("agx-orin-jp6");
  EXPECT_FALSE(FakeHeat::open(*board.sysfs));
  EXPECT_EQ(heat_time_scale(*board.sysfs), 1);
  const auto before = board.content();
  const double celsius = hottest_celsius(*board.sysfs);
  FakeRails(*board.sysfs).set(50);
  EXPECT_EQ(hottest_celsius(*board.sysfs), celsius);
  heat_fake_board(board.root, std::nullopt);
  for (const auto& [path, text] : board.content()) EXPECT_EQ(before.count(path), 1u) << path;
}

// An idle board is at the steady state of its own equations; a zone shows it rounded to half a
// degree.
TEST(FakeHeat, RestsAtItsSteadyState) {
  for (const char* name : {"agx-orin-jp5", "agx-orin-jp6", "orin-nano", "agx-xavier",
                           "xavier-nx-jp4", "nano", "thor"}) {
    const testing::FakeBoard board(name, 3);
    heat_fake_board(board.root, FakeHeatSpec{.ambient_celsius = 30});
    const auto heat = FakeHeat::open(*board.sysfs);
    ASSERT_TRUE(heat) << name;
    const double idle_w = FakeRest(*board.sysfs, fake_board_mark(board.root)).power_w();
    const auto steady = thermal::ThermalSystem(heat->model(), {idle_w, 30, 80.0 / 255}).steady();
    EXPECT_NEAR(hottest_celsius(*board.sysfs), steady->junction_celsius, 0.3) << name;
    EXPECT_GT(hottest_celsius(*board.sysfs), 30) << name;
    EXPECT_LT(hottest_celsius(*board.sysfs), 60) << name;
  }
}

// Zones without power remain without it. Boards with other seeds have other constants.
TEST(FakeHeat, FollowsTheSeed) {
  const testing::FakeBoard one("agx-orin-jp6", 1), other("agx-orin-jp6", 2),
      same("agx-orin-jp6", 1);
  for (const auto* board : {&one, &other, &same}) heat_fake_board(board->root, FakeHeatSpec{});
  const auto constant = [](const testing::FakeBoard& board) {
    return FakeHeat::open(*board.sysfs)->model().sink_j_per_k;
  };
  EXPECT_EQ(constant(one), constant(same));
  EXPECT_NE(constant(one), constant(other));
  EXPECT_EQ(one.sysfs->read("/sys/class/thermal/thermal_zone5/temp").error_number, EAGAIN);
}

// label: waits
TEST(FakeHeat, WarmsUnderLoadAndThrottlesAtTheTrip) {
  const testing::FakeBoard board("agx-orin-jp6");
  heat_fake_board(
      board.root,
      FakeHeatSpec{.ambient_celsius = 25, .scale = 1000, .cooling = 1, .trip_celsius = 70});
  auto heat = FakeHeat::open(*board.sysfs);
  const double cold = hottest_celsius(*board.sysfs);
  int steps = 0;
  heat->load(80);
  for (int i = 0; i < 40 && steps == 0; ++i) {
    wait(0.05);
    steps = heat->load(80);
  }
  EXPECT_GT(steps, 0);
  EXPECT_GE(hottest_celsius(*board.sysfs), 69.5);
  EXPECT_GT(hottest_celsius(*board.sysfs), cold);
  wait(0.25);
  heat->load(80);
  const auto signals = read_throttling(*board.sysfs);
  EXPECT_TRUE(std::any_of(signals.begin(), signals.end(), [](const auto& signal) {
    return signal.kind == ThrottleSignal::Kind::kThermal && signal.active();
  }));
  // Throttling lowers the clock by the same number of steps in its table; afterwards the clock
  // recovers.
  FakeActivity activity(*board.sysfs);
  for (int i = 0; i < 100; ++i) activity.step({1, 1, 0.5});
  const double full_hz = activity.clocks().gpu_clock_hz;
  EXPECT_NEAR(full_hz, 1300.5e6, 1e5);
  activity.throttle(3);
  activity.step({1, 1, 0.5});
  EXPECT_NEAR(activity.clocks().gpu_clock_hz, 1020e6, 1e5);  // via 1224 and 1122
  activity.throttle(0);
  for (int i = 0; i < 100; ++i) activity.step({1, 1, 0.5});
  EXPECT_EQ(activity.clocks().gpu_clock_hz, full_hz);
  // An idle board cools even if nothing reads it, and the alarms are off.
  heat->rest(8);
  wait(0.5);
  EXPECT_LT(hottest_celsius(*board.sysfs), 60);
  const auto after = read_throttling(*board.sysfs);
  EXPECT_TRUE(std::none_of(after.begin(), after.end(), [](const auto& signal) {
    return signal.kind == ThrottleSignal::Kind::kThermal && signal.active();
  }));
}

// Clocks that a governor holds return to their values.
TEST(FakeHeat, ThrottlesHeldClocksToo) {
  const testing::FakeBoard board("orin-nano");
  JetsonModeControl control(*board.sysfs);
  control.apply({6, 1510.4e6, 624.75e6, 2133e6, ""});
  FakeActivity activity(*board.sysfs);
  activity.step({1, 1, 0.5});
  const PowerMode held = activity.clocks();
  activity.throttle(2);
  activity.step({1, 1, 0.5});
  EXPECT_LT(activity.clocks().gpu_clock_hz, held.gpu_clock_hz);
  EXPECT_LT(activity.clocks().cpu_clock_hz, held.cpu_clock_hz);
  activity.throttle(0);
  activity.step({1, 1, 0.5});
  EXPECT_EQ(activity.clocks(), held);
  control.restore();
}

// label: waits
TEST(FakeHeat, CountsOverCurrent) {
  const testing::FakeBoard board("agx-orin-jp6");
  heat_fake_board(board.root, FakeHeatSpec{.scale = 100, .limit_w = 30});
  auto heat = FakeHeat::open(*board.sysfs);
  const auto before = read_throttling(*board.sysfs);
  heat->load(60);
  wait(0.25);
  EXPECT_GT(heat->load(60), 0);
  bool rose = false;
  for (const auto& signal : read_throttling(*board.sysfs)) {
    if (!signal.counter) continue;
    for (const auto& was : before) rose |= was.name == signal.name && signal.value > was.value;
  }
  EXPECT_TRUE(rose);
}

}  // namespace
}  // namespace ridgewatt::platform
