#include "ridgewatt/report/calibrate_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {
namespace {

void add_score(std::vector<Cell>& cells, const twin::FitScore& score, bool known) {
  for (const double error :
       {score.time, score.power, score.energy, score.trusted_time, score.trusted_power}) {
    cells.emplace_back();
    if (known) cells.back() = known_cell(100 * error);
  }
}

void add_fit_row(Table& table, const std::string& workload, Cell batch, std::size_t rows,
                 const twin::FitScore& score, const twin::FitScore* unseen) {
  std::vector<Cell> cells = {workload, std::move(batch), static_cast<std::int64_t>(rows)};
  add_score(cells, score, true);
  add_score(cells, unseen != nullptr ? *unseen : twin::FitScore{},
            unseen != nullptr && unseen->time > 0);
  table.add_row(std::move(cells));
}

void add_interval(std::vector<Cell>& cells, const roofline::FittedValue& fitted) {
  cells.emplace_back(fitted.value);
  cells.emplace_back(fitted.lo);
  cells.emplace_back(fitted.hi);
}

}  // namespace

Table fit_table(const twin::CalibrateSummary& summary, bool by_batch) {
  Table table({{"workload"},
               {"batch"},
               {"rows"},
               {.name = "time_error_pct", .digits = 3},
               {.name = "power_error_pct", .digits = 3},
               {.name = "energy_error_pct", .digits = 3, .rank = 2},
               {.name = "trusted_time_error_pct", .digits = 3, .rank = 3},
               {.name = "trusted_power_error_pct", .digits = 3, .rank = 3},
               {.name = "unseen_time_error_pct", .digits = 3, .rank = 1},
               {.name = "unseen_power_error_pct", .digits = 3, .rank = 1},
               {.name = "unseen_energy_error_pct", .digits = 3, .rank = 2},
               {.name = "unseen_trusted_time_error_pct", .digits = 3, .rank = 4},
               {.name = "unseen_trusted_power_error_pct", .digits = 3, .rank = 4}});
  std::size_t rows = 0;
  for (const auto& fit : summary.workloads) {
    rows += fit.rows;
    add_fit_row(table, fit.workload, Cell(), fit.rows, fit.score, &fit.unseen);
    if (!by_batch || fit.batches.size() < 2) continue;
    for (const auto& batch : fit.batches) {
      add_fit_row(table, fit.workload, std::int64_t{batch.batch}, batch.rows, batch.score, nullptr);
    }
  }
  add_fit_row(table, "mean of workloads", Cell(), rows, summary.mean, &summary.unseen);
  add_fit_row(table, "all rows", Cell(), rows, summary.pooled, nullptr);
  return table;
}

Table parameter_table(const twin::Twin& twin) {
  Table table({{"parameter"},
               {"value"},
               {.name = "lo", .rank = 1},
               {.name = "hi", .rank = 1},
               {"unit"},
               {.name = "meaning", .wrap = true}});
  for (const auto& spec : twin::twin_parameters()) {
    table.add_row({std::string(spec.key), twin[spec.param], twin.lo(spec.param),
                   twin.hi(spec.param), std::string(spec.unit), std::string(spec.meaning)});
  }
  return table;
}

Table outlier_table(const twin::CalibrateSummary& summary) {
  const auto knobs = knob_columns();
  std::vector<Column> columns = {{"workload"}};
  append(columns, knobs);
  append(columns, {column("batch"),
                   column("time_ms", 2),
                   column("power_w", 2),
                   {"time_over_model"},
                   {"power_over_model"},
                   {.name = "flagged", .rank = 1}});
  Table table(columns);
  for (const auto& outlier : summary.outliers) {
    const auto& seen = outlier.observation;
    std::vector<Cell> cells = {outlier.workload};
    for (auto& cell : knob_cells(seen.point.mode, knobs)) cells.push_back(cell);
    cells.emplace_back(std::int64_t{seen.point.batch});
    cells.emplace_back(seen.time_s * 1e3);
    cells.emplace_back(seen.power_w);
    cells.emplace_back(outlier.time_ratio);
    cells.emplace_back(outlier.power_ratio);
    cells.emplace_back(std::string(outlier.flagged ? "yes" : "no"));
    table.add_row(std::move(cells));
  }
  return table;
}

