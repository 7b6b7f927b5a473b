#include "ridgewatt/roofline/energy_roofline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::roofline {
namespace {

double log_uniform(Random& random, double low, double high) {
  return std::exp(random.uniform(std::log(low), std::log(high)));
}

// A random device, from a microcontroller to an accelerator.
EnergyRoofline random_roofline(Random& random) {
  EnergyRoofline r;
  r.peak_flop_per_s = log_uniform(random, 1e9, 1e15);
  r.bandwidth_bytes_per_s = log_uniform(random, 1e8, 1e13);
  r.energy_per_flop_j = log_uniform(random, 1e-14, 1e-9);
  r.energy_per_byte_j = log_uniform(random, 1e-13, 1e-8);
  r.static_power_w = random.uniform() < 0.1 ? 0 : log_uniform(random, 1e-1, 1e3);
  r.validate();
  return r;
}

void expect_close(double a, double b) {
  EXPECT_LE(std::abs(a - b), 1e-9 * std::abs(b)) << a;
}

TEST(EnergyRoofline, IdentitiesHoldOnRandomParameters) {
  Random random(1);
  for (int trial = 0; trial < 10000; ++trial) {
    const EnergyRoofline r = random_roofline(random);
    const double intensity = r.time_balance() * log_uniform(random, 1e-3, 1e3);
    const double flop = log_uniform(random, 1e3, 1e12);
    const double bytes = flop / intensity;
    const double eta = r.dynamic_fraction();
    // Power is energy divided by time, and depends only on the intensity.
    expect_close(r.energy_j(flop, bytes), r.power_at_w(intensity) * r.time_s(flop, bytes));
    expect_close(r.attainable_flop_per_s(intensity),
                 std::min(r.peak_flop_per_s, intensity * r.bandwidth_bytes_per_s));
    // Both forms of the arch line (Choi et al. 2013, eq. 6).
    expect_close(r.attainable_flop_per_j(intensity),
                 r.peak_flop_per_j() / (1 + r.effective_balance(intensity) / intensity));
    expect_close(r.energy_j(flop, bytes), flop * r.energy_per_flop_with_static_j() *
                                              (1 + r.effective_balance(intensity) / intensity));
    // At the energy balance point, the efficiency is half of the peak by definition.
    const double half = r.half_peak_intensity();
    expect_close(r.attainable_flop_per_j(half), r.peak_flop_per_j() / 2);
    expect_close(r.effective_balance(half), half);
    EXPECT_EQ(half > r.time_balance(), r.race_to_halt_ratio() > 1);
    EXPECT_EQ(r.race_to_halt(), eta * r.energy_balance_dynamic() <= r.time_balance() * (1 + 1e-15));
    // The maximum of the power line is at the time balance point; its limits are those of the
    // roofs.
    expect_close(r.power_at_w(r.time_balance()),
                 r.static_power_w + r.flop_power_w() + r.byte_power_w());
    EXPECT_LE(r.power_at_w(intensity), r.max_power_w() * (1 + 1e-9));
    const double high = 1e12 * (r.time_balance() + r.energy_balance_dynamic());
    const double low = 1e-12 * std::min(r.time_balance(), r.energy_balance_dynamic());
    expect_close(r.power_at_w(high), r.static_power_w + r.flop_power_w());
    expect_close(r.power_at_w(low), r.static_power_w + r.byte_power_w());
    // P = (pi_f / eta) (min(I, B) / B + B^ / max(I, B)) (Choi et al. 2013, eq. 7).
    const double balance = r.time_balance();
    expect_close(r.power_at_w(intensity),
                 r.flop_power_w() / eta *
                     (std::min(intensity, balance) / balance +
                      r.effective_balance(intensity) / std::max(intensity, balance)));
  }
}

TEST(EnergyRoofline, CapIdentitiesHoldOnRandomParameters) {
  Random random(2);
  for (int trial = 0; trial < 10000; ++trial) {
    EnergyRoofline r = random_roofline(random);
    const EnergyRoofline free = r;
    r.power_cap_w =
        r.static_power_w + (r.flop_power_w() + r.byte_power_w()) * random.uniform(0.01, 1.5);
    const double intensity = r.time_balance() * log_uniform(random, 1e-3, 1e3);
    EXPECT_LE(r.power_at_w(intensity), r.power_cap_w * (1 + 1e-9));
    EXPECT_GE(r.time_s(intensity, 1), free.time_s(intensity, 1));
    const double from = r.cap_from_intensity();
    const double to = r.cap_to_intensity();
    EXPECT_LE(from, r.time_balance());
    EXPECT_GE(to, r.time_balance());
    const bool capped = intensity > from * (1 + 1e-9) && intensity < to * (1 - 1e-9);
    const bool outside = intensity < from * (1 - 1e-9) || intensity > to * (1 + 1e-9);
    if (capped) expect_close(r.power_at_w(intensity), r.power_cap_w);
    if (outside) expect_close(r.time_s(intensity, 1), free.time_s(intensity, 1));
    // At either end of its range, the cap equals the power of the uncapped machine.
    if (from > 0 && from < r.time_balance()) expect_close(free.power_at_w(from), r.power_cap_w);
    if (std::isfinite(to) && to > r.time_balance()) {
      expect_close(free.power_at_w(to), r.power_cap_w);
    }
  }
}

// A machine with round numbers: tau_f = 1 s/FLOP, tau_m = 4 s/B, eps_f = 1 J/FLOP, eps_m = 6 J/B,
// pi0 = 1 W. Computed by hand: B_tau = 4, B_eps = 6, eps^ = 2, eta = 1/2, eta B_eps = 3 <= 4, so I*
// = (3 + 0.5 x 4) / 1.5 = 10/3.
TEST(EnergyRoofline, HandComputedCaseWithStaticPower) {
  const EnergyRoofline r{1, 0.25, 1, 6, 1};
  EXPECT_DOUBLE_EQ(r.time_balance(), 4);
  EXPECT_DOUBLE_EQ(r.energy_balance_dynamic(), 6);
  EXPECT_DOUBLE_EQ(r.energy_per_flop_with_static_j(), 2);
  EXPECT_DOUBLE_EQ(r.dynamic_fraction(), 0.5);
  EXPECT_DOUBLE_EQ(r.half_peak_intensity(), 10.0 / 3);
  EXPECT_TRUE(r.race_to_halt());
  EXPECT_DOUBLE_EQ(r.race_to_halt_ratio(), 0.75);
  EXPECT_DOUBLE_EQ(r.effective_balance(2), 4);  // 3 + 0.5 (4 - 2)
  EXPECT_DOUBLE_EQ(r.effective_balance(10), 3);
  EXPECT_DOUBLE_EQ(r.time_s(8, 1), 8);     // compute bound
  EXPECT_DOUBLE_EQ(r.energy_j(8, 1), 22);  // 8 + 6 + 8
  EXPECT_DOUBLE_EQ(r.power_w(8, 1), 2.75);
  EXPECT_DOUBLE_EQ(r.time_s(2, 1), 4);     // memory bound
  EXPECT_DOUBLE_EQ(r.energy_j(2, 1), 12);  // 2 + 6 + 4
  EXPECT_DOUBLE_EQ(r.max_power_w(), 3.5);  // 1 + 1 + 1.5
}

// Without static power (pi0 = 0): eta = 1, the arch line is smooth and I* = B_eps.
TEST(EnergyRoofline, HandComputedCaseWithoutStaticPower) {
  const EnergyRoofline r{10, 2, 3, 60, 0};
  EXPECT_DOUBLE_EQ(r.dynamic_fraction(), 1);
  EXPECT_DOUBLE_EQ(r.half_peak_intensity(), 20);
  EXPECT_FALSE(r.race_to_halt());  // B_eps = 20 > B_tau = 5
  EXPECT_DOUBLE_EQ(r.attainable_flop_per_j(20), 1.0 / 6);
}

// NVIDIA GTX 580, single precision, with the constants fitted by Choi et al. 2013 (table IV): peaks
// of 1.58 TFLOP/s and 192 GB/s, 99.7 pJ per FLOP, 513 pJ per byte, 122 W. Computed by hand: B_tau =
// 8.2292, B_eps = 5.1454, eps^ = 99.7 + 77.215 = 176.92 pJ, eta = 0.56354.
TEST(EnergyRoofline, HandComputedGtx580) {
  const EnergyRoofline r{1.58e12, 192e9, 99.7e-12, 513e-12, 122};
  EXPECT_NEAR(r.time_balance(), 8.2292, 1e-4);
  EXPECT_NEAR(r.energy_balance_dynamic(), 5.1454, 1e-4);
  EXPECT_NEAR(r.dynamic_fraction(), 0.56354, 1e-5);
  EXPECT_TRUE(r.race_to_halt());
  EXPECT_NEAR(r.half_peak_intensity(), (2.89965 + 0.43646 * 8.22917) / 1.43646, 1e-3);
  EXPECT_NEAR(r.max_power_w(), 122 + 157.526 + 98.496, 1e-2);
  EXPECT_GT(r.max_power_w(), 244);  // above the board's rating, so Choi et al. 2014 add the cap
}

TEST(EnergyRoofline, HandComputedCap) {
  // pi_f = 1 W, pi_m = 1.5 W, headroom 2 W: the cap applies from 4 x 0.5 / 1 = 2 to 4 x 1.5 / 1 =
  // 6.
  const EnergyRoofline r{1, 0.25, 1, 6, 1, 3};
  EXPECT_DOUBLE_EQ(r.cap_from_intensity(), 2);
  EXPECT_DOUBLE_EQ(r.cap_to_intensity(), 6);
  EXPECT_DOUBLE_EQ(r.time_s(4, 1), 5);  // (4 + 6) / 2 instead of 4
  EXPECT_DOUBLE_EQ(r.power_w(4, 1), 3);
}

TEST(EnergyRoofline, BadParametersAreNamed) {
  EnergyRoofline r{1, 1, 1, 1, 1};
  r.peak_flop_per_s = std::nan("");
  EXPECT_THROW(r.validate(), UsageError);
  r.peak_flop_per_s = 1;
  r.power_cap_w = 0.5;
  EXPECT_THROW(r.validate(), UsageError);
}

TEST(HierarchicalRoofline, TheSlowestLevelDecidesAndEnergiesAdd) {
  const HierarchicalRoofline r{100, 1, 2, {{"DRAM", 10, 5}, {"L2", 40, 3}}};
  EXPECT_DOUBLE_EQ(r.time_s(100, {20, 40}), 2);
  EXPECT_EQ(r.bound(100, {20, 40}), 0U);
  EXPECT_EQ(r.bound(100, {20, 400}), 1U);
  EXPECT_EQ(r.bound(1000, {20, 40}), 2U);
  EXPECT_DOUBLE_EQ(r.energy_j(100, {20, 40}), 100 + 100 + 120 + 4);
  EXPECT_THROW(r.time_s(1, {1}), UsageError);
}

TEST(HierarchicalRoofline, OneLevelIsTheFlatRoofline) {
  Random random(3);
  for (int trial = 0; trial < 10000; ++trial) {
    const EnergyRoofline flat = random_roofline(random);
    const HierarchicalRoofline r{flat.peak_flop_per_s,
                                 flat.energy_per_flop_j,
                                 flat.static_power_w,
                                 {{"DRAM", flat.bandwidth_bytes_per_s, flat.energy_per_byte_j}}};
    const double flop = log_uniform(random, 1, 1e6);
    const double bytes = log_uniform(random, 1, 1e6);
    expect_close(r.time_s(flop, {bytes}), flat.time_s(flop, bytes));
    expect_close(r.energy_j(flop, {bytes}), flat.energy_j(flop, bytes));
  }
}

}  // namespace
}  // namespace ridgewatt::roofline
