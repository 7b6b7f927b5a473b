// The points that a series of a store has. Tells which points of a file or of another store are
// present, and numbers the others as repeats.
//
//   StoredPoints stored(connection, series);
//   if (!stored.take(record)) record.repeat = stored.reserve(record.observation.point, 0);
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ridgewatt/store/sql/connection.h"

namespace ridgewatt::store {

// Whether two measurements of a point have the same values, and, if `wanted` has a slot, `held` has
// the same slot. Files state values in other units, so the last digits may differ.
bool same_measurement(const PointRecord& wanted, const PointRecord& held);

class StoredPoints {
 public:
  StoredPoints(Connection& connection, std::int64_t series);
  std::int64_t series() const { return series_; }
  // Whether the series has this measurement, with any repeat number. Each stored repeat counts
  // once.
  bool take(const PointRecord& wanted);
  // Whether the series had the point, with any values.
  bool has(const OperatingPoint& point) const { return points_.contains(point); }
  // Returns the first free number of a repeat from `repeat` on, which is then taken.
  int reserve(const OperatingPoint& point, int repeat);

 private:
  std::int64_t series_;
  std::map<OperatingPoint, std::vector<PointRecord>> points_;
  std::map<OperatingPoint, std::set<int>> repeats_;
};

}  // namespace ridgewatt::store