namespace {

// Quantities that were measured in addition to the two roofs, in the order of the enumeration.
struct RoofColumn {
  RoofQuantity quantity;
  Column column;
};
std::vector<RoofColumn> further_columns() {
  using enum RoofQuantity;
  std::vector<RoofColumn> columns = {
      {kFp64, {.name = "fp64_flop_per_s", .heading = "FP64 (GFLOP/s)", .scale = 1e-9}},
      {kFp16, {.name = "fp16_flop_per_s", .heading = "FP16 (GFLOP/s)", .scale = 1e-9}},
      {kTensorFp16,
       {.name = "tensor_fp16_flop_per_s", .heading = "tensor FP16 (GFLOP/s)", .scale = 1e-9}},
      {kLaunch, {.name = "launch_s", .heading = "launch (us)", .scale = 1e6}},
      {kIdlePower, {.name = "idle_power_w", .heading = "idle (W)"}},
      {kBusyPower, {.name = "busy_power_w", .heading = "busiest (W)"}}};
  for (auto& one : columns) {
    one.column.rank = 6;
    one.column.optional = true;
  }
  return columns;
}

constexpr int kFittedQuantities = 8;  // roofs, reached rates, energies and ratio

std::vector<Column> microbench_columns() {
  const std::vector<Column> fitted = {
      {.name = "ceiling_flop_per_s", .heading = "ceiling (GFLOP/s)", .scale = 1e-9},
      {.name = "ceiling_bytes_per_s", .heading = "ceiling (GB/s)", .scale = 1e-9},
      {.name = "peak_flop_per_s", .heading = "mean peak (GFLOP/s)", .scale = 1e-9},
      {.name = "bandwidth_bytes_per_s", .heading = "mean bandwidth (GB/s)", .scale = 1e-9},
      {.name = "energy_per_flop_j", .heading = "energy per FLOP (pJ)", .scale = 1e12},
      {.name = "energy_per_byte_j", .heading = "energy per byte (pJ)", .scale = 1e12},
      {.name = "static_power_w", .heading = "static power (W)"},
      {.name = "race_to_halt_ratio", .heading = "race to halt ratio"}};
  std::vector<Column> columns;
  int rank = 1;
  for (const Column& column : fitted) {
    columns.push_back(column);
    const auto unit = std::min(column.heading.view().find(" ("), column.heading.view().size());
    for (const char* bound : {"lo", "hi"}) {
      Column& added = columns.emplace_back(column);
      added.name = fmt::format("{}_{}", column.name, bound);
      added.heading = std::string(column.heading)
                          .insert(unit, added.name.view().ends_with("lo") ? " from" : " to");
      added.rank = rank;
    }
    ++rank;
  }
  return columns;
}

void add_interval(std::vector<Cell>& cells, const MeasuredValue& measured) {
  add_interval(cells, roofline::FittedValue{measured.value, measured.lo, measured.hi});
}

void add_fitted_cells(const roofline::MicrobenchFit& fit, std::vector<Cell>& cells) {
  add_interval(cells, *fit.ceilings.find(RoofQuantity::kFp32));
  add_interval(cells, *fit.ceilings.find(RoofQuantity::kBandwidth));
  add_interval(cells, fit.peak_flop_per_s);
  add_interval(cells, fit.bandwidth_bytes_per_s);
  if (!fit.energy) return cells.resize(cells.size() + 3 * (kFittedQuantities - 4));
  for (const auto* value : {&fit.energy->energy_per_flop_j, &fit.energy->energy_per_byte_j,
                            &fit.energy->static_power_w, &fit.energy->race_to_halt_ratio}) {
    add_interval(cells, *value);
  }
}

}  // namespace

Table microbench_table(const std::vector<roofline::MicrobenchFit>& fits) {
  const auto knobs = knob_columns();
  const auto further = further_columns();
  std::vector<Column> columns(knobs.begin(), knobs.end());
  append(columns, microbench_columns());
  for (const auto& one : further) columns.push_back(one.column);
  columns.push_back({.name = "points", .rank = 7});
  columns.push_back({.name = "outliers", .rank = 7});
  Table table(columns);
  for (const auto& fit : fits) {
    std::vector<Cell> cells = knob_cells(fit.mode, knobs);
    add_fitted_cells(fit, cells);
    for (const auto& one : further) {
      const MeasuredValue* value = fit.ceilings.find(one.quantity);
      if (value == nullptr) {
        cells.emplace_back();
      } else {
        cells.emplace_back(value->value);
      }
    }
    cells.emplace_back(static_cast<std::int64_t>(fit.points));
    cells.emplace_back(static_cast<std::int64_t>(fit.outliers.size()));
    table.add_row(std::move(cells));
  }
  return table;
}

}  // namespace ridgewatt::report
