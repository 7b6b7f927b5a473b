#include "ridgewatt/measure/machine_use.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <iostream>
#include <map>
#include <thread>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/measure/measure_command.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::measure {
namespace {

using Shares = std::vector<std::pair<double, double>>;

// Samples at 0, 1 and 3 s. The window from 0.5 to 4 s contains 0.5 s and 1 s at 300 MHz, and 2 s at
// 600 MHz.
// label: board
TEST(Residency, EachLookStandsUntilTheNext) {
  const std::vector<store::RawSample> samples = {{"clock:gpu", 0, 300e6},
                                                 {"load:gpu", 0, 1},
                                                 {"clock:gpu", 1, 600e6},
                                                 {"clock:gpu", 3, 300.02e6},  // as measured
                                                 {"clock:gpu", 9, 900e6}};
  const auto residency = sampled_residency(samples, 0.5, 4);
  ASSERT_EQ(residency.size(), 1u);
  EXPECT_EQ(residency[0].clock, "gpu");
  EXPECT_DOUBLE_EQ(residency[0].time_s, 3.5);
  EXPECT_EQ(residency[0].shares, (Shares{{300e6, 1.5 / 3.5}, {600e6, 2 / 3.5}}));
  EXPECT_TRUE(sampled_residency({}, 0, 1).empty());
}

// The clock of CPUs that are off is 0.
// label: board
TEST(Residency, AClockThatIsOffHasNone) {
  const std::vector<store::RawSample> samples = {
      {"clock:cpu8", 0, 0}, {"clock:cpu8", 3, 0}, {"load:gpu", 0, 0}};
  EXPECT_TRUE(sampled_residency(samples, 0, 4).empty());
  const auto summaries = summarize_series(samples, 0, 4);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].channel, "load:gpu");
}

// label: board
TEST(Residency, ManyClocksAreStepsOf100Mhz) {
  std::vector<store::RawSample> samples;
  for (int i = 0; i < 100; ++i) samples.push_back({"clock:cpu0", double(i), 2.0e9 + i * 1.1e6});
  const auto residency = sampled_residency(samples, 0, 100);
  ASSERT_EQ(residency.size(), 1u);
  ASSERT_EQ(residency[0].shares.size(), 2u);
  EXPECT_EQ(residency[0].shares[0].first, 2.0e9);
  EXPECT_NEAR(residency[0].shares[0].second, 0.46, 1e-9);  // up to 2.05 GHz: i <= 45
}

// label: board
TEST(Residency, OfCountersIsTheirDifference) {
  const std::vector<platform::ClockTimes> before = {{"gpu", "trans_stat", {{1e9, 5}, {2e9, 7}}},
                                                    {"cpu0", "time_in_state", {{1e9, 5}}}};
  const std::vector<platform::ClockTimes> after = {
      {"gpu", "trans_stat", {{1e9, 6}, {2e9, 10}}},
      {"cpu0", "time_in_state", {{1e9, 4}}},  // smaller than before: the counter was reset
      {"cpu4", "time_in_state", {{1e9, 4}}}};
  const auto residency = counted_residency(before, after);
  ASSERT_EQ(residency.size(), 1u);
  EXPECT_EQ(residency[0].shares, (Shares{{1e9, 0.25}, {2e9, 0.75}}));
  const auto merged = merge_residency(
      residency, {{"gpu", "sampled", 1, {{9e9, 1}}}, {"emc", "sampled", 1, {{3e9, 1}}}});
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(merged[0].source, "trans_stat");
  EXPECT_EQ(merged[1].clock, "emc");
}

double share_at(const std::vector<ClockResidency>& all, const std::string& clock, double hz) {
  for (const auto& residency : all) {
    if (residency.clock != clock) continue;
    for (const auto& [at_hz, share] : residency.shares) {
      if (at_hz == hz) return share;
    }
  }
  return 0;
}

