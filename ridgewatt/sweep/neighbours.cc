#include "ridgewatt/sweep/neighbours.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ridgewatt/base/statistics.h"

namespace ridgewatt {
namespace {

using Key = std::array<double, kDimensions>;

// Deviation along one dimension with its weight.
struct Vote {
  double deviation = 0;
  double weight = 0;
};

// The votes of a row, at most one a dimension.
struct Votes {
  std::array<Vote, kDimensions> votes;
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

// The usual deviation at a level (curvature of the true function there) and its robust spread.
struct Level {
  double centre = 0;
  double spread = 0;
};

std::vector<Level> describe_levels(const NeighbourLines& lines, std::size_t d,
                                   const std::vector<std::optional<double>>& deviations,
                                   const std::vector<bool>& trusted) {
  constexpr std::size_t kEnough = 8;  // rows a level before its own statistics are believed
  constexpr double kLeastSpread = 0.003;
  std::vector<std::vector<double>> by_level(lines.level_count(d));
  std::vector<double> all;
  for (std::size_t row = 0; row < deviations.size(); ++row) {
    if (!deviations[row] || !trusted[row]) continue;
    by_level[lines.level(d, row)].push_back(*deviations[row]);
    all.push_back(*deviations[row]);
  }
  const double common = all.empty() ? 1 : median_absolute_deviation(all) + kLeastSpread;
  std::vector<Level> levels;
  for (const auto& values : by_level) {
    if (values.size() < kEnough) {
      levels.push_back({0, common});
    } else {
      levels.push_back({median(values), median_absolute_deviation(values) + kLeastSpread});
    }
  }
  return levels;
}

}  // namespace

double dimension(const OperatingPoint& point, std::size_t dimension) {
  return dimension < kKnobs.size() ? point.mode.get(kKnobs[dimension]) : point.batch;
}

NeighbourLines::NeighbourLines(const std::vector<Observation>& observations) {
  const std::size_t rows = observations.size();
  std::vector<Key> keys(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < kDimensions; ++k)
      keys[row][k] = dimension(observations[row].point, k);
  }
  for (std::size_t k = 0; k < kDimensions; ++k) {
    std::vector<double> values;
    for (const auto& key : keys) values.push_back(key[k]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (values.size() < 2 || values.front() <= 0) continue;
    std::vector<double> logs(rows);
    std::vector<std::size_t> levels(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      logs[row] = std::log(keys[row][k]);
      levels[row] = static_cast<std::size_t>(
          std::lower_bound(values.begin(), values.end(), keys[row][k]) - values.begin());
    }
    const auto line_of = [&](std::size_t row) {
      Key key = keys[row];
      key[k] = 0;
      return key;
    };
    std::vector<Key> line_keys(rows);
    for (std::size_t row = 0; row < rows; ++row) line_keys[row] = line_of(row);
    std::vector<std::size_t> order(rows);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return line_keys[a] != line_keys[b] ? line_keys[a] < line_keys[b] : keys[a][k] < keys[b][k];
    });
    std::vector<Place> places(rows);
    for (std::size_t begin = 0; begin < rows;) {
      std::size_t end = begin + 1;
      while (end < rows && line_keys[order[end]] == line_keys[order[begin]]) ++end;
      for (std::size_t i = begin; i < end; ++i) places[order[i]] = {begin, end, i};
      begin = end;
    }
    varying_.push_back(k);
    orders_.push_back(std::move(order));
    places_.push_back(std::move(places));
    log_values_.push_back(std::move(logs));
    levels_.push_back(std::move(levels));
    level_counts_.push_back(values.size());
  }
}

std::optional<double> NeighbourLines::deviation(std::size_t d, std::size_t row,
                                                const std::vector<double>& value,
                                                const std::vector<bool>& trusted) const {
  const auto& [begin, end, position] = places_[d][row];
  const auto& order = orders_[d];
  std::array<std::size_t, 2> below{}, above{};
  std::size_t below_count = 0, above_count = 0;
  const auto collect = [&](std::size_t candidate, auto& found, std::size_t& count) {
    if (!trusted[candidate] || levels_[d][candidate] == levels_[d][row]) return;
    if (count == 1 && levels_[d][candidate] == levels_[d][found[0]]) return;
    found[count++] = candidate;
  };
  for (std::size_t i = position; i > begin && below_count < 2; --i) {
    collect(order[i - 1], below, below_count);
  }
  for (std::size_t i = position + 1; i < end && above_count < 2; ++i) {
    collect(order[i], above, above_count);
  }
  std::size_t p = 0, q = 0;
  if (below_count > 0 && above_count > 0) {
    p = below[0], q = above[0];
  } else if (below_count == 2) {
    p = below[1], q = below[0];
  } else if (above_count == 2) {
    p = above[0], q = above[1];
  } else {
    return std::nullopt;
  }
  const auto& x = log_values_[d];
  return value[row] - value[p] - (value[q] - value[p]) * (x[row] - x[p]) / (x[q] - x[p]);
}

std::vector<double> neighbour_deviations(const NeighbourLines& lines,
                                         const std::vector<double>& value,
                                         const std::vector<bool>& trusted) {
  const std::size_t rows = value.size();
  std::vector<Votes> votes(rows);
  for (std::size_t d = 0; d < lines.dimensions().size(); ++d) {
    std::vector<std::optional<double>> deviations(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      deviations[row] = lines.deviation(d, row, value, trusted);
    }
    const std::vector<Level> levels = describe_levels(lines, d, deviations, trusted);
    for (std::size_t row = 0; row < rows; ++row) {
      if (!deviations[row]) continue;
      const Level& level = levels[lines.level(d, row)];
      votes[row].add({*deviations[row] - level.centre, 1 / level.spread});
    }
  }
  std::vector<double> result(rows);
  for (std::size_t row = 0; row < rows; ++row) result[row] = votes[row].weighted_median();
  return result;
}

}  // namespace ridgewatt
