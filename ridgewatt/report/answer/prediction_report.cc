#include "ridgewatt/report/prediction_report.h"

#include <array>
#include <string>
#include <vector>

#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/origin_columns.h"

namespace ridgewatt {
namespace {

std::array<double, 9> values_of(const Prediction& p) {
  constexpr double kMs = 1e3;
  return {p.time_s.mean * kMs, p.time_s.lo * kMs, p.time_s.hi * kMs, p.power_w.mean, p.power_w.lo,
          p.power_w.hi,        p.energy_j.mean,   p.energy_j.lo,     p.energy_j.hi};
}

}  // namespace

Table prediction_table(std::span<const OperatingPoint> points,
                       std::span<const Prediction> predictions) {
  std::vector<PowerMode> modes;
  for (const auto& point : points) modes.push_back(point.mode);
  const std::vector<Column> knobs = knob_columns(modes);
  std::vector<Column> columns = knobs;
  columns.push_back({"batch"});
  for (auto& column : cost_columns()) columns.push_back(std::move(column));
  Table table(columns);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<Cell> row = knob_cells(points[i].mode, knobs);
    if (points[i].batch > 0)
      row.emplace_back(std::int64_t{points[i].batch});
    else
      row.emplace_back();
    for (const double value : values_of(predictions[i])) row.emplace_back(value);
    table.add_row(std::move(row));
  }
  return table;
}

Table prediction_table(std::span<const OperatingPoint> points,
                       std::span<const Prediction> predictions,
                       const std::vector<RowOrigin>& origins) {
  return with_origin(prediction_table(points, predictions), origins);
}

Json predictions_to_json(std::span<const OperatingPoint> points,
                         std::span<const Prediction> predictions,
                         const std::vector<RowOrigin>& origins) {
  const auto names = cost_columns();
  Json result = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    Json row = {{"mode", mode_to_json(points[i].mode)}};
    if (points[i].batch > 0) row["batch"] = points[i].batch;
    const auto values = values_of(predictions[i]);
    for (std::size_t c = 0; c < names.size(); ++c) row[names[c].name] = values[c];
    add_origin(row, origins[origins.size() == 1 ? 0 : i]);
    result.push_back(std::move(row));
  }
  return result;
}

}  // namespace ridgewatt
