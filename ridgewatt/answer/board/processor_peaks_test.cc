// Tests the numbers of threads at which peaks are measured, and the interpolation between them.
#include "ridgewatt/answer/board/processor_peaks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ridgewatt::answer {
namespace {

using ::testing::ElementsAre;

// Six counts from 1 to 32, each twice the one before.
TEST(ProcessorPeaks, MeasuredThreadCountsHaveEqualRatios) {
  EXPECT_THAT(measured_threads(1), ElementsAre(1));
  EXPECT_THAT(measured_threads(2), ElementsAre(1, 2));
  EXPECT_THAT(measured_threads(4), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(measured_threads(32), ElementsAre(1, 2, 4, 8, 16, 32));
}

TEST(ProcessorPeaks, RatesBetweenThemAreInterpolated) {
  const auto rates = all_rates({1, 3}, {{10, 4, 40, 0.2}, {30, 8, 100, 0.4}});
  ASSERT_EQ(rates.size(), 3U);
  EXPECT_DOUBLE_EQ(rates[0].flop_per_s, 10);
  EXPECT_DOUBLE_EQ(rates[1].flop_per_s, 20);
  EXPECT_DOUBLE_EQ(rates[1].memory_bytes_per_s, 6);
  EXPECT_DOUBLE_EQ(rates[1].cache_bytes_per_s, 70);
  EXPECT_DOUBLE_EQ(rates[1].memory_log_sd, 0.3);
  EXPECT_DOUBLE_EQ(rates[2].memory_bytes_per_s, 8);
}

}  // namespace
}  // namespace ridgewatt::answer
