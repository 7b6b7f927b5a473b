#include "ridgewatt/report/estimate_report.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/job_text.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {
namespace {

// `more` may come on top of the value: the upper bound holds with it.
void add_interval(std::vector<Cell>& cells, double value, const twin::LogError& error,
                  double more = 0) {
  const double factor = error.factor(0.9);
  cells.emplace_back(value);
  cells.emplace_back(value / factor);
  cells.emplace_back((value + more) * factor);
}

Cell error_cell(const std::optional<double>& share) {
  return share ? Cell(100 * *share) : Cell();
}

void add_job_cells(std::vector<Cell>& cells, const twin::JobCost& job, bool for_people) {
  if (for_people) {
    cells.emplace_back(duration_text(job.time_s));
    cells.emplace_back(energy_text(job.energy_j));
    return;
  }
  cells.emplace_back(job.time_s);
  cells.emplace_back(job.energy_j);
  cells.emplace_back(job.time_s / kSecondsPerHour);
  cells.emplace_back(job.energy_j / kJoulesPerWh);
}

void add_held_cells(std::vector<Cell>& cells, const answer::HeldRow& held) {
  const thermal::HoldAnswer& hold = held.hold;
  cells.emplace_back(thermal::hold_text(hold));
  cells.push_back(hold.holds_s ? Cell(*hold.holds_s) : Cell());
  cells.push_back(hold.steady_celsius ? Cell(*hold.steady_celsius) : Cell());
  cells.emplace_back(hold.sustained_w);
  cells.push_back(held.sustained_time_s ? Cell(*held.sustained_time_s * 1e3) : Cell());
}

std::vector<Column> estimate_columns(const std::vector<Column>& knobs, bool preset,
                                     const EstimateTableOptions& options) {
  std::vector<Column> columns;
  const auto add = [&](const std::vector<Column>& more) { append(columns, more); };
  if (options.boards) add({column("board")});
  if (options.runtimes) add({column("runtime"), column("precision")});
  add(knobs);
  if (preset) add({column("preset", 1)});
  add({column("batch")});
  add(cost_interval_columns());
  add({{.name = "time_median_ms", .heading = "median time (ms)", .rank = 3},
       column("stall_ms", 3),
       column("gpu_load_pct", 3),
       column("bound", 2),
       column("fits_memory", 1)});
  add({{.name = "memory_needed_gb", .rank = 7}, {.name = "memory_free_gb", .rank = 7}});
  if (!options.runtimes) add({column("precision", 7)});
  if (options.job_samples > 0) {
    if (options.for_people)
      add({{"job_time"}, {"job_energy"}});
    else
      add({{"job_time_s"}, {"job_energy_j"}, {"job_time_h"}, {"job_energy_wh"}});
  }
  if (!options.held.empty()) {
    add({{.name = "held", .heading = "held", .rank = 1, .wrap = true},
         {.name = "holds_s", .heading = "holds for (s)", .rank = 8},
         {.name = "steady_c", .heading = "ends at (°C)", .rank = 4},
         {.name = "sustained_w", .heading = "power held for ever (W)", .rank = 4},
         {.name = "sustained_time_ms", .heading = "time when throttled (ms)", .rank = 4}});
  }
  if (options.boards || options.runtimes) add({{.name = "twin", .rank = 2, .wrap = true}});
  if (options.boards) {
    add({{.name = "unseen_time_error_pct", .heading = "time error (%)", .digits = 3, .rank = 3},
         {.name = "unseen_power_error_pct", .heading = "power error (%)", .digits = 3, .rank = 3}});
  }
  return columns;
}

}  // namespace

