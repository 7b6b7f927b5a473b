#include "ridgewatt/sweep/neighbors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

// Deviation along one axis, with a weight.
struct Vote {
  double deviation = 0;
  double weight = 0;
};

// The votes of a row, at most one per axis.
struct Votes {
  std::array<Vote, kPointAxes.size()> votes;
  std::size_t count = 0;

  void add(Vote vote) {
    std::size_t i = count++;
    for (; i > 0 && votes[i - 1].deviation > vote.deviation; --i) votes[i] = votes[i - 1];
    votes[i] = vote;
  }
  double weighted_median() const {
    double total = 0;
    for (std::size_t i = 0; i < count; ++i) total += votes[i].weight;
    double below = 0;
    for (std::size_t i = 0; i < count; ++i) {
      below += votes[i].weight;
      if (below >= total / 2) return votes[i].deviation;
    }
    return 0;
  }
};

constexpr std::size_t kReach = 2;  // maximum distance of a neighbor, in levels
constexpr std::size_t kOffsets = 2 * kReach + 1;

using Deviations = std::vector<std::optional<NeighborLines::Deviation>>;

// Adds the vote of each row that has neighbors along an axis. The vote is its deviation minus the
// usual one of rows with neighbors at the same levels (the curvature of the true function there).
// With few such rows, it is instead the deviation minus the most that a bend could cause.
void add_votes(const Deviations& deviations, const std::vector<bool>& trusted, double slopes,
               std::vector<Votes>& votes) {
  constexpr std::size_t kEnough = 8;  // rows of a pattern from which its own statistics are used
  constexpr double kLeastSpread = 0.003;
  std::unordered_map<std::size_t, std::vector<double>> by_pattern;
  std::vector<double> all;
  for (std::size_t row = 0; row < deviations.size(); ++row) {
    if (!deviations[row] || !trusted[row]) continue;
    by_pattern[deviations[row]->pattern].push_back(deviations[row]->value);
    all.push_back(deviations[row]->value);
  }
  struct Usual {
    double center, spread;
  };
  const double common = all.empty() ? 1 : median_absolute_deviation(all) + kLeastSpread;
  std::unordered_map<std::size_t, Usual> usual;
  for (const auto& [pattern, values] : by_pattern) {
    if (values.size() < kEnough) continue;
    usual[pattern] = {median(values), median_absolute_deviation(values) + kLeastSpread};
  }
  for (std::size_t row = 0; row < deviations.size(); ++row) {
    if (!deviations[row]) continue;
    const auto& [value, pattern, bend] = *deviations[row];
    const auto known = usual.find(pattern);
    if (known != usual.end()) {
      votes[row].add({value - known->second.center, 1 / known->second.spread});
    } else {
      const double beyond = std::max(std::abs(value) - slopes * bend, 0.0);
      votes[row].add({std::copysign(beyond, value), 1 / common});
    }
  }
}

// The values of an axis that occur, in ascending order, and the index of each row's value.
struct Levels {
  std::vector<double> values;
  std::vector<std::size_t> of_row;
};

Levels levels_of(std::vector<double> by_row) {
  Levels levels;
  levels.values = by_row;
  std::sort(levels.values.begin(), levels.values.end());
  levels.values.erase(std::unique(levels.values.begin(), levels.values.end()), levels.values.end());
  levels.of_row.reserve(by_row.size());
  for (const double value : by_row) {
    levels.of_row.push_back(static_cast<std::size_t>(
        std::lower_bound(levels.values.begin(), levels.values.end(), value) -
        levels.values.begin()));
  }
  return levels;
}

// Returns, for each row, the number of its line along the axis `along`. The numbers ascend with the
// values of the other axes, the first axis first. A number times the levels of `along` fits 64
// bits.
std::vector<std::uint64_t> line_codes(const AxisArray<Levels>& levels, PointAxis along) {
  constexpr double kMost = 1e18;
  std::vector<std::uint64_t> codes(levels[along].of_row.size(), 0);
  const auto own = static_cast<double>(levels[along].values.size());
  double bound = 1;
  for (const PointAxis axis : kPointAxes) {
    if (axis == along || levels[axis].values.size() < 2) continue;
    if (bound * static_cast<double>(levels[axis].values.size()) * own > kMost) {
      std::vector<std::uint64_t> seen = codes;
      std::sort(seen.begin(), seen.end());
      seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
      for (auto& code : codes) {
        code = static_cast<std::uint64_t>(std::lower_bound(seen.begin(), seen.end(), code) -
                                          seen.begin());
      }
      bound = static_cast<double>(seen.size());
    }
    bound *= static_cast<double>(levels[axis].values.size());
    for (std::size_t row = 0; row < codes.size(); ++row) {
      codes[row] = codes[row] * levels[axis].values.size() + levels[axis].of_row[row];
    }
  }
  return codes;
}

