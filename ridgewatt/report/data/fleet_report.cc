#include <fmt/format.h>

#include <cmath>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/report/campaign_report.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/rows.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

using campaign::BoardEffect;
using campaign::QuantityEffect;

Table fleet_boards_table(const campaign::FleetStatus& status) {
  using Board = campaign::BoardStatus;
  return table_of<Board>(
      {{{"board"}, at<&Board::name>},
       {{"board_kind"}, text_in<&Board::kind>},
       {{.name = "fleet", .rank = 4}, text_in<&Board::fleet>},
       {{.name = "serial", .rank = 4}, text_in<&Board::serial>},
       {{.name = "workload", .rank = 3}, text_in<&Board::workload>},
       {{"up"}, at<&Board::up>},
       {{.name = "window_power_w", .heading = "power (W)"}, at<&Board::power_w>},
       {{.name = "day_energy_j", .heading = "energy of the day (J)"}, at<&Board::energy_j>},
       {{.name = "preset", .rank = 1}, text_in<&Board::preset>},
       {{.name = "mode", .rank = 2}, text_in<&Board::mode>},
       {{.name = "temperature_c", .heading = "hottest (C)", .digits = 3, .rank = 1},
        at<&Board::temperature_c>},
       {{.name = "throttled", .rank = 1},
        [](const Board& board) {
          return board.throttled_known ? plain_cell(board.throttled) : Cell();
        }},
       {{.name = "throttle_events", .digits = 3, .rank = 3}, at<&Board::throttle_events>},
       {{.name = "last_seen_s", .heading = "seen before (s)", .digits = 3},
        at<&Board::last_seen_s>},
       {{.name = "in_store", .rank = 4}, at<&Board::in_store>}},
      status.boards);
}

Table fleet_modes_table(const campaign::FleetStatus& status) {
  using Mode = campaign::DominatedMode;
  return table_of<Mode>(
      {{{"board"}, at<&Mode::name>},
       {{.name = "board_kind", .rank = 2}, at<&Mode::kind>},
       {{"workload"}, at<&Mode::workload>},
       {{.name = "work", .rank = 1}, at<&Mode::work_kind>},
       {{.name = "batch", .rank = 1}, at<&Mode::batch>},
       {{.name = "mode", .rank = 1}, at<&Mode::mode>},
       {{"better_mode"}, at<&Mode::better>},
       {{.name = "time_pct", .heading = "time there (%)", .digits = 3}, times<100, &Mode::time>},
       {{.name = "power_pct", .heading = "power there (%)", .digits = 3},
        times<100, &Mode::power>}},
      status.dominated);
}

Table fleet_drift_table(const campaign::FleetStatus& status) {
  using Drift = campaign::BoardDrift;
  return table_of<Drift>({{{"board_kind"}, at<&Drift::kind>},
                          {{"serial"}, text_in<&Drift::serial>},
                          {{"workload"}, at<&Drift::workload>},
                          {{.name = "work", .rank = 1}, at<&Drift::work_kind>},
                          {{"points"}, at<&Drift::points>},
                          {{.name = "time_pct", .heading = "drift of time (%)", .digits = 3},
                           times<100, &Drift::time>},
                          {{.name = "power_pct", .heading = "drift of power (%)", .digits = 3},
                           times<100, &Drift::power>}},
                         status.drifts);
}

Table fleet_energy_table(const campaign::FleetStatus& status) {
  using Energy = campaign::WorkloadEnergy;
  return table_of<Energy>(
      {{{"workload"}, at<&Energy::workload>},
       {{"source"}, at<&Energy::source>},
       {{.name = "day_energy_j", .heading = "energy (J)"}, at<&Energy::energy_j>}},
      status.workloads);
}

Table fleet_table(const campaign::FleetStatus& status, FleetPart part) {
  switch (part) {
    case FleetPart::kBoards:
      return fleet_boards_table(status);
    case FleetPart::kModes:
      return fleet_modes_table(status);
    case FleetPart::kDrift:
      return fleet_drift_table(status);
    case FleetPart::kEnergy:
      return fleet_energy_table(status);
  }
  return fleet_boards_table(status);
}

std::string totals_line(const campaign::FleetTotals& totals) {
  std::string line = counted(totals.boards, "board");
  if (totals.up) line += fmt::format(", {} up", *totals.up);
  if (totals.power_w) line += fmt::format(", {:.1f} W", *totals.power_w);
  if (totals.energy_j) line += fmt::format(", {:.3f} kWh in the day", *totals.energy_j / 3.6e6);
  return line + '\n';
}

struct EffectRow {
  const BoardEffect& board;
};

// Converts the logarithm of a factor to a percentage.
double percent_of_log(double logarithm) {
  return 100 * std::expm1(logarithm);
}
Cell percent_cell(const std::optional<double>& logarithm) {
  return logarithm ? Cell(percent_of_log(*logarithm)) : Cell();
}
// Converts a slope to the change per doubling of the value.
Cell doubling_cell(const std::optional<double>& slope) {
  return slope ? Cell(percent_of_log(*slope * std::log(2))) : Cell();
}
std::optional<double> low(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->lo) : std::nullopt;
}
std::optional<double> high(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->hi) : std::nullopt;
}

