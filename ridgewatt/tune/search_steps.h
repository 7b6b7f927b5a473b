// Steps that several strategies share, for any search derived from BudgetedSearch.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "ridgewatt/tune/budgeted_search.h"

namespace ridgewatt::tune {

// Profiles the untried points of `points` in order, until only `keep` profiles remain.
template <class Result>
void profile_in_order(BudgetedSearch<Result>& search, std::span<const std::size_t> points,
                      std::string_view reason, int keep = 0) {
  for (const std::size_t point : points) {
    if (search.profiles_left() <= keep) return;
    if (search.untried(point)) search.profile(point, reason);
  }
}

template <class Result>
void profile_every_point(BudgetedSearch<Result>& search) {
  for (std::size_t i = 0; i < search.space().size() && search.profiles_left() > 0; ++i) {
    search.look(i, "every point");
  }
}

// Profiles a small space-filling set: both corners, then Halton's sequence from an offset that
// depends on the seed. The set has a fifth of the remaining budget, at least 3 and at most 12
// points.
template <class Result>
void fill_space(BudgetedSearch<Result>& search, std::uint64_t seed) {
  const SearchSpace& space = search.space();
  const auto wanted = static_cast<std::size_t>(std::clamp(search.profiles_left() / 5, 3, 12));
  for (std::size_t n = 0; search.seen().size() < wanted && n < 10 * wanted; ++n) {
    const auto position = space.space_filling(n < 2 ? n : n + seed % 97);
    search.look(*space.nearest(position, search.allowed()), "space filling");
  }
}

// Returns the allowed point nearest to the given shares of the range of each axis. The range of the
// batch ends at the largest allowed batch.
template <class Result>
std::size_t point_at(const BudgetedSearch<Result>& search,
                     const std::array<double, SearchSpace::kAxes>& shares) {
  const SearchSpace& space = search.space();
  int largest_batch = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (search.allowed()[i] == 0) continue;
    largest_batch = std::max(largest_batch, space.position(i)[SearchSpace::kBatchAxis]);
  }
  SearchSpace::Position position{};
  for (std::size_t axis = 0; axis < SearchSpace::kAxes; ++axis) {
    const int last = axis == SearchSpace::kBatchAxis ? largest_batch : space.last_level(axis);
    position[axis] = static_cast<int>(std::lround(shares[axis] * last));
  }
  return *space.nearest(position, search.allowed());
}

// Cuts a front with ascending power into `count` bins of equal width, and returns the most
// uncertain point of each non-empty bin.
template <class Power, class Uncertainty>
std::vector<std::size_t> least_certain_of_bins(std::span<const std::size_t> front,
                                               std::size_t count, const Power& power,
                                               const Uncertainty& uncertainty) {
  std::vector<std::size_t> wanted;
  if (front.empty()) return wanted;
  const double low = power(front.front()), high = power(front.back());
  std::vector<std::optional<std::size_t>> chosen(count);
  for (const std::size_t i : front) {
    const double share = high > low ? (power(i) - low) / (high - low) : 0;
    const auto bin = static_cast<std::size_t>(share * static_cast<double>(count));
    auto& choice = chosen[std::min(bin, count - 1)];
    if (!choice || uncertainty(i) > uncertainty(*choice)) choice = i;
  }
  for (const auto& choice : chosen) {
    if (choice) wanted.push_back(*choice);
  }
  return wanted;
}

}  // namespace ridgewatt::tune
