#include "ridgewatt/schedule/live_mode.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/schedule/schedule_fixture.h"

namespace ridgewatt::schedule {
namespace {

// A sweep written by hand: two modes with batches of 1 and 4.
Sweep hand_sweep(const std::string& kind, std::vector<std::vector<double>> rows) {
  Sweep sweep{kind + ".csv", kind, kind, {}, {}};
  const KnobSpace space = testing::small_space();
  for (const auto& row : rows) {  // mode, batch, time, power
    Observation one;
    one.point = {space[static_cast<std::size_t>(row[0])], static_cast<int>(row[1])};
    one.time_s = row[2];
    one.power_w = row[3];
    sweep.observations.push_back(one);
    sweep.lines.push_back(sweep.lines.size() + 2);
  }
  return sweep;
}

TEST(LiveModes, KeepWhatTheBudgetAllows) {
  const std::vector<Sweep> inference = {
      hand_sweep("inference",
                 {{0, 4, 0.2, 12}, {0, 1, 0.1, 10}, {1, 1, 0.05, 20}, {1, 4, 0.1, 26}}),
      hand_sweep("inference", {{0, 1, 0.3, 9}, {1, 1, 0.2, 18}, {2, 1, 0.1, 5}})};
  const std::vector<Sweep> training = {
      hand_sweep("training", {{0, 16, 0.5, 15}, {1, 16, 0.25, 30}, {2, 16, 0.1, 9}})};
  const auto modes = live_modes(inference, training, 25);
  ASSERT_EQ(modes.size(), 2u);  // some sweeps lack the third mode
  EXPECT_EQ(modes[0].batches[0].size(), 2u);
  EXPECT_EQ(modes[0].batches[0][0].batch, 1);  // in ascending order
  EXPECT_TRUE(modes[0].training);
  EXPECT_EQ(modes[1].batches[0].size(), 1u);  // 26 W exceed the limit
  EXPECT_FALSE(modes[1].training);            // so do 30 W
  EXPECT_EQ(modes[0].padded(0, 2).batch, 4);
  EXPECT_EQ(modes[0].padded(0, 9).batch, 4);
  EXPECT_EQ(live_modes(inference, training, 15).size(), 1u);
  EXPECT_THROW(live_modes(inference, training, 8), NoSolutionError);
}

TEST(LiveModes, WhatDoesNotFitIsSaid) {
  const Sweep first = hand_sweep("inference", {{0, 1, 0.1, 10}});
  const Sweep other = hand_sweep("training", {{1, 16, 0.1, 10}});
  EXPECT_THROW(live_modes({}, std::span(&other, 1), 30), UsageError);
  EXPECT_THROW(live_modes(std::span(&first, 1), std::span(&other, 1), 30), InputError);
  const Sweep no_batch = hand_sweep("inference", {{0, 0, 0.1, 10}});
  EXPECT_THROW(live_modes(std::span(&no_batch, 1), {}, 30), InputError);
}

}  // namespace
}  // namespace ridgewatt::schedule
