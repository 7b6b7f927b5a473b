// Compares the incremental integral of power with integrate_power on the same samples.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/measure/energy.h"
#include "ridgewatt/measure/power_trace.h"

namespace ridgewatt::measure {
namespace {

struct SampledPower {
  std::vector<double> times_s, powers_w;
};

// Irregular times, one sample in twenty without a value, and occasional jumps of the power.
SampledPower uneven_samples(std::uint64_t seed, int count) {
  Random random(seed);
  SampledPower samples;
  double time_s = 1000, power_w = 20;
  for (int i = 0; i < count; ++i) {
    time_s += 0.05 * random.uniform(0.2, 1.8);
    power_w += random.uniform() < 0.1 ? random.uniform(-10, 10) : random.uniform(-0.5, 0.5);
    power_w = std::fmax(1, power_w);
    samples.times_s.push_back(time_s);
    samples.powers_w.push_back(random.uniform() < 0.05 ? std::numeric_limits<double>::quiet_NaN()
                                                       : power_w);
  }
  return samples;
}

void expect_equal(const EnergySum& found, const EnergyEstimate& expected) {
  EXPECT_NEAR(found.energy_j, expected.energy_j, 1e-12 * expected.energy_j);
  ASSERT_EQ(std::isfinite(found.error_j), expected.samples >= 2);
  if (!std::isfinite(found.error_j)) return;
  EXPECT_NEAR(found.error_j, expected.error_j, 1e-12 * expected.error_j + 1e-12);
}

TEST(EnergyIntegral, IsIntegratePowerOfTheSamplesSoFar) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto samples = uneven_samples(seed, 300);
    const auto& times = samples.times_s;
    EnergyIntegral since_first;
    std::size_t first = 0;
    while (std::isnan(samples.powers_w[first])) ++first;
    for (std::size_t i = 0; i < times.size(); ++i) {
      const auto before = since_first.sum();
      since_first.add(times[i], samples.powers_w[i]);
      const auto sum = since_first.sum();
      EXPECT_GE(sum.energy_j, before.energy_j);
      if (std::isfinite(before.error_j)) EXPECT_GE(sum.error_j, before.error_j);
      if (since_first.newest_s() <= times[first]) continue;
      const std::span<const double> all(times), powers(samples.powers_w);
      expect_equal(sum, integrate_power(all.first(i + 1), powers.first(i + 1), times[first],
                                        since_first.newest_s()));
    }
  }
}

TEST(EnergyIntegral, WindowsBeginAndEndBetweenSamplesAndBeyondThem) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const auto samples = uneven_samples(seed, 60);
    Random random(seed + 1000);
    const double begin_s = samples.times_s.front() + random.uniform(-0.5, 2);
    const double end_s = begin_s + random.uniform(0.01, 3);
    EnergyIntegral window(begin_s);
    window.end(end_s);
    SampledPower used;
    for (std::size_t i = 0; i < samples.times_s.size() && !window.settled(); ++i) {
      window.add(samples.times_s[i], samples.powers_w[i]);
      used.times_s.push_back(samples.times_s[i]);
      used.powers_w.push_back(samples.powers_w[i]);
    }
    expect_equal(window.until(end_s), integrate_power(used.times_s, used.powers_w, begin_s, end_s));
    // Later samples do not change the energy.
    const auto later = integrate_power(samples.times_s, samples.powers_w, begin_s, end_s).energy_j;
    EXPECT_NEAR(window.until(1e9).energy_j, later, 1e-12 * later);
  }
}

TEST(EnergyIntegral, OfAnOpenWindowThePowerIsHeld) {
  EnergyIntegral window(0.5);
  window.add(0, 10);
  window.add(1, 20);  // 17.5 W at the middle of the half second
  EXPECT_DOUBLE_EQ(window.sum().energy_j, 17.5 / 2);
  EXPECT_DOUBLE_EQ(window.until(3).energy_j, 17.5 / 2 + 2 * 20);
  EXPECT_GE(window.until(3).error_j, 2 * 10);  // two seconds; the range of power is 10 W
}

// Windows as in Energy.TheBoundOfAWindowNeedsTwoSamples.
TEST(EnergyIntegral, TheBoundOfAWindowNeedsTwoSamples) {
  const PowerTrace trace{"total", true, {0, 1, 2, 3, 4}, {10, 10, 10, 10, 10}};
  for (const PowerTrace& samples : {trace, as_steps(trace)}) {
    const auto bound_j = [&](double begin_s, double end_s) {
      EnergyIntegral window(begin_s);
      window.end(end_s);
      for (std::size_t i = 0; i < samples.times_s.size(); ++i) {
        window.add(samples.times_s[i], samples.powers_w[i]);
      }
      EXPECT_EQ(window.sum().error_j, samples.energy(begin_s, end_s)->error_j);
      return window.until(end_s).error_j;
    };
    EXPECT_EQ(bound_j(1.1, 1.9), kUnknownBound);
    EXPECT_EQ(bound_j(1.1, 2.9), kUnknownBound);
    EXPECT_EQ(bound_j(1.1, 3.1), 0);
    EXPECT_EQ(bound_j(4.1, 5), kUnknownBound);
  }
  EXPECT_EQ(EnergyIntegral(0).until(1).error_j, kUnknownBound);
}

// Power is the same before and after an hour without samples. The trapezoid's own bound would be
// zero, although the power in between is unknown.
TEST(EnergyIntegral, AGapCountsTheWholeRangeAsError) {
  EnergyIntegral energy(EnergyIntegral::kNone, 1);
  for (int i = 0; i <= 100; ++i) energy.add(i * 0.1, i < 50 ? 5 : 25);
  const auto before = energy.sum();
  energy.add(10.0 + 3600, 25);
  EXPECT_NEAR(energy.sum().energy_j, before.energy_j + 3600 * 25, 1e-6);
  EXPECT_NEAR(energy.sum().error_j, before.error_j + 3600 * 20, 1e-6);
}

// Steps of a counter (RAPL): the integral equals the difference of the counter, however irregular
// the samples are.
TEST(EnergyIntegral, OfMeansIsTheCounterItself) {
  Random random(7);
  PowerTrace means{"package", true, {}, {}};
  double time_s = 100, counter_j = 0;
  for (int i = 0; i < 500; ++i) {
    const double step_s = random.uniform(0.01, 0.2), power_w = random.uniform(5, 50);
    if (i > 0) counter_j += power_w * step_s;
    time_s += step_s;
    means.times_s.push_back(time_s);
    means.powers_w.push_back(power_w);
  }
  EnergyIntegral energy;
  const PowerTrace steps = as_steps(means);
  for (std::size_t i = 0; i < steps.times_s.size(); ++i) {
    energy.add(steps.times_s[i], steps.powers_w[i]);
  }
  EXPECT_NEAR(energy.sum().energy_j, counter_j, 1e-9 * counter_j);
  expect_equal(energy.sum(),
               integrate_power(steps.times_s, steps.powers_w, means.times_s[0], time_s));
}

}  // namespace
}  // namespace ridgewatt::measure
