// Tests counters of clocks: as kernels print them, damaged, and as the fake kernel updates them.
#include "ridgewatt/platform/clock_times.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::platform {
namespace {

// Linux, Documentation/cpu-freq/cpufreq-stats.rst: the unit is usertime, 10 ms.
TEST(ClockTimes, TimeInStateAsTheKernelPrintsIt) {
  const auto seconds = parse_time_in_state("3600000 2089\n3400000 136\n2800000 172488\n");
  ASSERT_TRUE(seconds);
  EXPECT_EQ(*seconds, (SecondsByClock{{3.6e9, 20.89}, {3.4e9, 1.36}, {2.8e9, 1724.88}}));
}

// Linux, drivers/devfreq/devfreq.c, trans_stat_show: "*" marks the current clock, times are in ms.
// From 1 GHz on, columns have no space between them.
constexpr const char* kTransStat =
    "     From  :   To\n"
    "           : 306000000 40800000010200000001300500000   time(ms)\n"
    "* 306000000:         0         1         2         0     12345\n"
    "  408000000:         1         0         0         0        55\n"
    " 1020000000:         2         0         0         0    100000\n"
    " 1300500000:         0         0         0         0         0\n"
    "Total transition : 6\n";

TEST(ClockTimes, TransStatAsTheKernelPrintsIt) {
  const auto seconds = parse_trans_stat(kTransStat);
  ASSERT_TRUE(seconds);
  EXPECT_EQ(*seconds,
            (SecondsByClock{{306e6, 12.345}, {408e6, 0.055}, {1020e6, 100}, {1300.5e6, 0}}));
}

TEST(ClockTimes, DamagedCountersAreNone) {
  for (const char* text : {"", "\n", "Not Supported.", "1 2 3", "1000", "a 1", "1000 -1",
                           "1000 nan", "1000 1\n1000 2"}) {
    EXPECT_FALSE(parse_time_in_state(text)) << text;
  }
  const std::string whole = kTransStat;
  for (std::size_t length = 0; length < whole.find("Total"); ++length) {
    EXPECT_FALSE(parse_trans_stat(whole.substr(0, length))) << length;
  }
  for (const char* text : {"Not Supported.", ": time(ms)\n", ": 1 time(ms)\n1: 0 x\n",
                           ": 1 2 time(ms)\n1: 0 0 5\n1: 0 0 5\nTotal transition : 0", "1: 2 3",
                           ": 1 2 time(ms)\n1: 0 0 5\nTotal transition : 0"}) {
    EXPECT_FALSE(parse_trans_stat(text)) << text;
  }
}

double counted_s(const std::vector<ClockTimes>& times, const std::string& name, double hz) {
  for (const auto& clock : times) {
    if (clock.name == name) return clock.seconds.at(hz);
  }
  return -1;
}

// The fake kernel counts time at the current clock even if nothing reads the counter, and loses no
// time when the clock changes often.
// label: slow
TEST(ClockTimes, TheFakeKernelCountsAsTimeGoesBy) {
  for (const char* name : {"agx-orin-jp6", "nano", "thor"}) {
    const testing::FakeBoard board(name);
    const JetsonLayout layout = find_jetson_layout(*board.sysfs);
    const std::string gpu = layout.gpus.front().path;
    const std::string clock = layout.gpus.size() == 1 ? "gpu" : layout.gpus.front().name;
    const auto total_s = [&] {
      double sum_s = 0;
      for (const auto& times : read_clock_times(*board.sysfs, layout)) {
        if (times.name != clock) continue;
        for (const auto& [hz, time_s] : times.seconds) sum_s += time_s;
      }
      return sum_s;
    };
    const auto clock_s = [] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
    };
    const double begin_s = clock_s(), counted_begin_s = total_s(), begun_s = clock_s();
    const double low_hz = *board.sysfs->number(gpu + "/cur_freq");
    const double before_s = counted_s(read_clock_times(*board.sysfs, layout), clock, low_hz);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_GE(counted_s(read_clock_times(*board.sysfs, layout), clock, low_hz), before_s + 0.048);
    for (int i = 0; i < 10; ++i) {
      board.sysfs->write(gpu + "/governor", i % 2 == 0 ? "performance" : "powersave");
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    const double high_hz = *board.sysfs->number(gpu + "/max_freq");
    EXPECT_GE(counted_s(read_clock_times(*board.sysfs, layout), clock, high_hz), 0.010) << name;
    const double ending_s = clock_s(), counted_s = total_s() - counted_begin_s, end_s = clock_s();
    constexpr double kRoundedS = 0.005;
    EXPECT_GE(counted_s, ending_s - begun_s - kRoundedS) << name;
    EXPECT_LE(counted_s, end_s - begin_s + kRoundedS) << name;
  }
}

// A policy whose CPUs are all off has no clock: its counter stands still and is left out.
TEST(ClockTimes, CpusThatAreOffCountNoTime) {
  const testing::FakeBoard board("agx-orin-jp6");
  const JetsonLayout layout = find_jetson_layout(*board.sysfs);
  const auto switch_cpus = [&](const char* value) {
    for (int cpu = 8; cpu < 12; ++cpu) {
      board.sysfs->write(fmt::format("{}/cpu{}/online", kCpuFolder, cpu), value);
    }
  };
  const auto total_s = [&] {
    const std::string path = layout.cpu_policies.at(2).path + "/stats/time_in_state";
    const auto seconds = parse_time_in_state(board.sysfs->text(path).value());
    double sum_s = 0;
    for (const auto& [hz, time_s] : seconds.value()) sum_s += time_s;
    return sum_s;
  };
  const auto is_listed = [&] {
    const auto times = read_clock_times(*board.sysfs, layout);
    return std::any_of(times.begin(), times.end(), [](const auto& t) { return t.name == "cpu8"; });
  };
  EXPECT_TRUE(is_listed());
  switch_cpus("0");
  EXPECT_FALSE(is_listed());
  const double off_s = total_s();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(total_s(), off_s);
  switch_cpus("1");
  EXPECT_TRUE(is_listed());
  EXPECT_LT(total_s(), off_s + 0.03);  // the 60 ms do not count
  std::this_thread::sleep_for(std::chrono::milliseconds(40));
  EXPECT_GE(total_s(), off_s + 0.03);
}

}  // namespace
}  // namespace ridgewatt::platform
