#include "ridgewatt/numerics/two_quantiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "ridgewatt/base/random.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

TEST(TwoQuantiles, AreEachQuantile) {
  Random random(3);
  for (const std::size_t size : {1, 2, 3, 4, 19, 20, 21, 1000}) {
    for (const auto& [lo, hi] : {std::pair(0.5, 0.5), {0.05, 0.95}, {0.0, 1.0}, {0.3, 0.31}}) {
      std::vector<double> values;
      for (std::size_t i = 0; i < size; ++i) values.push_back(std::floor(100 * random.uniform()));
      const double lower = quantile(values, lo), upper = quantile(values, hi);
      const auto found = two_quantiles(values, lo, hi);
      EXPECT_EQ(found.first, lower) << size << " values, " << lo;
      EXPECT_EQ(found.second, upper) << size << " values, " << hi;
    }
  }
}

}  // namespace
}  // namespace ridgewatt
