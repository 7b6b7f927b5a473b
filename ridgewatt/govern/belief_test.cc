#include "ridgewatt/govern/belief.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt::govern {
namespace {

// Two modes of a board whose errors share half of their variance.
ModePrior two_modes() {
  ModePrior prior;
  prior.modelled = {{1, 10}, {2, 5}};
  for (auto& covariance : prior.covariance) {
    covariance = Eigen::MatrixXd::Constant(2, 2, 0.02);
    covariance.diagonal().array() += 0.02;
  }
  return prior;
}

// Computed by hand, without daily variation and with an exact measurement: the gain of the other
// mode is its correlation.
TEST(ModeBelief, OneModeTellsOfItsNeighbors) {
  ModeBelief belief(two_modes(), {.day_sd = 0, .window_sd = 0});
  EXPECT_DOUBLE_EQ(belief.now(1).time_s, 2);
  belief.learn(0, {1.1, 12}, 0, 0);
  EXPECT_NEAR(belief.now(0).time_s, 1.1, 1e-12);
  EXPECT_NEAR(belief.now(1).time_s, 2 * std::sqrt(1.1), 1e-12);
  EXPECT_NEAR(belief.now(1).power_w, 5 * std::sqrt(1.2), 1e-12);
  EXPECT_NEAR(belief.time_sd(0), 0, 1e-9);
  EXPECT_NEAR(belief.time_sd(1), std::sqrt(0.04 - 0.02 * 0.02 / 0.04), 1e-12);
  EXPECT_EQ(belief.seen(0), 1u);
}

// If a known mode suddenly becomes slower, all modes are assumed slower for now. The effect fades
// later.
TEST(ModeBelief, AJumpIsTheDays) {
  ModeBelief belief(two_modes());
  const auto show = [&](double time_s) {
    belief.pass(60);
    belief.learn(0, {time_s, 10}, 0.002, 0.002);
  };
  for (int i = 0; i < 30; ++i) show(1);
  const double before_s = belief.now(1).time_s;
  EXPECT_GT(belief.surprise(0, {1.2, 10}, 0.002, 0.002), 5);
  EXPECT_LT(belief.surprise(0, {1.0, 10}, 0.002, 0.002), 1);
  for (int i = 0; i < 3; ++i) show(1.2);
  EXPECT_NEAR(belief.now(0).time_s, 1.2, 0.01);
  EXPECT_NEAR(belief.now(1).time_s / before_s, 1.2, 0.03);
  for (int i = 0; i < 3; ++i) show(1);
  EXPECT_NEAR(belief.now(1).time_s / before_s, 1, 0.02);
  EXPECT_LT(belief.later(0, 1e9).time_s, 1.03);
}

TEST(ModeBelief, WhatMeansNothingIsRefusedOrPassedOver) {
  EXPECT_THROW(ModeBelief(ModePrior{
                   {{1, 0}}, {Eigen::MatrixXd::Identity(1, 1), Eigen::MatrixXd::Identity(1, 1)}}),
               UsageError);
  EXPECT_THROW(ModeBelief(ModePrior{{{1, 1}}, {}}), UsageError);
  ModeBelief belief(two_modes());
  belief.learn(0, {std::nan(""), 0}, 0.01, 0.01);
  EXPECT_DOUBLE_EQ(belief.now(0).time_s, 1);
  EXPECT_DOUBLE_EQ(belief.now(0).power_w, 10);
}

}  // namespace
}  // namespace ridgewatt::govern
