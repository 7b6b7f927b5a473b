#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/measure/power_trace.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <thread>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/platform/fake_board_support.h"
#include "ridgewatt/platform/fake_load.h"

namespace ridgewatt {
namespace {

struct Curve {
  const char* name;
  std::function<double(double)> power_w;
  std::function<double(double)> energy_j;  // integral from 0
};

std::vector<Curve> curves() {
  const double omega = 2 * M_PI * 0.7;
  return {
      {"constant", [](double) { return 12.0; }, [](double t) { return 12 * t; }},
      {"step", [](double t) { return t < 3.3 ? 5.0 : 40.0; },
       [](double t) { return t < 3.3 ? 5 * t : 16.5 + 40 * (t - 3.3); }},
      {"square wave of 2 s", [](double t) { return std::fmod(t, 2) < 1 ? 8.0 : 20.0; },
       [](double t) {
         const double rest = std::fmod(t, 2);
         return 28 * std::floor(t / 2) + (rest < 1 ? 8 * rest : 8 + 20 * (rest - 1));
       }},
      {"ramp", [](double t) { return 5 + 3 * t; }, [](double t) { return 5 * t + 1.5 * t * t; }},
      {"sine", [=](double t) { return 20 + 10 * std::sin(omega * t); },
       [=](double t) { return 20 * t + 10 * (1 - std::cos(omega * t)) / omega; }}};
}

// 10 s of each curve at 10, 100 and 1000 Hz, time stamps with 20 % jitter, 5 % of samples lost: the
// true energy lies within the stated bound, and the bound is of use.
TEST(Energy, AnalyticCurvesWithJitterAndLoss) {
  const double begin_s = 0.217;
  const double end_s = 9.871;
  for (const auto& curve : curves()) {
    const double truth_j = curve.energy_j(end_s) - curve.energy_j(begin_s);
    for (const double rate_hz : {10.0, 100.0, 1000.0}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        std::vector<double> times;
        std::vector<double> powers;
        for (int i = 0; i < 10 * rate_hz; ++i) {
          times.push_back((i + random.uniform(-0.2, 0.2)) / rate_hz);
          const bool is_lost = random.uniform() < 0.05;
          powers.push_back(is_lost ? std::numeric_limits<double>::quiet_NaN()
                                   : curve.power_w(times.back()));
        }
        const auto found = integrate_power(times, powers, begin_s, end_s);
        EXPECT_LE(std::abs(found.energy_j - truth_j), found.error_j + 1e-9)
            << curve.name << " " << rate_hz << " Hz, seed " << seed;
        EXPECT_LT(found.error_j / truth_j, 1.2 / rate_hz * 3) << curve.name << " " << rate_hz;
        EXPECT_NEAR(static_cast<double>(found.missing), 0.05 * 9.65 * rate_hz,
                    4 * std::sqrt(0.05 * 9.65 * rate_hz) + 1);
        EXPECT_GE(found.largest_gap_s, 0.9 / rate_hz);
      }
    }
  }
}

TEST(Energy, EndsWithoutSamplesAreHeldAndCounted) {
  const std::vector<double> times = {1, 2, 3};
  const std::vector<double> powers = {10, 20, 10};
  const auto found = integrate_power(times, powers, 0, 4);
  EXPECT_DOUBLE_EQ(found.energy_j, 10 + 15 + 15 + 10);
  EXPECT_DOUBLE_EQ(found.largest_gap_s, 1);
  EXPECT_GE(found.error_j, 10 * 2);  // one second at either end may have been anything
  const auto part = integrate_power(times, powers, 1.5, 2.5);
  EXPECT_DOUBLE_EQ(part.energy_j, 17.5);
  EXPECT_EQ(part.samples, 1u);
}

TEST(Energy, BadInput) {
  const std::vector<double> times = {1, 1};
  const std::vector<double> powers = {1, 2};
  EXPECT_THROW(integrate_power(times, powers, 0, 1), UsageError);
  EXPECT_THROW(integrate_power({}, {}, 0, 1), NotSupportedError);
  EXPECT_THROW(integrate_power(powers, powers, 1, 1), UsageError);
  EXPECT_THROW(integrate_power(powers, {}, 0, 1), UsageError);
}

TEST(Sampler, ReadsAFakeBoardAtItsRate) {
  const testing::FakeBoard board("agx-orin-jp6");
  const auto source = open_power_source(*board.sysfs);
  ASSERT_EQ(source->channels().size(), 4u);
  // VDDQ_VDD2_1V8AO is not in the total.
  const double total_w = 20;
  FakeRails(*board.sysfs).set(total_w);
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
    const auto energy =
        total_of(traces_of(samples, source->channels())).energy(begin_s, end_s).value();
    EXPECT_NEAR(energy.mean_w, total_w, 1e-9);
    EXPECT_NEAR(energy.error_j, 0, 1e-9);
    EXPECT_EQ(sampler.lost(), 0u);
    EXPECT_LE(samples.size(), rate_hz * 1.1 + 2);
    EXPECT_NEAR(static_cast<double>(samples.size() + sampler.late()), rate_hz, 0.2 * rate_hz);
    EXPECT_GT(sampler.cpu_seconds(), 0);  // its share of a core: bench/sampler_bench.cc
  }
}

TEST(Sampler, AFullRingCountsWhatItLoses) {
  const testing::FakeBoard board("nano");
  const auto source = open_power_source(*board.sysfs);
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
  const auto source = open_power_source(*board.sysfs);
  board.set("/sys/class/hwmon/hwmon0/curr1_input", "!EIO");
  double power_w[3];
  source->read(power_w);
  EXPECT_TRUE(std::isnan(power_w[0]));
  EXPECT_FALSE(std::isnan(power_w[1]));
  const testing::TemporaryFolder nothing;
  EXPECT_THROW(open_power_source(Sysfs(nothing.path().string())), NotSupportedError);
}

}  // namespace
}  // namespace ridgewatt
