#include "ridgewatt/tune/comparison.h"

#include <algorithm>
#include <map>

#include "ridgewatt/base/error.h"

namespace ridgewatt::tune {

ComparedPoint compared(const Goal& goal, std::string name, const Observation& seen) {
  const auto exact = [](double value) { return predict::Estimate{value, value, value}; };
  return compared(goal, std::move(name), seen.point,
                  {exact(seen.time_s), exact(seen.power_w), exact(seen.energy_j())});
}

ComparedPoint compared(const Goal& goal, std::string name, const OperatingPoint& point,
                       const predict::Prediction& cost) {
  const Observation mean{point, cost.time_s.mean, cost.power_w.mean, cost.energy_j.mean};
  ComparedPoint made{std::move(name), point, cost, judge(goal, mean), objective_value(goal, mean)};
  if (goal.rate_hz > 0) {
    made.serving = {.latency_s = serving_latency_s(goal, point.batch, mean.time_s),
                    .most_hz = std::max(point.batch, 1) / mean.time_s};
    if (goal.counts_idle()) {
      made.serving->energy_j =
          (mean.energy_j() + idle_energy_j(goal, point, mean.time_s, mean.power_w)) /
          std::max(point.batch, 1);
    }
  }
  for (const LimitStand& stand : limits_at(goal, mean)) {
    if (stand.excess() > 0) made.broken.push_back(stand);
  }
  made.misses = explain_miss(goal, mean);
  made.confidence = limit_confidence(goal, point, cost);
  return made;
}

void hold_against_reference(const Goal& goal, const predict::Estimate& time_over_reference,
                            ComparedPoint& point) {
  point.confidence = limit_confidence(goal, point.point, point.cost, time_over_reference);
}

namespace {

// The best feasible row. Without one, the row nearest to feasible.
std::optional<Observation> best_or_nearest(const Goal& goal, const std::vector<Observation>& rows) {
  if (const auto best = best_feasible(goal, rows)) return rows[*best];
  if (const auto miss = nearest_miss(goal, rows)) return rows[*miss];
  return std::nullopt;
}

}  // namespace

std::vector<ComparedPoint> compare_with_sweep(const Goal& goal, const Sweep& sweep,
                                              const std::vector<NamedMode>& names) {
  std::vector<ComparedPoint> result;
  for (const auto& [name, mode] : names) {
    std::vector<Observation> rows;
    for (const auto& row : sweep.observations) {
      if (row.point.mode == mode) rows.push_back(row);
    }
    if (const auto row = best_or_nearest(goal, rows)) result.push_back(compared(goal, name, *row));
  }
  if (const auto best = best_feasible(goal, sweep.observations)) {
    result.push_back(compared(goal, "optimum of the sweep", sweep.observations[*best]));
  }
  return result;
}

std::vector<Observation> take_governed(Sweep& sweep) {
  std::vector<Observation> governed;
  Sweep fixed = sweep.without_rows();
  for (std::size_t row = 0; row < sweep.observations.size(); ++row) {
    const Observation& seen = sweep.observations[row];
    if (seen.point.mode.governor.empty()) {
      fixed.add_row(sweep, row);
    } else {
      governed.push_back(seen);
    }
  }
  if (fixed.observations.empty())
    throw InputError("the sweep has no row with fixed clocks", sweep.source,
                     "give a sweep of modes with fixed clocks");
  sweep = std::move(fixed);
  return governed;
}

std::vector<ComparedPoint> compare_with_governors(const Goal& goal,
                                                  const std::vector<Observation>& governed) {
  std::map<std::string, std::vector<Observation>> by_name;
  for (const auto& row : governed) by_name[row.point.mode.governor].push_back(row);
  std::vector<ComparedPoint> result;
  for (const auto& [name, rows] : by_name) {
    if (const auto row = best_or_nearest(goal, rows)) {
      result.push_back(compared(goal, "governor " + name, *row));
    }
  }
  return result;
}

}  // namespace ridgewatt::tune
