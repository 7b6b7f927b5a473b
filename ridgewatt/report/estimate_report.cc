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
  const std::vector<Column> knobs = knob_columns(modes);
  std::vector<Column> columns;
  if (with_board) columns.push_back({"board", ""});
  columns.insert(columns.end(), knobs.begin(), knobs.end());
  for (const char* name :
       {"batch", "time_ms", "time_lo_ms", "time_hi_ms", "power_w", "power_lo_w", "power_hi_w",
        "energy_j", "energy_lo_j", "energy_hi_j", "bound", "fits_memory"}) {
    columns.push_back({name, ""});
  }
  if (job_samples > 0) {
    columns.push_back({"job_time_s", ""});
    columns.push_back({"job_energy_j", ""});
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
  Table table({{"layer", ""},
               {"op", ""},
               {"phase", ""},
               {"work_mflop", ""},
               {"traffic_mb", ""},
               {"intensity", ""},
               {"time_ms", ""},
               {"gpu_ms", ""},
               {"energy_mj", ""},
               {"bound", ""}});
  for (const auto& layer : layers) {
    const auto& kernel = cost.kernels[layer.kernel];
    const char* phase = kernel.phase == Phase::kForward    ? "forward"
                        : kernel.phase == Phase::kBackward ? "backward"
                                                           : "optimizer";
    Cell intensity;
    if (kernel.traffic_bytes() > 0) intensity = kernel.work_flop / kernel.traffic_bytes();
    table.add_row({kernel.name, kernel.op, std::string(phase), kernel.work_flop / 1e6,
                   kernel.traffic_bytes() / 1e6, intensity, layer.time_s * 1e3, layer.gpu_s * 1e3,
                   layer.energy_j * 1e3, std::string(cause_name(layer.cause))});
  }
  return table;
}

Table cause_table(const Breakdown& breakdown) {
  Table table(
      {{"cause", ""}, {"time_ms", ""}, {"time_share", ""}, {"energy_j", ""}, {"energy_share", ""}});
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

}  // namespace ridgewatt