// Rows sorted by line, and by level on each line.
std::vector<std::size_t> rows_by_line(const std::vector<std::uint64_t>& codes, const Levels& own) {
  std::vector<std::pair<std::uint64_t, std::size_t>> keyed;
  keyed.reserve(codes.size());
  for (std::size_t row = 0; row < codes.size(); ++row) {
    keyed.emplace_back(codes[row] * own.values.size() + own.of_row[row], row);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> order;
  order.reserve(codes.size());
  for (const auto& [key, row] : keyed) order.push_back(row);
  return order;
}

}  // namespace

NeighborLines::NeighborLines(const std::vector<Observation>& observations) {
  const std::size_t rows = observations.size();
  AxisArray<Levels> all;
  for (const PointAxis axis : kPointAxes) {
    std::vector<double> values;
    values.reserve(rows);
    for (const auto& observation : observations)
      values.push_back(axis_value(observation.point, axis));
    all[axis] = levels_of(std::move(values));
  }
  for (const PointAxis axis : kPointAxes) {
    const Levels& own = all[axis];
    if (own.values.size() < 2 || own.values.front() <= 0) continue;
    const auto codes = line_codes(all, axis);
    std::vector<std::size_t> order = rows_by_line(codes, own);
    std::vector<Place> places(rows);
    for (std::size_t begin = 0; begin < rows;) {
      std::size_t end = begin + 1;
      while (end < rows && codes[order[end]] == codes[order[begin]]) ++end;
      for (std::size_t first = begin; first < end;) {
        std::size_t last = first + 1;
        while (last < end && own.of_row[order[last]] == own.of_row[order[first]]) ++last;
        for (std::size_t i = first; i < last; ++i) places[order[i]] = {begin, end, i, first, last};
        first = last;
      }
      begin = end;
    }
    std::vector<double> logs(rows);
    for (std::size_t row = 0; row < rows; ++row) logs[row] = std::log(own.values[own.of_row[row]]);
    varying_.push_back(axis);
    orders_.push_back(std::move(order));
    places_.push_back(std::move(places));
    log_values_.push_back(std::move(logs));
    levels_.push_back(own.of_row);
    level_counts_.push_back(own.values.size());
  }
}

std::optional<NeighborLines::Deviation> NeighborLines::deviation(
    std::size_t d, std::size_t row, const std::vector<double>& value,
    const std::vector<bool>& trusted) const {
  const auto& [begin, end, position, level_begin, level_end] = places_[d][row];
  const auto& order = orders_[d];
  const auto& level = levels_[d];
  std::array<std::size_t, 2> below{}, above{};
  std::size_t below_count = 0, above_count = 0;
  // One trusted row stands for its level. The other rows at this level are repeats.
  const auto near = [&](std::size_t other) {
    const std::size_t a = level[other], b = level[row];
    return (a < b ? b - a : a - b) <= kReach;
  };
  for (std::size_t i = level_begin; i > begin && below_count < 2 && near(order[i - 1]);) {
    const std::size_t other = order[--i];
    if (!trusted[other]) continue;
    below[below_count++] = other;
    i = places_[d][other].level_begin;
  }
  for (std::size_t i = level_end; i < end && above_count < 2 && near(order[i]);) {
    const std::size_t other = order[i++];
    if (!trusted[other]) continue;
    above[above_count++] = other;
    i = places_[d][other].level_end;
  }
  std::size_t p = 0, q = 0;  // q is the nearer one if both are on one side
  if (below_count > 0 && above_count > 0) {
    p = below[0], q = above[0];
  } else if (below_count == 2) {
    p = below[1], q = below[0];
  } else if (above_count == 2) {
    p = above[1], q = above[0];
  } else {
    return std::nullopt;
  }
  const auto& x = log_values_[d];
  const double share = (x[row] - x[p]) / (x[q] - x[p]);
  const auto offset = [&](std::size_t other) { return level[other] + kReach - level[row]; };
  return Deviation{value[row] - value[p] - (value[q] - value[p]) * share,
                   (level[row] * kOffsets + offset(p)) * kOffsets + offset(q),
                   std::abs(x[row] - x[q]) * std::min(share, 1.0)};
}

std::vector<double> neighbor_deviations(const NeighborLines& lines,
                                        const std::vector<double>& value,
                                        const std::vector<bool>& trusted, double slopes) {
  const std::size_t rows = value.size();
  std::vector<Votes> votes(rows);
  for (std::size_t d = 0; d < lines.axes().size(); ++d) {
    Deviations deviations(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      deviations[row] = lines.deviation(d, row, value, trusted);
    }
    add_votes(deviations, trusted, slopes, votes);
  }
  std::vector<double> result(rows);
  for (std::size_t row = 0; row < rows; ++row) result[row] = votes[row].weighted_median();
  return result;
}

}  // namespace ridgewatt
