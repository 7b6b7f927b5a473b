// Compares the integral of power with curves whose integral is known.
#include "ridgewatt/measure/energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/measure/power_trace.h"

namespace ridgewatt::measure {
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

// 10 s of each curve at 10, 100 and 1000 Hz, with 20 % jitter of time stamps and 5 % lost samples.
// The true energy must be within the stated bound, and the bound must be narrow enough to be
// useful.
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
  EXPECT_GE(found.error_j, 10 * 2);  // one second at either end is unknown
  const auto part = integrate_power(times, powers, 1.5, 2.5);
  EXPECT_DOUBLE_EQ(part.energy_j, 17.5);
  EXPECT_EQ(part.samples, 1u);
}

// With fewer than two samples in the window, no bound is known.
TEST(Energy, TheBoundOfAWindowNeedsTwoSamples) {
  EXPECT_EQ(integrate_power(std::vector{1.0}, std::vector{10.0}, 0, 4).error_j, kUnknownBound);
  const PowerTrace trace{"total", true, {0, 1, 2, 3, 4}, {10, 10, 10, 10, 10}};
  const auto bound_j = [&](double begin_s, double end_s) {
    return trace.energy(begin_s, end_s)->error_j;
  };
  EXPECT_EQ(bound_j(1.1, 1.9), kUnknownBound);
  EXPECT_EQ(bound_j(1.1, 2.9), kUnknownBound);
  EXPECT_EQ(bound_j(1.1, 3.1), 0);
  EXPECT_EQ(bound_j(4.1, 5), kUnknownBound);
  const PowerTrace one{"total", true, {1}, {10}};
  EXPECT_EQ(one.energy(0, 4)->error_j, kUnknownBound);
  EXPECT_EQ(one.energy(0, 4)->energy_j, 40);
  // Means of a counter: the two ends of a step are one sample.
  EXPECT_EQ(as_steps(trace).energy(1.1, 2.9)->error_j, kUnknownBound);
  EXPECT_EQ(as_steps(trace).energy(1.1, 3.1)->error_j, 0);
}

// The sample after the window may be under load, so it must not count.
TEST(Energy, TheMeanWithinAWindowIgnoresLaterSamples) {
  const PowerTrace trace{"total", true, {0.1, 1.1, 2.1, 9}, {6, 6, 6, 30}};
  EXPECT_EQ(trace.mean_w_within(0, 3), 6);
  EXPECT_GT(trace.energy(0, 3)->mean_w, 6.4);
  EXPECT_EQ(trace.mean_w_within(3, 4), std::nullopt);
  EXPECT_NEAR(*as_steps(trace).mean_w_within(0, 3), 6, 1e-9);
  const double none = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ((PowerTrace{"total", true, {1, 2, 3}, {6, none, 30}}.mean_w_within(0, 2.5)), 6);
}

TEST(Energy, BadInput) {
  const std::vector<double> times = {1, 1};
  const std::vector<double> powers = {1, 2};
  EXPECT_THROW(integrate_power(times, powers, 0, 1), UsageError);
  EXPECT_THROW(integrate_power({}, {}, 0, 1), NotSupportedError);
  EXPECT_THROW(integrate_power(powers, powers, 1, 1), UsageError);
  EXPECT_THROW(integrate_power(powers, {}, 0, 1), UsageError);
}

}  // namespace
}  // namespace ridgewatt::measure
