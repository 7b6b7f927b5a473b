// A stall is part of the cost of a minibatch: tests programs that wait sometimes, measured in every
// way.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <thread>

#include "ridgewatt/measure/profile.h"
#include "ridgewatt/pipeline/load_samples.h"
#include "ridgewatt/pipeline/loader.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::measure {
namespace {

// A program that waits 120 ms for data before every fourth minibatch of 10 ms, synchronized with
// the machine's clock. It draws 6 W while waiting and 20 W while computing. The true cost per
// minibatch is 40 ms, of which 30 ms are stall, and (0.12 s x 6 W + 0.04 s x 20 W) / 4 = 0.38 J.
constexpr double kRoundS = 0.16, kWaitS = 0.12, kComputeS = 0.01, kWaitW = 6, kComputeW = 20;
double drawn_w(double time_s) {
  return std::fmod(time_s, kRoundS) < kWaitS ? kWaitW : kComputeW;
}
double drawn_j(double time_s) {  // since time 0
  const double phase_s = std::fmod(time_s, kRoundS), rounds = std::floor(time_s / kRoundS);
  return rounds * (kWaitS * kWaitW + (kRoundS - kWaitS) * kComputeW) +
         std::min(phase_s, kWaitS) * kWaitW + std::max(phase_s - kWaitS, 0.0) * kComputeW;
}
void sleep_until(double time_s) {
  std::this_thread::sleep_for(std::chrono::duration<double>(time_s - monotonic_s()));
}

// The program itself. It is a test in this executable, which the other tests start by its name.
// label: board
TEST(Stalls, DISABLED_Program) {
  const char* descriptor = std::getenv("RIDGEWATT_MARK_FD");
  ASSERT_NE(descriptor, nullptr);
  const auto mark = [&](const char* kind, double time_s) {
    sleep_until(time_s);
    const auto line = fmt::format("{} {:.6f}\n", kind, std::min(time_s, monotonic_s()));
    ASSERT_GT(::write(std::atoi(descriptor), line.data(), line.size()), 0);
  };
  double round_s = std::ceil(monotonic_s() / kRoundS) * kRoundS;
  for (int i = 0; i < 60; ++i, round_s += kRoundS) {
    mark("fetched", round_s + kWaitS);
    for (int k = 1; k <= 4; ++k) mark("minibatch", round_s + kWaitS + k * kComputeS);
  }
}
std::vector<std::string> stalling_program() {
  return {std::filesystem::read_symlink("/proc/self/exe").string(),
          "--gtest_filter=Stalls.DISABLED_Program", "--gtest_also_run_disabled_tests",
          "--gtest_brief=1"};
}

// Updates a meter with the current power every millisecond, as long as the object exists.
class Drawing {
 public:
  explicit Drawing(std::function<void(double)> tell)
      : thread_([this, tell = std::move(tell)] {
          while (!stop_) {
            tell(monotonic_s());
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
        }) {}
  ~Drawing() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

void expect_truth(double time_s, double stall_s, double energy_j) {
  EXPECT_NEAR(time_s, 0.040, 0.03 * 0.040);
  EXPECT_NEAR(stall_s, 0.030, 0.03 * 0.030);
  EXPECT_NEAR(energy_j, 0.38, 0.03 * 0.38);
}

MeasureOptions stall_options() {
  MeasureOptions options;
  options.rate_hz = 500;
  options.idle_s = 0;
  options.window.minibatches = 120;
  options.end_after_window = true;
  options.command = stalling_program();
  return options;
}

// label: board
TEST(Stalls, BelongToTheMinibatchOnAFakeBoard) {
  const testing::FakeBoard board("orin-nano");
  const platform::FakeRails rails(*board.sysfs);
  const Drawing drawing([&](double time_s) { rails.set(drawn_w(time_s)); });
  const auto measured = measure_command(*board.sysfs, stall_options());
  const auto& summary = measured.summary;
  EXPECT_EQ(summary.count + summary.excluded, 120u);
  EXPECT_GE(summary.slow, 25u);  // one in four, none of them excluded
  EXPECT_LT(summary.median_s, 0.02);
  EXPECT_LE(summary.time_lo_s, summary.time_s);
  expect_truth(summary.time_s, summary.fetch_s, summary.energy_j);
}

// The same test on a machine whose only meter is the processor's energy counter.
// label: board
TEST(Stalls, BelongToTheMinibatchNextToACounter) {
  const testing::TemporaryFolder folder;
  const auto zone = folder.path() / "sys/class/powercap/intel-rapl:0";
  std::filesystem::create_directories(zone);
  const auto write = [&](const char* file, const std::string& text) {
    std::ofstream(zone / file) << text << '\n';
  };
  write("name", "package-0");
  write("max_energy_range_uj", "262143328850");
  const double base_j = drawn_j(monotonic_s()) - 1000;  // always ten digits
  const auto counter = [&](double time_s) {
    return fmt::format("{:.0f}\n", (drawn_j(time_s) - base_j) * 1e6);
  };
  write("energy_uj", counter(monotonic_s()));
  const std::string path = (zone / "energy_uj").string();
  const Drawing drawing(
      [&](double time_s) { platform::overwrite_board_file(path, counter(time_s)); });
  const auto measured = measure_command(platform::Sysfs(folder.path().string()), stall_options());
  EXPECT_EQ(measured.source, "processor energy through RAPL");
  expect_truth(measured.summary.time_s, measured.summary.fetch_s, measured.summary.energy_j);
}

// The same test with `profile`, which waits for steady power under load. The result is read from
// the store.
// label: board
TEST(Stalls, BelongToTheProfiledPoint) {
  const testing::FakeBoard board("orin-nano");
  const testing::TemporaryFolder folder;
  ProfileOptions options;
  options.quiet = true;
  options.series = {"fake:orin-nano", "stalls", "training", Provenance::kFake};
  options.measure = stall_options();
  options.measure.settle = {.at_most_s = 3, .window_s = 0.64, .tolerance = 0.05};
  store::Store store((folder.path() / "points.db").string());
  platform::JetsonModeControl control(*board.sysfs);
  const platform::FakeRails rails(*board.sysfs);
  {
    const Drawing drawing([&](double time_s) { rails.set(drawn_w(time_s)); });
    const auto summary =
        profile(*board.sysfs, control, store, {{6, 729.6e6, 306e6, 2133e6, ""}}, options);
    ASSERT_EQ(summary.measured, 1) << ::testing::PrintToString(summary.failures);
  }
  const auto sweeps = parse_sweeps(write_sweep_csv(store.sweeps()), "exported");
  const Observation& seen = sweeps.at(0).observations.at(0);
  expect_truth(seen.time_s, seen.fetch_stall_s.value(), seen.energy_j());
  EXPECT_LT(*seen.time_median_s, 0.02);
  EXPECT_NEAR(seen.power_w * seen.time_s, seen.energy_j(), 1e-9);
}

MeasureOptions settling_options(const SettleOptions& settle) {
  MeasureOptions options;
  options.idle_s = 0.2;
  options.window.minibatches = 8;
  options.end_after_window = true;
  options.settle = settle;
  options.command = stalling_program();
  return options;
}

// The power rises for some time after the first mark. The window must start after the rise.
// label: board
TEST(Measure, SettlesUnderLoad) {
  const testing::FakeBoard board("orin-nano");
  const platform::FakeRails rails(*board.sysfs);
  rails.set(5);
  MeasureOptions options = settling_options({.at_most_s = 20, .window_s = 0.3, .tolerance = 0.01});
  std::atomic<double> begin_s = 0;
  const Drawing drawing([&](double time_s) {
    if (begin_s == 0) begin_s = time_s;
    const double load_s = time_s - begin_s - 0.8;  // idle, then rises for 1.5 s
    rails.set(load_s < 0 ? 5 : 5 + 15 * std::min(1.0, load_s / 1.5));
  });
  const auto climbed = measure_command(*board.sysfs, options);
  EXPECT_TRUE(climbed.summary.steady);
  EXPECT_NEAR(climbed.summary.power_w, 20, 0.3);
  EXPECT_NEAR(*climbed.idle_w, 5, 0.01);
  // If the time to settle is too short, the window starts anyway, and the result says so.
  begin_s = 0;
  options.settle.at_most_s = 0.5;
  EXPECT_FALSE(measure_command(*board.sysfs, options).summary.steady);
}

// The time to settle ends during the last minibatch, so no minibatch starts after it.
// label: board
TEST(Measure, AProgramThatEndsWhileItSettlesCountsWhole) {
  const testing::FakeBoard board("orin-nano");
  const platform::FakeRails rails(*board.sysfs);
  rails.set(5);
  MeasureOptions options = settling_options({.at_most_s = 1.5, .window_s = 10, .tolerance = 0.01});
  options.command = {"/bin/sh", "-c",
                     "for wait in 0.1 0.1 0.1 0.1 2; do sleep $wait; "
                     "echo minibatch >&$RIDGEWATT_MARK_FD; done"};
  const auto ended = measure_command(*board.sysfs, options);
  EXPECT_FALSE(ended.summary.steady);
  EXPECT_FALSE(ended.summary.complete);
  EXPECT_EQ(ended.summary.count, 4U);
}

// The meter is silent for a while: minibatches in that time are excluded, and the result says so.
// label: board
TEST(Measure, ACounterGapExcludes) {
  const testing::TemporaryFolder folder;
  MeasureOptions options = stall_options();
  options.meter = (folder.path() / "meter.csv").string();
  options.window.minibatches = 60;  // 2.4 s
  std::ofstream log(options.meter);
  log << "time_s,power_w\n" << std::flush;
  double begin_s = 0;
  const Drawing drawing([&](double time_s) {
    if (begin_s == 0) begin_s = time_s;
    const bool silent = time_s > begin_s + 0.8 && time_s < begin_s + 2.2;
    if (!silent) log << fmt::format("{:.6f},9\n", time_s) << std::flush;
  });
  const auto measured = measure_command(platform::Sysfs(folder.path().string()), options);
  const auto& summary = measured.summary;
  EXPECT_EQ(summary.count + summary.excluded, 60u);
  EXPECT_GT(summary.excluded, 15u);
  EXPECT_GT(summary.count, 0u);
  EXPECT_EQ(summary.causes.count("counter gap"), 1u);
  EXPECT_FALSE(summary.complete);
  EXPECT_NEAR(summary.power_w, 9, 1e-6);
  for (const auto& minibatch : measured.minibatches) {
    const bool inside = minibatch.begin_s > begin_s + 0.9 && minibatch.end_s < begin_s + 2.1;
    if (inside) {
      EXPECT_EQ(minibatch.excluded, "counter gap");
    }
  }
}

// A minibatch by the marks and by the log.
struct Compared {
  double time_s = 0, stall_s = 0, log_time_s = 0, log_stall_s = 0;
  double off_s() const { return std::abs(time_s - log_time_s) + std::abs(stall_s - log_stall_s); }
  void operator+=(const Compared& other) {
    time_s += other.time_s, stall_s += other.stall_s;
    log_time_s += other.log_time_s, log_stall_s += other.log_stall_s;
  }
};
constexpr std::size_t kStopped = 4;  // minibatches of 59 that a busy machine may stop

// For real loaders with every number of workers, the mean time and the mean stall must equal those
// of the loader's own log. The loader and the mark read the clock one after the other. A busy
// machine may stop the program between the two readings, so a few minibatches are left out.
// label: board
TEST(Stalls, AreThoseOfTheLoadersLog) {
  const testing::TemporaryFolder folder(testing::build_folder());
  pipeline::generate_samples(folder.path() / "data", 240, 9000, 7);
  pipeline::LoaderOptions options;
  options.paths = pipeline::list_samples(folder.path() / "data");
  options.batch = 4;
  for (const bool cold : {false, true}) {
    for (const int workers : {0, 1, 2, 4}) {
      std::vector<TimedMark> marks;
      const auto mark = [&](TimedMark::Kind kind) { marks.push_back({kind, "", monotonic_s()}); };
      options.cold = cold;
      options.workers = workers;
      options.on_fetched = [&] { mark(TimedMark::Kind::kFetched); };
      options.on_minibatch = [&] { mark(TimedMark::Kind::kMinibatch); };
      const pipeline::LoaderRun run = pipeline::run_loader(options);
      const auto window = minibatch_window(marks, {});
      ASSERT_EQ(window.minibatches.size(), 59u);
      ASSERT_EQ(run.minibatches.size(), 60u);
      std::vector<Compared> compared;
      for (std::size_t i = 0; i < 59; ++i) {
        EXPECT_EQ(window.minibatches[i].excluded, "");
        const auto& logged = run.minibatches[i + 1];
        compared.push_back({window.minibatches[i].time_s(), window.minibatches[i].fetch_s,
                            logged.stall_s + logged.stages.compute_s, logged.stall_s});
      }
      std::sort(compared.begin(), compared.end(),
                [](const Compared& a, const Compared& b) { return a.off_s() < b.off_s(); });
      compared.resize(59 - kStopped);
      Compared sum;
      for (const Compared& one : compared) sum += one;
      EXPECT_NEAR(sum.time_s, sum.log_time_s, 0.02 * sum.log_time_s) << workers << cold;
      EXPECT_NEAR(sum.stall_s, sum.log_stall_s, 0.02 * sum.log_time_s) << workers << cold;
    }
  }
}

}  // namespace
}  // namespace ridgewatt::measure
