#include "ridgewatt/schedule/native_sharing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::schedule {
namespace {

Minibatch program(double time_s, double power_w, std::optional<double> busy_share,
                  double busy_cores = 0) {
  return {.batch = 1,
          .time_s = time_s,
          .power_w = power_w,
          .busy_share = busy_share,
          .busy_cores = busy_cores};
}
constexpr SharingForecastOptions kIdeal = {.idle_power_w = 5, .switching = 1};

TEST(NativeSharing, ProgramsThatFillTheDeviceHaveHalfOfItEach) {
  const auto both = forecast_sharing(program(0.02, 25, 1), program(0.05, 15, 1), kIdeal);
  EXPECT_TRUE(both.busy_known);
  EXPECT_DOUBLE_EQ(both.time_s[0].value, 0.04);
  EXPECT_DOUBLE_EQ(both.time_s[1].value, 0.10);
  EXPECT_DOUBLE_EQ(both.factor.value, 1);
  // The interval has no width.
  EXPECT_DOUBLE_EQ(both.time_s[0].lo, 0.04);
  EXPECT_DOUBLE_EQ(both.time_s[0].hi, 0.04);
  EXPECT_DOUBLE_EQ(both.factor.lo, 1);
  EXPECT_DOUBLE_EQ(both.power_w.value, 20);  // 5 + 20 / 2 + 10 / 2
  EXPECT_DOUBLE_EQ(both.turns_s, 0.07);
  EXPECT_DOUBLE_EQ(both.turns_power_w, (0.02 * 25 + 0.05 * 15) / 0.07);
}

TEST(NativeSharing, ProgramsThatNeverMeetLoseNothing) {
  const auto both = forecast_sharing(program(0.02, 25, 0), program(0.05, 15, 1), kIdeal);
  EXPECT_DOUBLE_EQ(both.time_s[0].value, 0.02);
  EXPECT_DOUBLE_EQ(both.time_s[1].value, 0.05);
  EXPECT_DOUBLE_EQ(both.factor.value, 0.5);
  EXPECT_DOUBLE_EQ(both.power_w.value, 35);  // static power once: 5 + 20 + 10, more than either
}

// Both programs together take 122.5 s instead of 2 x 58.5 s one after the other; each alone keeps
// the device 96 % busy (simulate.h).
TEST(NativeSharing, ThePublishedPairOfFullPrograms) {
  const auto both = forecast_sharing(program(58.5, 300, 0.96), program(58.5, 300, 0.96), {});
  EXPECT_NEAR(both.time_s[0].value, 122.5, 1e-9);
  EXPECT_NEAR(both.factor.value, 1.047, 0.0005);
}

// github.com/dusty-nv/jetson-inference, issue 962: 20 and 30 ms alone, 35 and 43 ms while sharing a
// Jetson Xavier. The report does not state how busy the programs keep the device.
TEST(NativeSharing, APublishedPairOnAJetsonIsWithinTheBounds) {
  const auto both = forecast_sharing(program(0.020, 20, {}), program(0.030, 20, {}), {});
  EXPECT_FALSE(both.busy_known);
  EXPECT_GE(0.035, both.time_s[0].lo);
  EXPECT_LE(0.035, both.time_s[0].hi);
  EXPECT_GE(0.043, both.time_s[1].lo);
  EXPECT_LE(0.043, both.time_s[1].hi);
  const double factor = 1 / (20.0 / 35 + 30.0 / 43);
  EXPECT_GE(factor, both.factor.lo);
  EXPECT_LE(factor, both.factor.hi);
  // Each program is assumed to keep the device busy: the estimate is the slowest time within the
  // bounds.
  EXPECT_DOUBLE_EQ(both.time_s[0].value, both.time_s[0].hi);
}

// Simulates two programs, event by event, that alternate between a private delay and a device that
// they share equally.
struct Bursts {
  std::function<double()> delay_s, work_s;
};
struct Played {
  double time_s[2] = {};  // of one cycle of each program
  double busy = 0;        // share of time in which the device is busy
};
Played play(const Bursts (&programs)[2], double until_s, double offset_s) {
  double delay_s[2], work_s[2] = {0, 0}, cycles[2] = {0, 0}, begun_s[2] = {0, 0}, last_s[2];
  delay_s[0] = programs[0].delay_s();
  delay_s[1] = programs[1].delay_s() + offset_s;
  double now_s = 0, busy_s = 0;
  while (now_s < until_s) {
    const bool on[2] = {delay_s[0] <= 0, delay_s[1] <= 0};
    const double speed = on[0] && on[1] ? 0.5 : 1;
    double step_s = 1e9;
    for (int i = 0; i < 2; ++i) step_s = std::min(step_s, on[i] ? work_s[i] / speed : delay_s[i]);
    now_s += step_s;
    if (on[0] || on[1]) busy_s += step_s;
    for (int i = 0; i < 2; ++i) {
      (on[i] ? work_s[i] : delay_s[i]) -= on[i] ? step_s * speed : step_s;
      if (!on[i] && delay_s[i] <= 1e-15) {
        delay_s[i] = 0;
        work_s[i] = programs[i].work_s();
      }
      if (on[i] && work_s[i] <= 1e-15) {
        if (cycles[i]++ == 0) begun_s[i] = now_s;
        last_s[i] = now_s;
        delay_s[i] = std::max(programs[i].delay_s(), 1e-12);
      }
    }
  }
  Played played;
  for (int i = 0; i < 2; ++i) played.time_s[i] = (last_s[i] - begun_s[i]) / (cycles[i] - 1);
  played.busy = busy_s / now_s;
  return played;
}

// For exponential stages, mean value analysis is exact.
TEST(NativeSharing, RandomStagesTakeWhatTheFormulaSays) {
  Random random(5);
  for (const auto& [g0, g1, t1] : {std::tuple(0.8, 0.5, 3.0), std::tuple(0.3, 0.9, 0.4)}) {
    const auto exponential = [&random](double mean) {
      return [&random, mean] { return -mean * std::log(1 - random.uniform()); };
    };
    const Bursts programs[2] = {{exponential(1 - g0), exponential(g0)},
                                {exponential(t1 * (1 - g1)), exponential(t1 * g1)}};
    const Played played = play(programs, 60000, 0);
    const auto both = forecast_sharing(program(1, 20, g0), program(t1, 20, g1), kIdeal);
    EXPECT_NEAR(played.time_s[0] / both.time_s[0].value, 1, 0.015) << g0;
    EXPECT_NEAR(played.time_s[1] / both.time_s[1].value, 1, 0.015) << g0;
  }
}

// Programs with random regularity: the bounds always hold, and the estimate is close.
TEST(NativeSharing, BoundsHoldForAnyPatternOfBursts) {
  Random random(11);
  std::vector<double> errors;
  for (int pair = 0; pair < 300; ++pair) {
    double t[2], g[2];
    Bursts programs[2];
    for (int i = 0; i < 2; ++i) {
      t[i] = std::exp(random.uniform(-1.5, 1.5));
      g[i] = random.uniform(0.05, 0.98);
      const double spread = random.uniform(0, 1);  // 0: perfectly regular
      const auto around = [&random, spread](double mean) {
        return [&random, mean, spread] { return mean * random.uniform(1 - spread, 1 + spread); };
      };
      programs[i] = {around(t[i] * (1 - g[i])), around(t[i] * g[i])};
    }
    const Played played = play(programs, 3000, random.uniform(0, 3));
    const auto both = forecast_sharing(program(t[0], 20, g[0]), program(t[1], 20, g[1]), kIdeal);
    double speeds = 0;
    for (int i = 0; i < 2; ++i) {
      EXPECT_GE(played.time_s[i], both.time_s[i].lo * 0.98) << pair;
      EXPECT_LE(played.time_s[i], both.time_s[i].hi * 1.02) << pair;
      errors.push_back(std::abs(both.time_s[i].value / played.time_s[i] - 1));
      speeds += t[i] / played.time_s[i];
    }
    EXPECT_GE(1 / speeds, both.factor.lo * 0.98) << pair;
    EXPECT_LE(1 / speeds, both.factor.hi * 1.02) << pair;
    EXPECT_LE(both.factor.lo, both.factor.value);
    EXPECT_LE(both.factor.value, both.factor.hi);
  }
  EXPECT_LT(median(errors), 0.04);
  std::sort(errors.begin(), errors.end());
  RecordProperty("median_percent", std::to_string(100 * median(errors)));
  RecordProperty("p95_percent", std::to_string(100 * errors[errors.size() * 95 / 100]));
  EXPECT_LT(errors[errors.size() * 95 / 100], 0.20);
}

TEST(NativeSharing, TooFewCoresSlowBoth) {
  const SharingForecastOptions one_core = {.cores = 1, .switching = 1};
  const auto both =
      forecast_sharing(program(0.02, 10, 0.1, 1), program(0.02, 10, 0.1, 1), one_core);
  EXPECT_DOUBLE_EQ(both.time_s[0].value, 0.04);
  EXPECT_LE(both.time_s[0].lo, 0.04);
  EXPECT_GE(both.time_s[0].hi, 0.04);
  const auto many = forecast_sharing(program(0.02, 10, 0.1, 1), program(0.02, 10, 0.1, 1), kIdeal);
  EXPECT_DOUBLE_EQ(many.time_s[0].value, 0.02 * 1.01);
}

TEST(NativeSharing, OfACandidateWithTwoPrograms) {
  Candidate candidate;
  candidate.idle_power_w = 5;
  candidate.inference = program(0.02, 25, 0.5);
  EXPECT_FALSE(forecast_sharing(candidate));
  candidate.background = Round::of(program(0.05, 15, 0.8));
  ASSERT_TRUE(forecast_sharing(candidate, 1));
  EXPECT_DOUBLE_EQ(forecast_sharing(candidate, 1)->time_s[0].value, 0.02 * 1.4);
  candidate.background->add(program(0.05, 15, 0.8), 0.75, 0);
  EXPECT_FALSE(forecast_sharing(candidate));
}

TEST(NativeSharing, WhatMeansNothingIsRefused) {
  const Minibatch good = program(0.02, 10, 0.5);
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THROW(forecast_sharing(program(bad, 10, 0.5), good, {}), UsageError);
    EXPECT_THROW(forecast_sharing(good, program(0.02, bad, 0.5), {}), UsageError);
  }
  for (const double bad : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(forecast_sharing(program(0.02, 10, bad), good, {}), UsageError);
  }
  EXPECT_THROW(forecast_sharing(good, good, {.switching = 0.9}), UsageError);
  EXPECT_THROW(forecast_sharing(good, good, {.idle_power_w = -1}), UsageError);
}

}  // namespace
}  // namespace ridgewatt::schedule
