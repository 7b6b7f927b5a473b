// Compares the closed forms with independent integration and with heat balances.
#include "ridgewatt/thermal/thermal_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/thermal/random_board.h"

namespace ridgewatt::thermal {
namespace {

// Integrates the differential equations of the header with the classic Runge-Kutta method.
ThermalState integrated(const ThermalModel& m, const HeatFlow& flow, ThermalState at,
                        double time_s) {
  const int steps = 20000;
  const double h = time_s / steps;
  const auto slope = [&](double j, double s) {
    const double p = flow.power_w * (1 + m.leakage_per_k * (j - 50));
    const double g = m.still_w_per_k + m.fan_w_per_k * std::pow(flow.fan, 0.8);
    return std::pair{
        (p - (j - s) / m.junction_sink_k_per_w) / m.junction_j_per_k,
        ((j - s) / m.junction_sink_k_per_w - g * (s - flow.ambient_celsius)) / m.sink_j_per_k};
  };
  for (int i = 0; i < steps; ++i) {
    const double j = at.junction_celsius, s = at.sink_celsius;
    const auto [a1, a2] = slope(j, s);
    const auto [b1, b2] = slope(j + h / 2 * a1, s + h / 2 * a2);
    const auto [c1, c2] = slope(j + h / 2 * b1, s + h / 2 * b2);
    const auto [d1, d2] = slope(j + h * c1, s + h * c2);
    at = {j + h / 6 * (a1 + 2 * b1 + 2 * c1 + d1), s + h / 6 * (a2 + 2 * b2 + 2 * c2 + d2)};
  }
  return at;
}

TEST(ThermalSystem, StepsAreExact) {
  Random random(1);
  for (int board = 0; board < 20; ++board) {
    const ThermalModel model = random_thermal_model(random, 60, 0.3);
    const HeatFlow flow{random.uniform(5, 60), random.uniform(0, 40), random.uniform()};
    const ThermalState from{random.uniform(20, 90), random.uniform(20, 60)};
    const double time_s = random.uniform(1, 200);
    const ThermalSystem system(model, flow);
    const ThermalState exact = system.after(from, time_s);
    const ThermalState reference = integrated(model, flow, from, time_s);
    EXPECT_NEAR(exact.junction_celsius, reference.junction_celsius, 1e-6);
    EXPECT_NEAR(exact.sink_celsius, reference.sink_celsius, 1e-6);
    const ThermalState half = system.after(from, time_s / 3);
    const ThermalState twice = system.after(half, time_s * 2 / 3);
    EXPECT_NEAR(twice.junction_celsius, exact.junction_celsius, 1e-9);
    EXPECT_NEAR(system.after(from, 0).sink_celsius, from.sink_celsius, 1e-12);
  }
}

// A chip without resistance and mass: C dT/dt = P - G (T - T_a), T = T_a + P/G (1 - exp(-t G/C)).
TEST(ThermalSystem, IsOneExponentialForABareHeatSink) {
  const ThermalModel model{1e-4, 1e-3, 500, 0.5, 0, 0};
  const ThermalSystem system(model, {20, 25, 0});
  for (const double time_s : {10.0, 300.0, 1000.0, 5000.0}) {
    EXPECT_NEAR(system.after({25, 25}, time_s).sink_celsius,
                25 + 40 * (1 - std::exp(-time_s * 0.5 / 500)), 1e-3);
  }
  EXPECT_NEAR(*system.time_until({25, 25}, 25 + 20), 1000 * std::log(2), 1);
}

TEST(ThermalSystem, EndsWhereHeatBalances) {
  Random random(2);
  for (int board = 0; board < 100; ++board) {
    const ThermalModel model = random_thermal_model(random, 30, 0.5);
    const HeatFlow flow{random.uniform(1, 30), random.uniform(-10, 45), random.uniform()};
    const auto steady = ThermalSystem(model, flow).steady();
    ASSERT_TRUE(steady);
    const double heat_w = flow.power_w * leakage_factor(model, steady->junction_celsius);
    EXPECT_NEAR((steady->sink_celsius - flow.ambient_celsius) * model.sink_w_per_k(flow.fan),
                heat_w, 1e-9 * heat_w + 1e-9);
    EXPECT_NEAR((steady->junction_celsius - steady->sink_celsius) / model.junction_sink_k_per_w,
                heat_w, 1e-9 * heat_w + 1e-9);
    const ThermalState late = ThermalSystem(model, flow).after({20, 20}, 1e6);
    EXPECT_NEAR(late.junction_celsius, steady->junction_celsius, 1e-6);
    // The sustained power at this temperature equals this power.
    EXPECT_NEAR(sustained_power_w(model, steady->junction_celsius, flow.ambient_celsius, flow.fan),
                flow.power_w, 1e-9 * flow.power_w);
  }
}

TEST(ThermalSystem, FindsTheFirstCrossing) {
  Random random(3);
  int crossed = 0, never = 0;
  for (int board = 0; board < 300; ++board) {
    const ThermalModel model = random_thermal_model(random, 60, 0.3);
    const ThermalSystem system(model, {random.uniform(5, 80), 25, 0.3});
    const ThermalState from{random.uniform(20, 80), random.uniform(20, 80)};
    const double celsius = random.uniform(40, 95);
    const auto time_s = system.time_until(from, celsius);
    // Checked by evaluation: before the crossing it is colder, at the crossing as warm, and without
    // a crossing always colder.
    const double until_s = time_s.value_or(20000);
    for (int i = 1; i < 400; ++i) {
      const double share = i / 400.0;
      if (from.junction_celsius >= celsius) break;
      ASSERT_LT(system.after(from, share * share * until_s).junction_celsius, celsius + 1e-9);
    }
    if (time_s && *time_s > 0) {
      EXPECT_NEAR(system.after(from, *time_s).junction_celsius, celsius, 1e-6);
      ++crossed;
    }
    never += time_s ? 0 : 1;
  }
  EXPECT_GT(crossed, 30);
  EXPECT_GT(never, 30);
}

// A warm chip on a hot sink briefly warms up before both cool down. A crossing while it warms up
// counts.
TEST(ThermalSystem, SeesAPeakThatPasses) {
  const ThermalModel model{0.5, 10, 300, 1, 0, 0};
  const ThermalSystem system(model, {10, 25, 0});
  const ThermalState from{40, 60};
  const auto first = system.time_until(from, 55);
  ASSERT_TRUE(first);
  EXPECT_LT(*first, 20);
  EXPECT_LT(system.steady()->junction_celsius, 55);
  EXPECT_FALSE(system.time_until(from, 70));
}

TEST(ThermalSystem, RunsAwayWhereLeakageOutgrowsCooling) {
  // 60 W x 2 % per K is 1.2 W/K of leakage, but cooling removes only 0.5 W/K.
  const ThermalModel model{0.2, 10, 300, 0.5, 0, 0.02};
  const ThermalSystem system(model, {60, 25, 0});
  EXPECT_FALSE(system.steady());
  EXPECT_TRUE(std::isinf(system.slow_s()));
  const auto time_s = system.time_until({60, 60}, 95);
  ASSERT_TRUE(time_s);
  EXPECT_NEAR(system.after({60, 60}, *time_s).junction_celsius, 95, 1e-6);
}

TEST(ThermalModel, RefusesWhatNoBoardIs) {
  EXPECT_NO_THROW(ThermalModel().check());
  EXPECT_THROW((ThermalModel{0, 10, 300, 0.3, 0.7, 0}).check(), UsageError);
  EXPECT_THROW((ThermalModel{0.5, 10, 300, 0.3, 0.7, NAN}).check(), UsageError);
  EXPECT_THROW((ThermalModel{0.5, 10, -1, 0.3, 0.7, 0}).check(), UsageError);
}

// The clock steps down at the trip temperature, up below it by the hysteresis, and stays in
// between; at most one step per second.
TEST(Throttle, StepsWithHysteresis) {
  Throttle throttle({.trip_celsius = 90, .hysteresis_k = 3, .power_limit_w = {}, .most_steps = 4});
  for (int i = 0; i < 3; ++i) throttle.look(91, 50, 1);
  EXPECT_EQ(throttle.steps(), 3);
  for (int i = 0; i < 10; ++i) throttle.look(88, 50, 1);
  EXPECT_EQ(throttle.steps(), 3);
  throttle.look(86, 50, 2);
  EXPECT_EQ(throttle.steps(), 1);
  throttle.look(95, 50, 100);
  EXPECT_EQ(throttle.steps(), 4);
  EXPECT_EQ(throttle.over_current_events(), 0);
}

TEST(Throttle, CountsOverCurrent) {
  Throttle throttle({.trip_celsius = {}, .power_limit_w = 40});
  for (int i = 0; i < 5; ++i) throttle.look(50, 39, 1);
  EXPECT_EQ(throttle.over_current_events(), 0);
  throttle.look(50, 41, 2);
  EXPECT_EQ(throttle.over_current_events(), 2);
  EXPECT_EQ(throttle.current_steps(), 2);
  throttle.look(50, 38, 5);  // within 10 % of the limit: stays down
  EXPECT_EQ(throttle.steps(), 2);
  throttle.look(50, 30, 2);
  EXPECT_EQ(throttle.steps(), 0);
}

}  // namespace
}  // namespace ridgewatt::thermal
