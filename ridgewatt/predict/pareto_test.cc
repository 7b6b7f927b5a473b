#include "ridgewatt/predict/pareto.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"

namespace ridgewatt::predict {
namespace {

using Indices = std::vector<std::size_t>;

TEST(Pareto, SmallCasesByHand) {
  EXPECT_EQ(pareto_front({}, {}), Indices{});
  const std::vector<double> time = {3, 1, 2, 2, 1, 4}, power = {1, 5, 2, 3, 5, 0.5};
  EXPECT_EQ(pareto_front(time, power), (Indices{1, 2, 0, 5}));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(pareto_front(std::vector<double>{nan, 1, INFINITY}, std::vector<double>{0, 1, 0}),
            Indices{1});
  EXPECT_THROW(pareto_front(time, {}), UsageError);
}

TEST(Pareto, NothingOnTheFrontIsBeatenAndEverythingElseIs) {
  Random random(3);
  std::vector<double> a(400), b(400);
  for (auto& value : a) value = std::floor(30 * random.uniform());
  for (auto& value : b) value = std::floor(30 * random.uniform());
  const auto front = pareto_front(a, b);
  std::vector<bool> on_front(a.size(), false);
  for (const auto index : front) on_front[index] = true;
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool beaten = false;
    for (std::size_t j = 0; j < a.size(); ++j) {
      const bool no_worse = a[j] <= a[i] && b[j] <= b[i];
      const bool better = a[j] < a[i] || b[j] < b[i];
      const bool earlier_twin = a[j] == a[i] && b[j] == b[i] && j < i;
      beaten = beaten || (no_worse && better) || earlier_twin;
    }
    EXPECT_EQ(on_front[i], !beaten) << i;
  }
}

// Two points are better than (4, 4); of these, (2, 3) has the smaller product. A point that is
// equal in one cost is not better.
TEST(Pareto, DominanceIsBeingBeatenInBoth) {
  const std::vector<double> time = {4, 3, 2, 4, 1, 5}, power = {4, 3.5, 3, 1, 7, 2};
  EXPECT_EQ(dominance(time, power, 0).points, 2U);
  EXPECT_EQ(dominance(time, power, 0).best, 2U);
  EXPECT_EQ(dominance(time, power, 2).points, 0U);
  EXPECT_FALSE(dominance(time, power, 2).best);
  EXPECT_EQ(dominance(time, power, 5).best, 3U);
  EXPECT_THROW(dominance(time, {}, 0), UsageError);
}

}  // namespace
}  // namespace ridgewatt::predict
