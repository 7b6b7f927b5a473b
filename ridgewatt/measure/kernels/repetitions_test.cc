#include "ridgewatt/measure/kernels/repetitions.h"

#include <gtest/gtest.h>

namespace ridgewatt::measure {
namespace {

TEST(Repetitions, TheSpreadComparesTheFastestOfBothHalves) {
  EXPECT_DOUBLE_EQ(spread_of({4, 2, 9, 2.5, 3, 8}), 0.25);
  EXPECT_DOUBLE_EQ(spread_of({4, 2.5, 9, 2, 3, 8}), 0.25);  // whichever half is faster
  EXPECT_DOUBLE_EQ(spread_of({7, 2, 2}), 2.5);              // three values split into one and two
  EXPECT_DOUBLE_EQ(spread_of({1, 5, 1, 5}), 0);
}

TEST(Repetitions, APointLastsItsTimeAndAtLeastThreeRepetitions) {
  MicrobenchOptions options;
  options.seconds_per_point = 0.5;
  EXPECT_FALSE(enough_repetitions({1, 1}, 2, options));
  EXPECT_TRUE(enough_repetitions({1, 1, 1}, 3, options));
  EXPECT_FALSE(enough_repetitions(std::vector<double>(100, 0.004), 0.4, options));
  EXPECT_TRUE(enough_repetitions(std::vector<double>(125, 0.004), 0.5, options));
}

TEST(Repetitions, ASteadyPointEndsBeforeItsTime) {
  MicrobenchOptions options;
  options.seconds_per_point = 60;
  options.until_steady = true;
  const std::vector<double> steady = {5, 4, 4.02, 6, 4.01, 4.5};  // the two best differ by 0.25 %
  EXPECT_TRUE(enough_repetitions(steady, 27, options));
  EXPECT_FALSE(enough_repetitions(steady, 0.1, options));  // clocks may still change
  EXPECT_FALSE(enough_repetitions({4, 4, 4, 4, 4}, 20, options));
  EXPECT_FALSE(enough_repetitions({5, 4, 6, 6, 4.1, 4.5}, 30, options));  // 2.5 % apart
  EXPECT_TRUE(enough_repetitions({5, 4, 6, 6, 4.1, 4.5}, 60, options));
}

}  // namespace
}  // namespace ridgewatt::measure
