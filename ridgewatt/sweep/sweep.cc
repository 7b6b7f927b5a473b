#include "ridgewatt/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "ridgewatt/base/csv.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/text.h"

namespace ridgewatt {
namespace {

// A positive number; clocks and times are positive, whatever their unit.
double positive(const CsvTable& table, std::size_t row, std::size_t column) {
  const double value = table.number(row, column);
  if (value <= 0) {
    throw InputError(fmt::format("{} must be positive, is {}", table.header[column], value),
                     table.where(row));
  }
  return value;
}

int whole(const CsvTable& table, std::size_t row, std::size_t column) {
  const double value = positive(table, row, column);
  if (value != std::floor(value) || value > 1e9) {
    throw InputError(fmt::format("{} must be a whole number, is {}", table.header[column], value),
                     table.where(row));
  }
  return static_cast<int>(value);
}

// Hz from MHz, exact to 1 Hz.
double hz(double mhz) {
  return std::round(mhz * 1e6);
}

Sweep& sweep_of(std::vector<Sweep>& sweeps, const std::string& source, const std::string& workload,
                const std::string& kind) {
  for (auto& sweep : sweeps) {
    if (sweep.workload == workload && sweep.kind == kind) return sweep;
  }
  sweeps.push_back({source, workload, kind, {}, {}});
  return sweeps.back();
}

}  // namespace

std::vector<OperatingPoint> Sweep::points() const {
  std::vector<OperatingPoint> result;
  result.reserve(observations.size());
  for (const auto& observation : observations) result.push_back(observation.point);
  return result;
}

std::vector<int> Sweep::batches() const {
  std::vector<int> result;
  for (const auto& observation : observations) result.push_back(observation.point.batch);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

KnobSpace Sweep::space() const {
  std::vector<PowerMode> modes;
  modes.reserve(observations.size());
  for (const auto& observation : observations) modes.push_back(observation.point.mode);
  return KnobSpace(std::move(modes));
}

std::vector<Sweep> read_sweeps(const std::string& path) {
  return sweeps_of(read_csv(path));
}

std::vector<Sweep> sweeps_of(const CsvTable& table) {
  const std::size_t time_column = table.require_column("time_ms");
  const std::size_t power_column = table.require_column("power_w");
  const auto workload_column = table.column("workload");
  const auto kind_column = table.column("kind");
  const auto batch_column = table.column("batch");
  const auto governor_column = table.column("governor");
  std::array<std::optional<std::size_t>, kKnobs.size()> knob_columns;
  for (const Knob knob : kKnobs) {
    knob_columns[static_cast<std::size_t>(knob)] = table.column(knob_field(knob));
  }
  if (table.rows.empty()) throw InputError("sweep has no rows", table.source);

  std::vector<Sweep> sweeps;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const auto& fields = table.rows[row];
    Sweep& sweep =
        sweep_of(sweeps, table.source, workload_column ? fields[*workload_column] : "workload",
                 kind_column ? fields[*kind_column] : "inference");
    Observation observation;
    if (batch_column) observation.point.batch = whole(table, row, *batch_column);
    for (const Knob knob : kKnobs) {
      const auto column = knob_columns[static_cast<std::size_t>(knob)];
      if (!column || fields[*column].empty()) continue;
      observation.point.mode.set(knob, knob == Knob::kCpuCores ? whole(table, row, *column)
                                                               : hz(positive(table, row, *column)));
    }
    if (governor_column) observation.point.mode.governor = fields[*governor_column];
    observation.time_s = positive(table, row, time_column) / 1e3;
    observation.power_w = positive(table, row, power_column);
    sweep.observations.push_back(observation);
    sweep.lines.push_back(table.lines[row]);
  }
  return sweeps;
}

Sweep read_sweep(const std::string& path) {
  std::vector<Sweep> sweeps = read_sweeps(path);
  if (sweeps.size() != 1) {
    throw InputError(fmt::format("holds {} workloads where one is wanted", sweeps.size()), path,
                     "split it by the columns workload and kind");
  }
  return std::move(sweeps.front());
}

std::string write_sweep_csv(const std::vector<Sweep>& sweeps) {
  std::array<bool, kKnobs.size()> present{};
  bool governor = false;
  bool batch = false;
  for (const auto& sweep : sweeps) {
    for (const auto& observation : sweep.observations) {
      for (const Knob knob : kKnobs) {
        if (observation.point.mode.has(knob)) present[static_cast<std::size_t>(knob)] = true;
      }
      governor = governor || !observation.point.mode.governor.empty();
      batch = batch || observation.point.batch > 0;
    }
  }
  std::string text = "workload,kind";
  if (batch) text += ",batch";
  for (const Knob knob : kKnobs) {
    if (present[static_cast<std::size_t>(knob)]) text += fmt::format(",{}", knob_field(knob));
  }
  text += governor ? ",governor,time_ms,power_w\n" : ",time_ms,power_w\n";
  for (const auto& sweep : sweeps) {
    for (const auto& observation : sweep.observations) {
      const auto& [point, time_s, power_w] = observation;
      text += csv_field(sweep.workload) + "," + csv_field(sweep.kind);
      if (batch) text += fmt::format(",{}", point.batch);
      for (const Knob knob : kKnobs) {
        if (!present[static_cast<std::size_t>(knob)]) continue;
        text +=
            point.mode.has(knob) ? fmt::format(",{}", knob_in_field_unit(point.mode, knob)) : ",";
      }
      if (governor) text += "," + csv_field(point.mode.governor);
      text += fmt::format(",{},{}\n", time_s * 1e3, power_w);
    }
  }
  return text;
}

}  // namespace ridgewatt
