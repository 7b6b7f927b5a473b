#include "ridgewatt/predict/clock_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::predict {
namespace {

constexpr double kSmallerPart = 0.3819660112501051;  // smaller part of the golden section

// The clock nearest to `wanted_hz` from `least_hz` to `most_hz` that has no cost yet.
std::optional<std::size_t> nearest_open(std::span<const double> clocks_hz,
                                        const std::map<std::size_t, double>& known, double least_hz,
                                        double most_hz, double wanted_hz) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < clocks_hz.size(); ++i) {
    if (known.contains(i) || clocks_hz[i] < least_hz || clocks_hz[i] > most_hz) continue;
    if (!best || std::abs(clocks_hz[i] - wanted_hz) < std::abs(clocks_hz[*best] - wanted_hz)) {
      best = i;
    }
  }
  return best;
}

// The index nearest to `best` that has no cost yet. Of two, the lower one.
std::optional<std::size_t> nearest_unknown(std::size_t size,
                                           const std::map<std::size_t, double>& known,
                                           std::size_t best) {
  for (std::size_t step = 1; step < size; ++step) {
    if (step <= best && !known.contains(best - step)) return best - step;
    if (best + step < size && !known.contains(best + step)) return best + step;
  }
  return std::nullopt;
}

}  // namespace

ClockSearch search_clock(std::span<const double> clocks_hz,
                         const std::function<double(std::size_t)>& cost, std::size_t count,
                         std::optional<std::size_t> start) {
  if (clocks_hz.empty() || count == 0)
    throw UsageError("the search of a clock needs at least one clock");
  if (!std::is_sorted(clocks_hz.begin(), clocks_hz.end()))
    throw UsageError("the clocks of a search must be in ascending order");
  if (start && *start >= clocks_hz.size())
    throw UsageError("the search must start from one of the clocks");
  ClockSearch search;
  std::map<std::size_t, double> known;
  const double bottom = clocks_hz.front(), top = clocks_hz.back();
  const auto measure = [&](std::optional<std::size_t> index) {
    if (!index || known.size() == count) return false;
    const double value = cost(*index);
    if (known.empty() || value < known.at(search.best)) search.best = *index;
    known.emplace(*index, value);
    search.measured.push_back(*index);
    return true;
  };
  if (start) {
    measure(start);
    while (measure(nearest_unknown(clocks_hz.size(), known, search.best))) {
    }
    return search;
  }
  for (const double share : {kSmallerPart, 1 - kSmallerPart}) {
    measure(nearest_open(clocks_hz, known, bottom, top, bottom + share * (top - bottom)));
  }
  while (known.size() < count) {
    // The bracket extends to the measured neighbors of the best clock. Divides its wider side
    // first.
    const auto at = known.find(search.best);
    const double middle = clocks_hz[search.best];
    const double least = at == known.begin() ? bottom : clocks_hz[std::prev(at)->first];
    const double most = std::next(at) == known.end() ? top : clocks_hz[std::next(at)->first];
    const auto left =
        nearest_open(clocks_hz, known, least, middle, middle - kSmallerPart * (middle - least));
    const auto right =
        nearest_open(clocks_hz, known, middle, most, middle + kSmallerPart * (most - middle));
    const bool go_left = left && (!right || middle - least > most - middle);
    if (!measure(go_left ? left : right)) break;
  }
  return search;
}

namespace {

std::size_t nearest(const std::vector<double>& values, double wanted) {
  const auto closer = [wanted](double a, double b) {
    return std::abs(a - wanted) < std::abs(b - wanted);
  };
  return static_cast<std::size_t>(std::min_element(values.begin(), values.end(), closer) -
                                  values.begin());
}

double noise_of(const std::vector<Observation>& rows) {
  std::vector<double> deviations;
  for (std::size_t i = 1; i + 1 < rows.size(); ++i) {
    const double between = (rows[i - 1].energy_j() + rows[i + 1].energy_j()) / 2;
    deviations.push_back(std::abs(rows[i].energy_j() / between - 1));
  }
  return median(deviations);
}

}  // namespace

std::vector<ClockSearchScore> score_clock_search(const Sweep& sweep, std::size_t count) {
  std::map<OperatingPoint, std::vector<Observation>> groups;
  for (const auto& row : sweep.observations) {
    OperatingPoint rest = row.point;
    rest.mode.gpu_clock_hz = 0;
    groups[rest].push_back(row);
  }
  std::vector<ClockSearchScore> scores;
  std::map<OperatingPoint, std::vector<double>> answers_hz;  // by group, without the batch
  for (auto& group : groups) {
    std::vector<Observation>& rows = group.second;
    if (rows.size() < 3) continue;
    std::sort(rows.begin(), rows.end(), [](const Observation& a, const Observation& b) {
      return a.point.mode.gpu_clock_hz < b.point.mode.gpu_clock_hz;
    });
    std::vector<double> clocks;
    for (const auto& row : rows) clocks.push_back(row.point.mode.gpu_clock_hz);
    OperatingPoint family = group.first;
    family.batch = 0;
    std::vector<double>& earlier_hz = answers_hz[family];
    const auto found = search_clock(
        clocks, [&](std::size_t i) { return rows[i].energy_j(); }, count,
        earlier_hz.empty() ? std::nullopt : std::optional(nearest(clocks, median(earlier_hz))));
    earlier_hz.push_back(clocks[found.best]);
    const auto least = std::min_element(
        rows.begin(), rows.end(),
        [](const Observation& a, const Observation& b) { return a.energy_j() < b.energy_j(); });
    scores.push_back({group.first, rows.size(), clocks[found.best], least->point.mode.gpu_clock_hz,
                      rows[found.best].energy_j() / least->energy_j() - 1, noise_of(rows)});
  }
  return scores;
}

}  // namespace ridgewatt::predict
