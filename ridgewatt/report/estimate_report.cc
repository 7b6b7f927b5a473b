#include "ridgewatt/report/estimate_report.h"

#include <cmath>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt {
namespace {

void add_interval(std::vector<Cell>& cells, double value, double log_sd) {
  cells.emplace_back(value);
  cells.emplace_back(value * std::exp(-kNormal95 * log_sd));
  cells.emplace_back(value * std::exp(kNormal95 * log_sd));
}

}  // namespace

Table estimate_table(const std::vector<EstimateRow>& rows, bool with_board, double job_samples) {
  std::vector<PowerMode> modes;
  for (const auto& row : rows) modes.push_back(row.mode);
  // Where boards are compared, their modes are the lesser question.
  const std::vector<Column> knobs = knob_columns(modes, with_board ? 3 : 0);
  std::vector<Column> columns;
  if (with_board) columns.push_back({"board"});
  columns.insert(columns.end(), knobs.begin(), knobs.end());
  columns.push_back({"batch"});
  for (auto& column : cost_columns()) columns.push_back(std::move(column));
  columns.push_back({.name = "bound", .heading = "bound by", .rank = 2});
  columns.push_back({.name = "fits_memory", .rank = 1});
  if (job_samples > 0) {
    columns.push_back({"job_time_s"});
    columns.push_back({"job_energy_j"});
  }
  Table table(columns);
  for (const auto& row : rows) {
    const TimePower& total = row.estimate.total;
    std::vector<Cell> cells;
    if (with_board) cells.emplace_back(row.board);
    for (auto& cell : knob_cells(row.mode, knobs)) cells.push_back(cell);
    cells.emplace_back(static_cast<std::int64_t>(row.batch));
    add_interval(cells, total.time_s * 1e3, row.fit.time_log_sd);
    add_interval(cells, total.power_w, row.fit.power_log_sd);
    add_interval(cells, total.energy_j(), row.fit.energy_log_sd);
    cells.emplace_back(std::string(cause_name(row.estimate.dominant())));
    cells.emplace_back(std::string(row.fits_memory ? "yes" : "no"));
    if (job_samples > 0) {
      const double minibatches = std::ceil(job_samples / row.batch);
      // Waits for data that the minibatch's time leaves out belong to the job.
      cells.emplace_back(minibatches * row.estimate.period_s);
      cells.emplace_back(minibatches * row.estimate.period_s * total.power_w);
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Table layer_table(const WorkloadCost& cost, const std::vector<LayerEstimate>& layers) {
  Table table({{"layer"},
               {.name = "op", .heading = "operator"},
               {.name = "phase", .rank = 3},
               {.name = "work_mflop", .rank = 4},
               {.name = "traffic_mb", .rank = 4},
               {.name = "intensity", .heading = "intensity (FLOP/byte)", .rank = 5},
               {"time_ms"},
               {.name = "time_share_pct", .heading = "share (%)", .digits = 3},
               {.name = "gpu_ms", .rank = 6},
               {.name = "energy_mj", .rank = 2},
               {.name = "bound", .heading = "bound by", .rank = 1}});
  double total_s = 0;
  for (const auto& layer : layers) total_s += layer.time_s;
  for (const auto& layer : layers) {
    const auto& kernel = cost.kernels[layer.kernel];
    const char* phase = kernel.phase == Phase::kForward    ? "forward"
                        : kernel.phase == Phase::kBackward ? "backward"
                                                           : "optimizer";
    Cell intensity;
    if (kernel.traffic_bytes() > 0) intensity = kernel.work_flop / kernel.traffic_bytes();
    table.add_row({kernel.name, kernel.op, std::string(phase), kernel.work_flop / 1e6,
                   kernel.traffic_bytes() / 1e6, intensity, layer.time_s * 1e3,
                   total_s > 0 ? 100 * layer.time_s / total_s : 0, layer.gpu_s * 1e3,
                   layer.energy_j * 1e3, std::string(cause_name(layer.cause))});
  }
  return table;
}

Table cause_table(const Breakdown& breakdown) {
  Table table({{"cause"},
               {"time_ms"},
               {.name = "time_share", .heading = "time share (%)", .digits = 3, .scale = 100},
               {"energy_j"},
               {.name = "energy_share", .heading = "energy share (%)", .digits = 3, .scale = 100}});
  const TimePower& total = breakdown.total;
  for (std::size_t i = 0; i < kCauseCount; ++i) {
    table.add_row({std::string(cause_name(static_cast<Cause>(i))), breakdown.time_s[i] * 1e3,
                   breakdown.time_s[i] / total.time_s, breakdown.energy_j[i],
                   breakdown.energy_j[i] / total.energy_j()});
  }
  table.add_row({std::string("static"), Cell(), Cell(), breakdown.static_j,
                 breakdown.static_j / total.energy_j()});
  return table;
}

LayerSums layer_sums(const Table& layers) {
  const std::vector<std::string> summed = {"time_ms", "time_share_pct", "energy_mj", "work_mflop",
                                           "traffic_mb"};
  return {sums_by_operator(layers, summed, kLayerOrder),
          sums_by_block(layers, summed, kLayerOrder)};
}

}  // namespace ridgewatt
