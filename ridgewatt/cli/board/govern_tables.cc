#include "ridgewatt/cli/board/govern_tables.h"

#include <algorithm>

#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/job_text.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::cli {

bool goal_held(const GovernResult& result) {
  const double allowed = govern::tolerance(result.goal.kind());
  switch (result.goal.kind()) {
    case govern::GoalKind::kDeadline:
      return result.minibatches >= result.goal.minibatches * (1 - 1e-9) &&
             result.end_s <= (1 + allowed) * result.goal.end_s;
    case govern::GoalKind::kEnergy:
      return result.energy_j <= (1 + allowed) * result.goal.energy_j;
    case govern::GoalKind::kPower:
      return result.over_share <= allowed;
    case govern::GoalKind::kLatency:
      return result.late_share <= allowed;
  }
  return false;
}

report::Table govern_table(const GovernResult& result) {
  report::Table table({{.name = "goal", .wrap = true},
                       {"held"},
                       {"end_s", "end (s)"},
                       {"minibatches"},
                       {"energy_wh", "energy (Wh)"},
                       {"power_w", "mean power (W)"},
                       {.name = "switches", .rank = 1},
                       {.name = "trials", .rank = 2},
                       {.name = "how", .heading = "how it ended", .rank = 1, .wrap = true},
                       {.name = "provenance", .rank = 1}});
  table.add_row({result.goal.text(), std::string(goal_held(result) ? "yes" : "no"), result.end_s,
                 result.minibatches, result.energy_j / report::kJoulesPerWh,
                 result.end_s > 0 ? report::Cell(result.energy_j / std::max(result.end_s, 1e-9))
                                  : report::Cell(),
                 static_cast<std::int64_t>(result.switches),
                 static_cast<std::int64_t>(result.trials), result.how,
                 std::string(name_of(result.provenance))});
  return table;
}

Json govern_to_json(const GovernResult& result) {
  const auto limit = [](double value) {
    return value < govern::Goal::kNone ? Json(value) : Json();
  };
  Json json;
  json["goal"] = {
      {"kind", name_of(result.goal.kind())},
      {"end_s", limit(result.goal.end_s)},
      {"minibatches", result.goal.minibatches > 0 ? Json(result.goal.minibatches) : Json()},
      {"energy_j", limit(result.goal.energy_j)},
      {"power_w", limit(result.goal.power_w)},
      {"latency_s", limit(result.goal.latency_s)},
      {"batch", result.goal.batch}};
  json["held"] = goal_held(result);
  json["device"] = result.device;
  if (!result.workload.empty()) json["workload"] = result.workload;
  json["end_s"] = result.end_s;
  json["minibatches"] = result.minibatches;
  json["energy_j"] = result.energy_j;
  json["energy_wh"] = result.energy_j / report::kJoulesPerWh;
  json["over_share"] = result.over_share;
  json["late_share"] = result.late_share;
  json["switches"] = result.switches;
  json["trials"] = result.trials;
  json["modes"] = result.modes;
  json["how"] = result.how;
  json["provenance"] = name_of(result.provenance);
  return json;
}

report::Table govern_steps_table(const std::vector<GovernStepRow>& steps) {
  std::vector<PowerMode> modes;
  for (const auto& step : steps) {
    if (!step.resting) modes.push_back(step.mode);
  }
  std::vector<report::Column> columns = {{"begin_s", "from (s)"}};
  const auto knobs = report::knob_columns(modes);
  report::append(columns, knobs);
  report::append(columns,
                 {{"reason"},
                  {"time_ms", "minibatch (ms)"},
                  {"power_w"},
                  {"minibatches", "minibatches so far"},
                  {"energy_j", "energy so far (J)"},
                  {.name = "expected_end_s", .heading = "expected end (s)", .rank = 1},
                  {.name = "expected_energy_j", .heading = "expected energy (J)", .rank = 1}});
  report::Table table(std::move(columns));
  for (const auto& step : steps) {
    std::vector<report::Cell> row = {step.begin_s};
    for (auto& cell : report::knob_cells(step.resting ? PowerMode() : step.mode, knobs)) {
      row.push_back(std::move(cell));
    }
    row.emplace_back(step.decision.reason);
    const double working_s = step.seen.duration_s - step.seen.paused_s;
    row.emplace_back(step.seen.minibatches > 0
                         ? report::Cell(1e3 * working_s / step.seen.minibatches)
                         : report::Cell());
    row.emplace_back(step.seen.energy_j > 0 && step.seen.duration_s > 0
                         ? report::Cell(step.seen.energy_j / step.seen.duration_s)
                         : report::Cell());
    row.emplace_back(step.minibatches);
    row.emplace_back(step.energy_j);
    row.emplace_back(step.decision.end_s > 0 ? report::Cell(step.decision.end_s) : report::Cell());
    row.emplace_back(step.decision.energy_j > 0 ? report::Cell(step.decision.energy_j)
                                                : report::Cell());
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace ridgewatt::cli
