#include "ridgewatt/numerics/two_quantiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

namespace ridgewatt {
namespace {

constexpr std::size_t kSample = 128;  // chosen: a bound from fewer values fails too often

// Returns the first values in the order `before`: at least `count`, and usually few more. Uses a
// bound from a sample of the values (Floyd and Rivest, Comm. ACM 18(3), 1975).
template <class Before>
std::vector<double> first_ones(std::span<const double> values, std::size_t count, Before before) {
  if (values.size() > 2 * kSample) {
    const double expected =
        static_cast<double>(kSample * count) / static_cast<double>(values.size());
    const auto rank = static_cast<std::size_t>(expected + 3 * std::sqrt(expected) + 2);
    if (rank < kSample) {
      std::vector<double> sample(values.begin(), values.begin() + kSample);
      std::nth_element(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(rank),
                       sample.end(), before);
      const double bound = sample[rank];
      std::vector<double> found(values.size());
      std::size_t size = 0;
      for (const double value : values) {
        found[size] = value;
        size += before(value, bound) ? 1 : 0;
      }
      found.resize(size);
      if (size >= count) return found;
    }
  }
  return {values.begin(), values.end()};
}

// The values at `rank` and `rank + 1` in the order `before`.
template <class Before>
std::pair<double, double> at_rank(std::span<const double> values, std::size_t rank, Before before) {
  std::vector<double> ones = first_ones(values, std::min(rank + 2, values.size()), before);
  const auto at = ones.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(ones.begin(), at, ones.end(), before);
  return {*at, at + 1 < ones.end() ? *std::min_element(at + 1, ones.end(), before) : *at};
}

}  // namespace

std::pair<double, double> two_quantiles(std::span<const double> values, double lo, double hi) {
  const std::size_t last = values.size() - 1;
  const double lo_at = lo * static_cast<double>(last), hi_at = hi * static_cast<double>(last);
  const auto below = static_cast<std::size_t>(lo_at), above = static_cast<std::size_t>(hi_at);
  const auto lower = at_rank(values, below, std::less<>());
  // Counted from the top, the rank `above + 1` comes before `above`.
  const std::size_t from_top = above < last ? last - above - 1 : 0;
  const auto upper = at_rank(values, from_top, std::greater<>());
  return {
      std::lerp(lower.first, lower.second, lo_at - std::floor(lo_at)),
      above < last ? std::lerp(upper.second, upper.first, hi_at - std::floor(hi_at)) : upper.first};
}

}  // namespace ridgewatt