Table estimate_table(const std::vector<answer::EstimateRow>& rows,
                     const EstimateTableOptions& options) {
  std::vector<PowerMode> modes;
  for (const auto& row : rows) modes.push_back(row.estimate.clocks);
  const bool preset =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return !row.preset.empty(); });
  // Where boards are compared, their modes are the lesser question.
  const std::vector<Column> knobs = knob_columns(modes, options.boards || options.runtimes ? 3 : 0);
  Table table(estimate_columns(knobs, preset, options));
  for (const auto& row : rows) {
    const twin::MinibatchCost& total = row.estimate.total;
    std::vector<Cell> cells;
    if (options.boards) cells.emplace_back(row.board);
    if (options.runtimes) {
      cells.emplace_back(std::string(name_of(row.runtime)));
      cells.emplace_back(std::string(name_of(row.precision)));
    }
    for (auto& cell : knob_cells(row.estimate.clocks, knobs)) cells.push_back(std::move(cell));
    if (preset) cells.push_back(row.preset.empty() ? Cell() : Cell(row.preset));
    cells.emplace_back(static_cast<std::int64_t>(row.batch));
    // Who calls an engine is not known: the upper bound holds for a Python program, too.
    add_interval(cells, total.period_s * 1e3, row.error[twin::kTime], row.python_call_s * 1e3);
    add_interval(cells, total.power_w, row.error[twin::kPower]);
    add_interval(cells, total.energy_j(), row.error[twin::kEnergy]);
    cells.emplace_back(total.median_s * 1e3);
    cells.emplace_back(total.stall_s() * 1e3);
    cells.emplace_back(100 * row.estimate.gpu_load);
    cells.emplace_back(std::string(name_of(row.estimate.dominant())));
    cells.emplace_back(std::string(row.memory.fits() ? "yes" : "no"));
    cells.emplace_back(row.memory.needed_bytes() / kGiga);
    cells.emplace_back(row.memory.free_bytes() / kGiga);
    if (!options.runtimes) cells.emplace_back(std::string(name_of(row.precision)));
    if (options.job_samples > 0) {
      add_job_cells(cells, twin::job_cost(total, row.batch, options.job_samples),
                    options.for_people);
    }
    if (!options.held.empty()) add_held_cells(cells, options.held[table.rows().size()]);
    if (options.boards || options.runtimes) cells.emplace_back(row.twin);
    if (options.boards) {
      cells.push_back(error_cell(row.fit.unseen_time_mape));
      cells.push_back(error_cell(row.fit.unseen_power_mape));
    }
    table.add_row(std::move(cells));
  }
  return table;
}

Table layer_table(const workload::WorkloadCost& cost,
                  const std::vector<twin::LayerEstimate>& layers) {
  Table table({column("layer"),
               column("op"),
               {.name = "phase", .rank = 3},
               column("work_mflop", 4),
               column("traffic_mb", 4),
               {.name = "intensity", .heading = "FLOP per byte of modelled traffic", .rank = 5},
               column("time_ms"),
               column("time_share_pct"),
               column("gpu_ms", 6),
               column("energy_mj", 2),
               column("bound", 1)});
  double total_s = 0;
  for (const auto& layer : layers) total_s += layer.time_s;
  for (const auto& layer : layers) {
    const auto& kernel = cost.kernels[layer.kernel];
    const char* phase = kernel.phase == workload::Phase::kForward    ? "forward"
                        : kernel.phase == workload::Phase::kBackward ? "backward"
                                                                     : "optimizer";
    Cell intensity;
    const double traffic_bytes = layer.effective_traffic_bytes;
    if (traffic_bytes > 0) intensity = kernel.work_flop / traffic_bytes;
    table.add_row({kernel.name, kernel.op, std::string(phase), kernel.work_flop / 1e6,
                   traffic_bytes / 1e6, intensity, layer.time_s * 1e3,
                   total_s > 0 ? 100 * layer.time_s / total_s : 0, layer.gpu_s * 1e3,
                   layer.energy_j * 1e3, std::string(name_of(layer.cause))});
  }
  return table;
}

Json memory_json(const twin::MemoryFootprint& memory) {
  return {
      {"tensors", memory.tensors_bytes / kGiga},     {"workspace", memory.workspace_bytes / kGiga},
      {"framework", memory.framework_bytes / kGiga}, {"cuda_context", memory.context_bytes / kGiga},
      {"cudnn", memory.cudnn_bytes / kGiga},         {"loader", memory.loader_bytes / kGiga},
      {"needed", memory.needed_bytes() / kGiga},     {"board", memory.board_bytes / kGiga},
      {"system", memory.system_bytes / kGiga},       {"free", memory.free_bytes() / kGiga}};
}

Json memory_sources_json(const Board& board, Runtime runtime) {
  Json sources = Json::object();
  for (const auto& constant : twin::runtime_memory(runtime)) {
    sources[std::string(constant.name)] = std::string(constant.source);
  }
  for (const auto& [name, key] :
       {std::pair{"system", "memory.system_mib"}, std::pair{"board", "memory.visible_mib"}}) {
    if (const Fact* fact = find_fact(board, key))
      sources[name] = fact->status + ": " + fact->source;
  }
  return sources;
}

Table cause_table(const twin::Breakdown& breakdown) {
  Table table({{"cause"},
               column("time_ms"),
               {.name = "time_share", .heading = "time share (%)", .digits = 3, .scale = 100},
               column("energy_j"),
               {.name = "energy_share", .heading = "energy share (%)", .digits = 3, .scale = 100}});
  const twin::MinibatchCost& total = breakdown.total;
  for (std::size_t i = 0; i < twin::kCauseCount; ++i) {
    table.add_row({std::string(name_of(static_cast<twin::Cause>(i))), breakdown.time_s[i] * 1e3,
                   breakdown.time_s[i] / total.period_s, breakdown.energy_j[i],
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

}  // namespace ridgewatt::report
