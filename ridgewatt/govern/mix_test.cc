#include "ridgewatt/govern/mix.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::govern {
namespace {

// Computed by hand: idle (0, 2), a (4, 10), b (6, 20), c (8, 22). b is above the line from a to c:
// at 6 per second, half a and half c draw 16 W, but b draws 20 W.
const std::vector<RatePower> kOptions = {{0, 2}, {4, 10}, {6, 20}, {8, 22}};

TEST(RateHull, TwoModesBeatTheOneBetweenThem) {
  const RateHull hull(kOptions);
  EXPECT_EQ(hull.corners(), (std::vector<std::size_t>{0, 1, 3}));
  const auto mix = hull.at_rate(6);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->low, 1u);
  EXPECT_EQ(mix->high, 3u);
  EXPECT_DOUBLE_EQ(mix->high_share, 0.5);
  EXPECT_DOUBLE_EQ(mix->power_w, 16);
  const auto reverse = hull.at_power(16);
  ASSERT_TRUE(reverse);
  EXPECT_DOUBLE_EQ(reverse->rate_hz, 6);
}

TEST(RateHull, SlowWorkIsMixedWithIdle) {
  const auto mix = RateHull(kOptions).at_rate(2);
  ASSERT_TRUE(mix);
  EXPECT_EQ(mix->low, 0u);
  EXPECT_EQ(mix->high, 1u);
  EXPECT_DOUBLE_EQ(mix->power_w, 6);
}

TEST(RateHull, WhatCannotBeReachedIsSaid) {
  const RateHull hull(kOptions);
  EXPECT_FALSE(hull.at_rate(8.1));
  EXPECT_TRUE(hull.at_rate(8));
  EXPECT_FALSE(hull.at_power(1.9));
  EXPECT_DOUBLE_EQ(hull.at_power(100)->rate_hz, 8);
  EXPECT_THROW(RateHull(std::vector<RatePower>{}), UsageError);
  EXPECT_THROW(RateHull(std::vector<RatePower>{{1, -1}}), UsageError);
}

// A slow mode that draws more power than a fast mode is never used.
TEST(RateHull, SlowAndHungryModesAreLeftOut) {
  const RateHull hull(std::vector<RatePower>{{1, 9}, {3, 5}, {5, 11}});
  EXPECT_EQ(hull.corners(), (std::vector<std::size_t>{1, 2}));
  EXPECT_DOUBLE_EQ(hull.at_rate(0.5)->power_w, 5);
}

// No mix of two options draws less power at the same rate.
TEST(RateHull, NoPairIsBetter) {
  Random random(3);
  for (int draw = 0; draw < 50; ++draw) {
    std::vector<RatePower> options;
    for (int i = 0; i < 12; ++i) options.push_back({random.uniform(0, 10), random.uniform(1, 40)});
    const RateHull hull(options);
    const double rate = random.uniform(0, hull.highest_rate_hz());
    const double best = hull.at_rate(rate)->power_w;
    for (const auto& a : options) {
      for (const auto& b : options) {
        if (!(a.rate_hz <= rate && rate <= b.rate_hz) || a.rate_hz == b.rate_hz) continue;
        const double share = (rate - a.rate_hz) / (b.rate_hz - a.rate_hz);
        EXPECT_GE(a.power_w + share * (b.power_w - a.power_w), best - 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace ridgewatt::govern