// A thread simulates a load that comes and goes under governors, and logs the clocks.
struct PlayedLoad {
  explicit PlayedLoad(const platform::Sysfs& sysfs) : activity(sysfs) {
    thread = std::thread([this] {
      for (int step = 0; !stop; ++step) {
        const double busy = step / 12 % 2 == 0 ? 1 : 0.05;
        activity.step({busy, busy, 0.1});
        log.emplace_back(monotonic_s(), activity.clocks());
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  ~PlayedLoad() {
    stop = true;
    if (thread.joinable()) thread.join();
  }
  // Shares of the time in [begin_s, end_s] by clock.
  std::map<double, double> truth(double begin_s, double end_s, Knob knob) const {
    std::map<double, double> shares;
    for (std::size_t i = 0; i < log.size(); ++i) {
      const double from_s = std::max(begin_s, log[i].first);
      const double to_s = std::min(end_s, i + 1 < log.size() ? log[i + 1].first : end_s);
      if (to_s > from_s) shares[log[i].second.get(knob)] += (to_s - from_s) / (end_s - begin_s);
    }
    return shares;
  }

  platform::FakeActivity activity;
  std::atomic<bool> stop{false};
  std::vector<std::pair<double, PowerMode>> log;
  std::thread thread;
};

// The shares by the kernel's counters must agree within 2 % of the time at every clock.
// label: board
TEST(Residency, AgreesWithTheClocksThatAFakeBoardRanAt) {
  const testing::FakeBoard board("agx-orin-jp6");
  PlayedLoad load(*board.sysfs);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  MeasureOptions options;
  options.command = {"/bin/sleep", "2"};
  options.idle_s = 0;
  options.series_rate_hz = 50;
  const Measurement measured = measure_command(*board.sysfs, options);
  load.stop = true;
  load.thread.join();
  const std::pair<const char*, Knob> clocks[] = {{"gpu", Knob::kGpuClock},
                                                 {"cpu0", Knob::kCpuClock}};
  for (const auto& [name, knob] : clocks) {
    const auto truth = load.truth(measured.begin_s, measured.end_s, knob);
    EXPECT_GT(truth.size(), 3u);  // the clock changed
    double most = 0;
    for (const auto& [hz, share] : truth) {
      const double off = std::abs(share_at(measured.residency, name, hz) - share);
      EXPECT_LE(off, 0.02) << name << " " << hz;
      most = std::max(most, off);
    }
    std::cout << name << ": off by at most " << 100 * most << " points\n";
  }
  EXPECT_THAT(measured.residency,
              ::testing::Contains(::testing::Field(&ClockResidency::source, "trans_stat")));
}

// At fixed clocks, there is one clock, with and without counters.
// label: board
TEST(Residency, OfFixedClocksIsOneWithAndWithoutCounters) {
  const testing::FakeBoard board("agx-orin-jp6");
  ASSERT_EQ(board.sysfs->write("/sys/class/devfreq/17000000.gpu/governor", "performance"), 0);
  const double hz = *board.sysfs->number("/sys/class/devfreq/17000000.gpu/max_freq");
  MeasureOptions options;
  options.command = {"/bin/sleep", "0.3"};
  options.idle_s = 0;
  EXPECT_EQ(share_at(measure_command(*board.sysfs, options).residency, "gpu", hz), 1);
  std::filesystem::remove(board.sysfs->host_path("/sys/class/devfreq/17000000.gpu/trans_stat"));
  const auto sampled = measure_command(*board.sysfs, options).residency;
  EXPECT_EQ(share_at(sampled, "gpu", hz), 1);
  EXPECT_THAT(sampled, ::testing::Contains(::testing::Field(&ClockResidency::source, "sampled")));
}

TEST(DiskIo, CountsDisksAndNotTheirParts) {
  const testing::TemporaryFolder folder;
  std::filesystem::create_directories(folder.path() / "proc");
  folder.write("proc/diskstats",
               " 259 0 nvme0n1 100 0 2000 5 10 0 40 1 0 0 0\n"
               " 259 1 nvme0n1p1 90 0 1900 5 10 0 40 1 0 0 0\n"
               " 179 0 mmcblk0 7 0 8 5 0 0 0 1 0 0 0\n"
               " 179 1 mmcblk0p1 7 0 8 5 0 0 0 1 0 0 0\n"
               "   8 0 sda 1 0 2 5 3 0 4 1 0 0 0\n"
               "   8 1 sda1 1 0 2 5 3 0 4 1 0 0 0\n"
               "   7 0 loop0 50 0 60 5 3 0 4 1 0 0 0\n"
               "   8 0 sdb broken\n"
               "   8 0 sdc x 0 nan 5 -3 0 4 1 0 0 0\n");
  const auto io = read_disk_io(platform::Sysfs(folder.path().string()));
  ASSERT_TRUE(io);
  EXPECT_EQ(io->reads, 108);
  EXPECT_EQ(io->read_bytes, 2010 * 512);
  EXPECT_EQ(io->writes, 13);
  EXPECT_EQ(io->written_bytes, 48 * 512);
  EXPECT_FALSE(read_disk_io(platform::Sysfs("/nowhere")));
}

// Reports the bytes that a command and its children read, and the share of a file in the page
// cache.
TEST(Measure, TellsWhatWasReadAndWhatTheProgramSays) {
  const testing::TemporaryFolder folder;
  const std::string file = folder.write("data", std::string(1 << 20, 'x'));
  MeasureOptions options;
  options.command = {"/bin/sh", "-c",
                     "(cat " + file +
                         ">/dev/null); echo 'note on the CPU' >&$RIDGEWATT_MARK_FD; "
                         "echo 'value accuracy 0.5' >&$RIDGEWATT_MARK_FD; "
                         "echo 'value accuracy nan' >&$RIDGEWATT_MARK_FD; "
                         "printf 'note \\033[1m\\nnote on the CPU\\n' >&$RIDGEWATT_MARK_FD"};
  options.idle_s = 0;
  options.watched_files = {file};
  const Measurement measured = measure_command(platform::Sysfs("/nowhere"), options);
  EXPECT_EQ(measured.status, 0);
  if (measured.io) {
    EXPECT_GE(measured.io->read_bytes, 1 << 20);
  }
  ASSERT_EQ(measured.files.size(), 1u);
  EXPECT_EQ(measured.files[0].bytes, 1 << 20);
  EXPECT_EQ(measured.files[0].share_after, 1);
  ASSERT_EQ(measured.words.notes.size(), 2u);
  EXPECT_EQ(measured.words.notes[0], "on the CPU");
  EXPECT_EQ(measured.words.notes[1].find('\033'), std::string::npos);
  EXPECT_EQ(measured.words.values, (std::map<std::string, double>{{"accuracy", 0.5}}));
  EXPECT_EQ(measured.malformed_marks, 1u);
}

}  // namespace
}  // namespace ridgewatt::measure
