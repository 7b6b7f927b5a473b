#include "ridgewatt/sweep/points.h"

#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/csv.h"
#include "ridgewatt/base/error.h"

namespace ridgewatt {

std::vector<OperatingPoint> read_points(const std::string& path) {
  const CsvTable table = read_csv(path);
  if (table.rows.empty()) throw InputError("holds no rows", path);
  const auto batch = table.column("batch");
  const auto governor = table.column("governor");
  std::vector<OperatingPoint> points(table.rows.size());
  bool any = batch.has_value() || governor.has_value();
  const auto positive = [&](std::size_t row, std::size_t column) {
    const double value = table.number(row, column);
    if (value <= 0 || value > 1e9) {
      throw InputError(fmt::format("{} must be positive, is {}", table.header[column], value),
                       table.where(row));
    }
    return value;
  };
  for (const Knob knob : kKnobs) {
    const auto column = table.column(knob_field(knob));
    if (!column) continue;
    any = true;
    for (std::size_t row = 0; row < points.size(); ++row) {
      if (table.rows[row][*column].empty()) continue;
      const double value = positive(row, *column);
      points[row].mode.set(knob, knob == Knob::kCpuCores ? value : std::round(value * 1e6));
    }
  }
  if (!any) {
    throw InputError("has none of the columns cpu_cores, cpu_mhz, gpu_mhz, mem_mhz, batch", path);
  }
  for (std::size_t row = 0; row < points.size(); ++row) {
    if (batch) points[row].batch = static_cast<int>(positive(row, *batch));
    if (governor) points[row].mode.governor = table.rows[row][*governor];
  }
  return points;
}

}  // namespace ridgewatt
