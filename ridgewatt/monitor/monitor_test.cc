// Tests the monitor on fake boards whose power is set by the test, so that the energies are known.
#include "ridgewatt/monitor/monitor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"
#include "ridgewatt/platform/mode_control.h"

namespace ridgewatt::monitor {
namespace {

void pause_s(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

double total_of_rails(const Snapshot& snapshot) {
  double sum = 0;
  for (const auto& rail : snapshot.rails) sum += rail.in_total ? rail.since_start.energy_j : 0;
  return sum;
}

// label: board
TEST(Monitor, EnergyIsPowerTimesTimeAndTheSumOfItsRails) {
  testing::FakeBoard board("agx-orin-jp6");
  const platform::FakeRails rails(*board.sysfs);
  rails.set(20);
  Monitor monitor(*board.sysfs, {.rate_hz = 100, .look_s = 0.1});
  pause_s(0.2);
  const Snapshot first = monitor.snapshot();
  pause_s(1);
  const Snapshot last = monitor.snapshot();
  ASSERT_TRUE(last.has_power && last.has_total);
  EXPECT_EQ(last.missing, 0u);
  // 20 W, within the rounding of the sensor's three rails: 0.02 W each.
  EXPECT_NEAR(*last.total_w, 20, 0.06);
  const double time_s = last.power_time_s - first.power_time_s;
  EXPECT_GT(time_s, 0.9);
  EXPECT_NEAR(last.total.energy_j - first.total.energy_j, *last.total_w * time_s, 1e-6);
  EXPECT_NEAR(last.total.energy_j, total_of_rails(last), 1e-9 * last.total.energy_j);
  EXPECT_NEAR(last.total.error_j, 0, 1e-9);  // the power was constant
  EXPECT_GT(last.number, first.number);
  EXPECT_EQ(last.machine.power.size(), last.rails.size());
  EXPECT_EQ(last.machine.total_w, last.total_w);
}

// label: board
TEST(Monitor, ReadsAndWritesNothing) {
  testing::FakeBoard board("orin-nano");
  const auto before = board.content();
  {
    Monitor monitor(*board.sysfs, {.rate_hz = 100, .look_s = 0.1});
    pause_s(0.3);
    monitor.mark();
    monitor.end_window(monitor.begin_window("w"));
  }
  EXPECT_EQ(board.changes(before), "");
}

// label: board
TEST(Monitor, CountersStandStillInAGapOfTheSensorAndNeverGoBack) {
  testing::FakeBoard board("orin-nano");
  const platform::FakeRails rails(*board.sysfs);
  rails.set(5);
  Monitor monitor(*board.sysfs, {.rate_hz = 200, .look_s = 0.1});
  pause_s(0.2);
  rails.set(15);
  pause_s(0.2);
  const std::string folder = "/sys/class/hwmon/hwmon1";
  std::string label, file;
  for (const auto& channel : monitor.sensors().rails().channels) {
    if (channel.in_total) file = channel.current_path;
  }
  ASSERT_FALSE(file.empty());
  const std::string good = *board.sysfs->text(file);
  const Snapshot before = monitor.snapshot();
  board.set(file, "nan");  // the rail that is the total has no values from now on
  const double blind_s = monotonic_s();
  Snapshot blind = monitor.snapshot();
  while (blind.missing <= before.missing + 10) {
    pause_s(0.05);
    blind = monitor.snapshot();
  }
  EXPECT_FALSE(blind.total_w.has_value());
  EXPECT_GE(blind.total.energy_j, before.total.energy_j);
  EXPECT_LE(blind.total.energy_j,
            before.total.energy_j + 15 * (blind_s - before.power_time_s) + 0.1);
  pause_s(1);
  const double gap_s = monotonic_s() - blind_s;
  board.set(file, good);
  pause_s(0.2);
  const Snapshot after = monitor.snapshot();
  ASSERT_TRUE(after.total_w.has_value());
  // The gap is filled from the values before and after it. Its error is the range of observed
  // values.
  EXPECT_NEAR(after.total.energy_j - before.total.energy_j,
              15 * (after.power_time_s - before.power_time_s), 0.5);
  EXPECT_GT(after.total.error_j - before.total.error_j, 0.9 * gap_s * 9.9);
}

// label: board
TEST(Monitor, WithFewerThanTwoSamplesTheBoundIsUnknown) {
  testing::FakeBoard board("orin-nano");
  Monitor monitor(*board.sysfs, {.rate_hz = 1, .look_s = 0.1});
  const auto open = monitor.begin_window("open");
  const Window ended = monitor.end_window(monitor.begin_window("short"));
  EXPECT_FALSE(std::isfinite(ended.energy.error_j));
  for (int i = 0; i < 3; ++i) monitor.mark();
  const Snapshot early = monitor.snapshot();
  ASSERT_LT(early.samples, 2u);
  for (const Energy& energy : {early.total, early.minibatch_energy, early.rails[0].since_start}) {
    EXPECT_FALSE(std::isfinite(energy.error_j));
  }
  while (monitor.snapshot().samples < 4) pause_s(0.05);
  EXPECT_TRUE(std::isfinite(monitor.end_window(open).energy.error_j));
  EXPECT_TRUE(std::isfinite(monitor.snapshot().total.error_j));
  EXPECT_TRUE(std::isfinite(monitor.snapshot().rails[0].since_start.error_j));
}

// label: board
TEST(Monitor, WindowsAndMinibatches) {
  testing::FakeBoard board("orin-nano");
  platform::FakeRails(*board.sysfs).set(10);
  Monitor monitor(*board.sysfs, {.rate_hz = 200, .look_s = 0.1});
  pause_s(0.1);
  const auto outer = monitor.begin_window("outer");
  const double first_s = monotonic_s();
  monitor.mark();
  pause_s(0.2);
  const double before_s = monotonic_s();
  const auto inner = monitor.begin_window("inner");
  const double begun_s = monotonic_s();
  pause_s(0.3);
  monitor.mark();
  const double ending_s = monotonic_s();
  const Window ended = monitor.end_window(inner);
  const double after_s = monotonic_s();
  pause_s(0.1);
  EXPECT_TRUE(ended.ended);
  EXPECT_EQ(ended.minibatches, 1u);
  const double power_w = *monitor.snapshot().total_w;
  EXPECT_GE(ended.energy.energy_j, power_w * (ending_s - begun_s) - 1e-6);
  EXPECT_LE(ended.energy.energy_j, power_w * (after_s - before_s) + 1e-6);
  EXPECT_NEAR(ended.energy.energy_j, power_w * (ended.end_s - ended.begin_s), 1e-6);
  const auto windows = monitor.windows();
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0].number, outer);
  EXPECT_FALSE(windows[0].ended);
  EXPECT_EQ(windows[0].minibatches, 2u);
  EXPECT_GT(windows[0].energy.energy_j, ended.energy.energy_j);
  const Snapshot now = monitor.snapshot();
  EXPECT_EQ(now.minibatches, 2u);
  EXPECT_GE(now.minibatch_energy.energy_j, power_w * 0.5 - 1e-6);
  EXPECT_LE(now.minibatch_energy.energy_j, power_w * (ending_s - first_s) + 1e-6);
  EXPECT_EQ(monitor.end_window(inner).end_s, ended.end_s);
  EXPECT_THROW(monitor.end_window(99), NotFoundError);
}

// label: board
TEST(Monitor, WindowsAreBounded) {
  testing::FakeBoard board("orin-nano");
  Monitor monitor(*board.sysfs);
  std::size_t number = 0;
  for (int i = 0; i < 1000; ++i) {
    number = monitor.begin_window("w");
    monitor.end_window(number);
  }
  EXPECT_EQ(monitor.windows().size(), 100u);
  EXPECT_EQ(monitor.windows().back().number, number);
  for (int i = 0; i < 256; ++i) monitor.begin_window("open");
  EXPECT_THROW(monitor.begin_window("one more"), UsageError);
}

// label: board
TEST(Monitor, AllWhoWaitSeeTheSameLook) {
  testing::FakeBoard board("orin-nano");
  Monitor monitor(*board.sysfs, {.rate_hz = 20, .look_s = 0.1, .history = 3});
  std::shared_ptr<const Snapshot> one, two;
  std::thread other([&] { one = monitor.wait(2, 5); });
  two = monitor.wait(2, 5);
  other.join();
  ASSERT_TRUE(one && two);
  EXPECT_GE(one->number, 3u);
  EXPECT_EQ(monitor.wait(1000000, 0.05), nullptr);
  pause_s(0.5);
  const auto history = monitor.history();
  ASSERT_EQ(history.size(), 3u);
  EXPECT_LT(history[0].time_s, history[1].time_s);
  EXPECT_EQ(history[2].rail_w.size(), monitor.snapshot().rails.size());
  EXPECT_TRUE(std::isfinite(history[2].total_w));
}

// label: board
TEST(Monitor, ModeAndThrottlingAreWatched) {
  testing::FakeBoard board("agx-orin-jp6");
  board.add("/sys/class/hwmon/hwmon8/name", "soctherm_oc");
  board.add("/sys/class/hwmon/hwmon8/oc3_event_cnt", "7");
  Monitor monitor(*board.sysfs, {.rate_hz = 20, .look_s = 0.1});
  const Snapshot first = monitor.snapshot();
  EXPECT_EQ(first.throttle_events, 0u);  // seven events were before the start
  ASSERT_TRUE(first.mode.mode.has_value());
  const auto presets = platform::JetsonModeControl(*board.sysfs).presets();
  EXPECT_EQ(first.mode.preset, presets->modes[0].name);
  board.set("/sys/class/hwmon/hwmon8/oc3_event_cnt", "9");
  board.sysfs->write("/sys/devices/system/cpu/cpu11/online", "0");
  pause_s(0.35);
  const Snapshot now = monitor.snapshot();
  EXPECT_EQ(now.throttle_events, 2u);
  EXPECT_EQ(now.mode.mode->cpu_cores, first.mode.mode->cpu_cores - 1);
  EXPECT_THAT(now.mode.text, ::testing::StartsWith("cores="));
}

// label: board
TEST(Monitor, AMachineWithoutPowerIsWatchedAllTheSame) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "proc");
  folder.write("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n");
  const platform::Sysfs sysfs(folder.path().string());
  Monitor monitor(sysfs);
  const Snapshot now = monitor.snapshot();
  EXPECT_FALSE(now.has_power);
  EXPECT_THAT(now.power_note, ::testing::StartsWith("none: "));
  EXPECT_EQ(now.machine.snapshot.memory_total_bytes, 2048 * 1024);
  monitor.mark();
  EXPECT_EQ(monitor.snapshot().minibatches, 1u);
  EXPECT_EQ(monitor.end_window(monitor.begin_window("w")).energy.energy_j, 0);
}

// A long wait ends early if more readings are requested: they start within a second.
// label: board
TEST(Monitor, LooksAsOftenAsAsked) {
  const testing::FakeBoard board("orin-nano");
  Monitor monitor(*board.sysfs, {.look_s = 60});
  const auto second = monitor.wait(1, 2);
  ASSERT_TRUE(second);
  EXPECT_FALSE(monitor.wait(second->number, 0.3));
  monitor.set_look(0.1);
  EXPECT_TRUE(monitor.wait(second->number + 2, 3));
  EXPECT_THROW(monitor.set_look(0), UsageError);
  EXPECT_THROW(monitor.set_look(std::nan("")), UsageError);
}

// label: board
TEST(Monitor, OptionsOutOfRange) {
  testing::FakeBoard board("orin-nano");
  EXPECT_THROW(Monitor(*board.sysfs, {.rate_hz = 0}), UsageError);
  EXPECT_THROW(Monitor(*board.sysfs, {.rate_hz = std::nan("")}), UsageError);
  EXPECT_THROW(Monitor(*board.sysfs, {.look_s = 0.01}), UsageError);
  EXPECT_THROW(Monitor(*board.sysfs, {.history = 0}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::monitor
