// The tables of rooflines: layers, parts of the time, caches.
#include <algorithm>

#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/roofline_report.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

double in_giga(double value) {
  return value / kGiga;
}

std::vector<Column> layer_columns() {
  return {column("layer"),
          column("op", 1),
          {.name = "roof", .heading = "class", .rank = 3},
          {.name = "intensity", .heading = "FLOP per byte of modelled traffic"},
          {.name = "counted_intensity", .heading = "by counts (W/Q)", .rank = 1},
          {.name = "traffic_factor", .heading = "modelled over counted bytes", .rank = 2},
          {.name = "ceiling_gflop_per_s", .rank = 2},
          {.name = "reached_gflop_per_s", .rank = 2},
          {.name = "modelled_gflop_per_s", .rank = 2},
          column("gpu_ms"),
          {.name = "gpu_share_pct", .heading = "share of GPU time (%)", .digits = 3},
          {.name = "launch_ms", .rank = 5},
          {.name = "time_ms", .heading = "share of minibatch (ms)", .rank = 6},
          column("power_w", 4),
          column("work_mflop", 7),
          column("traffic_mb", 7),
          column("bound", 3)};
}

}  // namespace

Table roofline_layer_table(const std::vector<RooflineLayer>& layers) {
  double total_s = 0;
  for (const auto& layer : layers) total_s += layer.gpu_s;
  Table table(layer_columns());
  for (const auto& layer : layers) {
    std::vector<Cell> row(table.columns().size());
    row[0] = layer.name;
    row[1] = layer.op;
    row[2] = layer.roof;
    if (layer.has_place()) {
      row[3] = layer.intensity();
      if (layer.counted_bytes > 0) row[4] = layer.work_flop / layer.counted_bytes;
    }
    if (layer.counted_bytes > 0) row[5] = layer.traffic_bytes / layer.counted_bytes;
    if (layer.has_place()) {
      row[6] = in_giga(layer.ceiling_flop_per_s);
      row[7] = in_giga(layer.reached_flop_per_s);
      row[8] = in_giga(layer.work_flop / layer.gpu_s);
    }
    row[9] = layer.gpu_s * 1e3;
    row[10] = total_s > 0 ? 100 * layer.gpu_s / total_s : 0;
    row[11] = layer.launch_s * 1e3;
    row[12] = layer.time_s * 1e3;
    row[13] = layer.power_w;
    row[14] = layer.work_flop / 1e6;
    row[15] = layer.traffic_bytes / 1e6;
    row[16] = layer.bound;
    table.add_row(std::move(row));
  }
  return table;
}

Table time_parts_table(const std::vector<TimePart>& parts) {
  Table table(
      {{"part"}, column("time_ms"), {.name = "share_pct", .heading = "share (%)", .digits = 3}});
  double total_s = 0;
  for (const auto& part : parts) total_s += part.time_s;
  for (const auto& part : parts) {
    table.add_row({part.name, part.time_s * 1e3, total_s > 0 ? 100 * part.time_s / total_s : 0});
  }
  return table;
}

Table level_table(const RooflineReport& report) {
  Table table({{"level"},
               {.name = "roof", .heading = "class", .rank = 1},
               {"ceiling_gb_per_s"},
               {.name = "time_balance", .heading = "ridge (FLOP/byte of this level)"},
               {.name = "source", .rank = 2, .wrap = true}});
  for (const auto& level : report.levels) {
    for (const auto& roof : report.modes.front().roofs) {
      table.add_row({level.name, roof.name, in_giga(level.bandwidth_bytes_per_s),
                     roof.ceiling_flop_per_s / level.bandwidth_bytes_per_s, level.source});
    }
  }
  return table;
}

}  // namespace ridgewatt::report
