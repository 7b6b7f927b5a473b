#include "ridgewatt/measure/sampler.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/measure/power_trace.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt::measure {
namespace {

// label: board
TEST(Sampler, ReadsAFakeBoardAtItsRate) {
  const testing::FakeBoard board("agx-orin-jp6");
  const auto source = platform::open_power_source(*board.sysfs);
  ASSERT_EQ(source->channels().size(), 4u);
  // The total does not include VDDQ_VDD2_1V8AO.
  const double total_w = 20;
  platform::FakeRails(*board.sysfs).set(total_w);
  for (const double rate_hz : {100.0, 1000.0}) {
    Sampler::Options options;
    options.rate_hz = rate_hz;
    Sampler sampler(*source, options);
    const double begin_s = monotonic_s();
    std::this_thread::sleep_for(std::chrono::milliseconds(1000));
    const double end_s = monotonic_s();
    sampler.stop();
    std::vector<PowerSample> samples;
    sampler.drain(samples);
    ASSERT_GE(samples.size(), 2u);
    const auto energy =
        total_of(traces_of(samples, source->channels())).energy(begin_s, end_s).value();
    EXPECT_NEAR(energy.mean_w, total_w, 1e-9);
    EXPECT_NEAR(energy.error_j, 0, 1e-9);
    EXPECT_EQ(sampler.lost(), 0u);
    // The sampler counts the samples that it could not take because the machine was busy.
    const double due = rate_hz * (samples.back().time_s - samples.front().time_s);
    EXPECT_NEAR(static_cast<double>(samples.size() + sampler.late()), due, 0.2 * due + 2);
    EXPECT_GT(sampler.cpu_seconds(), 0);  // measured by bench/sampler_bench.cc
  }
}

TEST(Sampler, AFullRingCountsWhatItLoses) {
  const testing::FakeBoard board("nano");
  const auto source = platform::open_power_source(*board.sysfs);
  Sampler::Options options;
  options.rate_hz = 1000;
  options.capacity = 10;
  Sampler sampler(*source, options);
  while (sampler.lost() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  sampler.stop();
  std::vector<PowerSample> samples;
  sampler.drain(samples);
  EXPECT_EQ(samples.size(), 10u);
}

TEST(Sampler, AVanishedSensorIsMissingSamples) {
  const testing::FakeBoard board("orin-nano");
  const auto source = platform::open_power_source(*board.sysfs);
  board.set("/sys/class/hwmon/hwmon0/curr1_input", "!EIO");
  double power_w[3];
  source->read(power_w);
  EXPECT_TRUE(std::isnan(power_w[0]));
  EXPECT_FALSE(std::isnan(power_w[1]));
  const testing::TemporaryFolder nothing;
  EXPECT_THROW(platform::open_power_source(platform::Sysfs(nothing.path().string())),
               NotSupportedError);
}

}  // namespace
}  // namespace ridgewatt::measure