// Adds the fields for time or power. Empty for a board that shares no point with other boards.
template <QuantityEffect BoardEffect::*kQuantity>
void add_effect_fields(const std::string& name, std::vector<Field<EffectRow>>& fields) {
  const auto add = [&](Column column, Cell (*get)(const EffectRow&)) {
    column.name = name + std::string(column.name);
    column.digits = 2;
    fields.push_back({column, get});
  };
  add({"_pct"}, [](const EffectRow& row) {
    return row.board.known ? percent_cell((row.board.*kQuantity).offset) : Cell();
  });
  add({.name = "_lo_pct", .rank = 1}, [](const EffectRow& row) {
    return row.board.known ? percent_cell(low((row.board.*kQuantity).offset_interval)) : Cell();
  });
  add({.name = "_hi_pct", .rank = 1}, [](const EffectRow& row) {
    return row.board.known ? percent_cell(high((row.board.*kQuantity).offset_interval)) : Cell();
  });
  add({.name = "_slope_pct", .heading = name + " by doubling (%)", .rank = 2},
      [](const EffectRow& row) {
        return row.board.known ? doubling_cell((row.board.*kQuantity).slope) : Cell();
      });
  add({.name = "_slope_lo_pct", .rank = 4}, [](const EffectRow& row) {
    return row.board.known ? doubling_cell(low((row.board.*kQuantity).slope_interval)) : Cell();
  });
  add({.name = "_slope_hi_pct", .rank = 4}, [](const EffectRow& row) {
    return row.board.known ? doubling_cell(high((row.board.*kQuantity).slope_interval)) : Cell();
  });
  add({.name = "_noise_pct", .rank = 3}, [](const EffectRow& row) {
    const auto& effect = row.board.*kQuantity;
    return row.board.known && effect.offset_interval ? Cell(100 * effect.noise) : Cell();
  });
}

// The unusual quantities, for example "time", "time, power" or "power unsteady".
Cell odd_in(const EffectRow& row) {
  const QuantityEffect &time = row.board.time, &power = row.board.power;
  std::string text;
  const std::pair<bool, const char*> odd[] = {{time.outlier, "time"},
                                              {power.outlier, "power"},
                                              {time.unsteady, "time unsteady"},
                                              {power.unsteady, "power unsteady"}};
  for (const auto& [holds, what] : odd) {
    if (holds) text += (text.empty() ? "" : ", ") + std::string(what);
  }
  return text_or_empty(text);
}

}  // namespace

Result fleet_result(const campaign::FleetStatus& status, FleetPart data) {
  Result result{fleet_boards_table(status), fleet_table(status, data)};
  const auto totals = campaign::totals_of(status);
  Table modes = fleet_modes_table(status), drift = fleet_drift_table(status),
        energy = fleet_energy_table(status);
  result.json =
      json_object({{"boards", result.table.to_json()},
                   {"totals", json_object({{"boards", totals.boards},
                                           {"up", known_json(totals.up)},
                                           {"window_power_w", known_json(totals.power_w)},
                                           {"day_energy_j", known_json(totals.energy_j)}})},
                   {"modes", modes.to_json()},
                   {"drift", drift.to_json()},
                   {"energy", energy.to_json()},
                   {"missing", status.missing}});
  result.after = {{totals_line(totals)}};
  result.add("Modes for which another mode is better in time and power:", std::move(modes));
  result.add("Points of the day compared with other points of the same mode:", std::move(drift));
  result.add("Energy of the day by workload:", std::move(energy));
  for (const auto& missing : status.missing) result.notes.push_back("not known: " + missing);
  return result;
}

std::vector<std::string> merge_remarks(const campaign::MergedSweep& kind,
                                       std::vector<std::string> remarks) {
  const std::string name = describe(kind.sweep.origin());
  for (const auto& text : kind.effects.remarks) remarks.push_back(name + ": " + text);
  return remarks;
}

Result board_effects_result(const std::vector<campaign::MergedSweep>& kinds) {
  std::vector<EffectRow> rows;
  std::vector<RowOrigin> origins;
  for (const auto& kind : kinds) {
    for (const auto& board : kind.effects.boards) {
      rows.push_back({board});
      origins.push_back(kind.sweep.origin());
    }
  }
  std::vector<Field<EffectRow>> fields = {
      {{"serial"}, [](const EffectRow& row) -> Cell { return row.board.board; }}};
  add_effect_fields<&BoardEffect::time>("time", fields);
  add_effect_fields<&BoardEffect::power>("power", fields);
  fields.push_back({{.name = "outlier", .heading = "outlier in"}, odd_in});
  fields.push_back({{.name = "points", .rank = 1},
                    [](const EffectRow& row) { return plain_cell(row.board.points); }});
  fields.push_back({{.name = "shared", .heading = "shared points"},
                    [](const EffectRow& row) { return plain_cell(row.board.shared); }});
  Result result{with_origin(table_of(fields, rows), origins)};
  for (const auto& kind : kinds) {
    result.remarks = merge_remarks(kind, std::move(result.remarks));
    for (const auto& aside : kind.effects.set_aside) {
      result.remarks.push_back(
          fmt::format("{}: {} at {}, batch {}: {} differs by {:+.0f} %, left out",
                      describe(kind.sweep.origin()), aside.board, describe(aside.point.mode),
                      aside.point.batch, aside.quantity, percent_of_log(aside.deviation)));
    }
  }
  return result;
}

}  // namespace ridgewatt::report
