#include "ridgewatt/sweep/replay.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"

namespace ridgewatt {
namespace {

Sweep two_rows() {
  return {"s.csv",
          "w",
          "training",
          {{{{4, 1e9, 1e9, 1e9, ""}, 16}, 0.1, 10}, {{{4, 1e9, 2e9, 1e9, ""}, 16}, 0.05, 20}},
          {2, 3}};
}

TEST(Replay, AnswersWithTheRowAndSaysSo) {
  ReplayProfiler replay(two_rows());
  EXPECT_EQ(replay.provenance(), Provenance::kReplayed);
  const Observation seen = replay.profile({{4, 1e9, 2e9, 1e9, ""}, 16});
  EXPECT_EQ(seen.time_s, 0.05);
  EXPECT_EQ(seen.power_w, 20);
  EXPECT_THROW(replay.profile({{4, 1e9, 3e9, 1e9, ""}, 16}), NotFoundError);
  EXPECT_THROW(replay.profile({{4, 1e9, 2e9, 1e9, ""}, 8}), NotFoundError);
}

TEST(Replay, NoiseHasTheSpreadThatWasAskedForAndFollowsTheSeed) {
  const ReplayProfiler exact(two_rows());
  auto noisy = exact.with_noise({0.05, 0, 7});
  auto again = exact.with_noise({0.05, 0, 7});
  const OperatingPoint point{{4, 1e9, 1e9, 1e9, ""}, 16};
  double sum = 0, squares = 0;
  constexpr int kCount = 4000;
  for (int i = 0; i < kCount; ++i) {
    const Observation seen = noisy.profile(point);
    EXPECT_EQ(seen.time_s, again.profile(point).time_s);
    const double z = std::log(seen.time_s / 0.1);
    sum += z;
    squares += z * z;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.004);
  EXPECT_NEAR(std::sqrt(squares / kCount), 0.05, 0.003);
}

TEST(Replay, OutliersAreAsFrequentAsAskedFor) {
  auto noisy = ReplayProfiler(two_rows()).with_noise({0, 0.02, 3});
  int outliers = 0;
  constexpr int kCount = 10000;
  for (int i = 0; i < kCount; ++i) {
    outliers += noisy.profile({{4, 1e9, 1e9, 1e9, ""}, 16}).time_s != 0.1;
  }
  EXPECT_NEAR(outliers, 200, 60);
}

}  // namespace
}  // namespace ridgewatt
