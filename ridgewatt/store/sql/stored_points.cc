#include "ridgewatt/store/sql/stored_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "ridgewatt/store/sql/schema.h"

namespace ridgewatt::store {
namespace {

bool same_values(const Observation& a, const Observation& b) {
  const auto same = [](double x, double y) { return std::abs(x - y) <= 1e-9 * std::abs(y); };
  const auto both = [&](const std::optional<double>& x, const std::optional<double>& y) {
    return x.has_value() == y.has_value() && (!x || same(*x, *y));
  };
  return same(a.time_s, b.time_s) && same(a.power_w, b.power_w) &&
         same(a.energy_j(), b.energy_j()) && both(a.time_median_s, b.time_median_s) &&
         both(a.fetch_stall_s, b.fetch_stall_s);
}

}  // namespace

bool same_measurement(const PointRecord& wanted, const PointRecord& held) {
  return same_values(wanted.observation, held.observation) &&
         (wanted.slot.empty() || wanted.slot == held.slot);
}

StoredPoints::StoredPoints(Connection& connection, std::int64_t series) : series_(series) {
  std::int64_t last = -1;
  const auto rest = [&] {
    return fmt::format("SELECT id, {} FROM point WHERE series = {} AND id > {} ORDER BY id",
                       kPointColumns, series, last);
  };
  connection.stream(rest, [&](const Row& row) {
    last = row.integer(0);
    PointRecord point = read_point(row, 1);
    const OperatingPoint at = point.observation.point;
    repeats_[at].insert(point.repeat);
    points_[at].push_back(std::move(point));
  });
}

bool StoredPoints::take(const PointRecord& wanted) {
  const auto of_point = points_.find(wanted.observation.point);
  if (of_point == points_.end()) return false;
  auto& held = of_point->second;
  const auto same = std::ranges::find_if(
      held, [&](const PointRecord& one) { return same_measurement(wanted, one); });
  if (same == held.end()) return false;
  held.erase(same);
  return true;
}

int StoredPoints::reserve(const OperatingPoint& point, int repeat) {
  auto& taken = repeats_[point];
  while (!taken.insert(repeat).second) ++repeat;
  return repeat;
}

}  // namespace ridgewatt::store
