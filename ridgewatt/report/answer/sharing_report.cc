#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/schedule_report.h"

namespace ridgewatt::report {
namespace {

constexpr double kMsInS = 1e3;

// Adds the columns of a quantity and its bounds: "a_together_ms", "a_together_lo_ms" and
// "a_together_hi_ms".
void add_bounded_columns(std::vector<Column>& columns, const std::string& name,
                         const std::string& unit, const std::string& heading, int rank) {
  const std::string in = unit.empty() ? "" : " (" + unit + ")";
  const std::string suffix = unit.empty() ? "" : (unit == "W" ? "_w" : "_" + unit);
  columns.push_back({.name = name + suffix, .heading = heading + in, .rank = rank});
  columns.push_back(
      {.name = name + "_lo" + suffix, .heading = heading + " from" + in, .rank = rank + 2});
  columns.push_back(
      {.name = name + "_hi" + suffix, .heading = heading + " to" + in, .rank = rank + 2});
}

void add_bounded(std::vector<Cell>& cells, const schedule::Bounded& value, double factor = 1) {
  for (const double one : {value.value, value.lo, value.hi}) cells.emplace_back(factor * one);
}

}  // namespace

Table sharing_table(const answer::SharingAnswer& found) {
  const std::vector<Column> knobs = knob_columns(1);
  std::vector<Column> columns = knobs;
  for (const std::string name : {"a", "b"}) {
    columns.push_back({.name = name + "_batch", .heading = name + " batch", .rank = 1});
    columns.push_back({.name = name + "_alone_ms", .heading = name + " alone (ms)"});
    columns.push_back({.name = name + "_power_w", .heading = name + " alone (W)", .rank = 2});
    columns.push_back({.name = name + "_busy_share", .heading = name + " busy", .rank = 1});
    add_bounded_columns(columns, name + "_together", "ms", name + " with both", 0);
  }
  add_bounded_columns(columns, "factor", "", "factor", 0);
  add_bounded_columns(columns, "power", "W", "power", 0);
  columns.push_back({.name = "turns_ms", .heading = "in turns (ms)", .rank = 1});
  columns.push_back({.name = "turns_power_w", .heading = "in turns (W)", .rank = 1});
  columns.push_back({.name = "idle_power_w", .heading = "idle (W)", .rank = 3});
  for (Column& column : columns) {
    const std::string_view name = column.name;
    const auto at = name.find("_together");
    if (at == std::string_view::npos) continue;
    column.formerly = fmt::format("{}_beside{}", name.substr(0, at), name.substr(at + 9));
  }
  Table table(columns);
  for (const auto& [candidate, forecast] : found.rows) {
    std::vector<schedule::Minibatch> programs = candidate.train().minibatches;
    if (candidate.inference) programs.insert(programs.begin(), *candidate.inference);
    std::vector<Cell> cells = knob_cells(candidate.mode, knobs);
    for (std::size_t i = 0; i < 2; ++i) {
      cells.push_back(programs[i].batch > 0 ? Cell(std::int64_t{programs[i].batch}) : Cell());
      cells.emplace_back(kMsInS * programs[i].time_s);
      cells.emplace_back(programs[i].power_w);
      cells.push_back(known_cell(programs[i].busy_share));
      add_bounded(cells, forecast.time_s[i], kMsInS);
    }
    add_bounded(cells, forecast.factor);
    add_bounded(cells, forecast.power_w);
    cells.emplace_back(kMsInS * forecast.turns_s);
    cells.emplace_back(forecast.turns_power_w);
    cells.emplace_back(candidate.idle_power_w);
    table.add_row(std::move(cells));
  }
  return table;
}

Result sharing_result(const answer::SharingAnswer& found, OutputFormat format) {
  Result result{sharing_table(found)};
  result.data = with_origin(result.table, {found.origin});
  result.json =
      json_object({{"rows", result.data->to_json()}, {"twins", twins_json(found.grounds)}});
  if (format != OutputFormat::kTable) return result;
  result.notes = {fmt::format("a: {}; b: {}", found.programs[0], found.programs[1]),
                  "idle power: " + found.idle_source};
  for (auto& ground : ground_notes(found.grounds)) result.notes.push_back(std::move(ground));
  const bool known = std::all_of(found.rows.begin(), found.rows.end(),
                                 [](const auto& row) { return row.forecast.busy_known; });
  if (!known) {
    result.notes.push_back(
        "the busy shares of the programs are not known, so 1 is assumed, the worst case; state "
        "them with --busy-share");
  }
  return result;
}

}  // namespace ridgewatt::report
