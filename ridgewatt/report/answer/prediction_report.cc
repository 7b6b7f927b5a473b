#include "ridgewatt/report/prediction_report.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/predict/unvaried.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {

std::vector<std::string> advice_remarks(const std::vector<answer::ScenarioCost>& costs) {
  std::vector<std::string> remarks;
  const answer::ScenarioCost* best = nullptr;  // of the scenario; its methods are in order
  for (const auto& row : costs) {
    if (best == nullptr || best->scenario != row.scenario) best = &row;
    const auto& cost = row.cost;
    if (&row == best || cost.profiling_s > 0 || cost.total_s() >= best->cost.total_s()) continue;
    remarks.push_back(
        sentence("{}: the {} needs no profile and loses {:.3g} h; {}, the best method that meets "
                 "its budgets, costs {:.3g} h; the {} exceeds its budget by more than 1 W in up to "
                 "{:.3g} % of the cases",
                 row.scenario, cost.method.name, cost.total_s() / 3600, best->cost.method.name,
                 best->cost.total_s() / 3600, cost.method.name, 100 * cost.method.over_budget));
  }
  return remarks;
}

Table advice_table(const std::vector<answer::ScenarioCost>& costs) {
  using Row = answer::ScenarioCost;
  using predict::ChoiceMethod;
  using predict::MethodCost;
  constexpr double kHour = 3600;
  return table_of<Row>({{{.name = "scenario", .wrap = true}, at<&Row::scenario>},
                        {{"method"}, at<&Row::cost, &MethodCost::method, &ChoiceMethod::name>},
                        {{"modes"}, at<&Row::cost, &MethodCost::method, &ChoiceMethod::modes>},
                        {{.name = "confidence", .digits = 3},
                         at<&Row::cost, &MethodCost::method, &ChoiceMethod::confidence>},
                        {{.name = "profiling_h", .digits = 3},
                         [](const Row& row) -> Cell { return row.cost.profiling_s / kHour; }},
                        {{.name = "lost_h", .digits = 3},
                         [](const Row& row) -> Cell { return row.cost.lost_s / kHour; }},
                        {{.name = "total_h", .digits = 3},
                         [](const Row& row) -> Cell { return row.cost.total_s() / kHour; }},
                        {{.name = "over_budget_pct", .digits = 3},
                         times<100, &Row::cost, &MethodCost::method, &ChoiceMethod::over_budget>}},
                       costs);
}

Table prediction_table(std::span<const OperatingPoint> points,
                       std::span<const predict::Prediction> predictions) {
  const std::vector<Column> knobs = knob_columns();
  std::vector<Column> columns = knobs;
  append(columns, {column("batch")});
  append(columns, cost_interval_columns());
  Table table(columns);
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<Cell> row = knob_cells(points[i].mode, knobs);
    if (points[i].batch > 0)
      row.emplace_back(std::int64_t{points[i].batch});
    else
      row.emplace_back();
    add_cost_interval(row, predictions[i]);
    table.add_row(std::move(row));
  }
  return table;
}

Table prediction_table(std::span<const OperatingPoint> points,
                       std::span<const predict::Prediction> predictions,
                       const std::vector<RowOrigin>& origins) {
  return with_origin(prediction_table(points, predictions), origins);
}

Table preset_table(const std::vector<answer::PresetStanding>& presets, answer::FrontCost x,
                   answer::FrontCost y) {
  // The two costs that the user requested are always shown.
  const auto rank = [&](answer::FrontCost cost) { return cost == x || cost == y ? 0 : 2; };
  const int time = rank(answer::FrontCost::kTime), power = rank(answer::FrontCost::kPower),
            energy = rank(answer::FrontCost::kEnergy);
  const std::vector<Column> knobs = knob_columns(1);
  std::vector<Column> columns = {column("preset")};
  append(columns, knobs);
  append(columns, {column("batch")});
  append(columns, {column("time_ms", time), column("power_w", power), column("energy_j", energy)});
  append(columns, {{"better_modes"},
                   {.name = "dominated_by", .wrap = true},
                   {.name = "time_change_pct", .digits = 3, .rank = time},
                   {.name = "power_change_pct", .digits = 3, .rank = power},
                   {.name = "energy_change_pct", .digits = 3, .rank = energy}});
  Table table(columns);
  for (const auto& [name, sms_off, point, cost, origin, better, best] : presets) {
    std::vector<Cell> row = {name};
    for (auto& cell : knob_cells(point.mode, knobs)) row.push_back(std::move(cell));
    row.push_back(point.batch > 0 ? Cell(std::int64_t{point.batch}) : Cell());
    add_cost(row, cost);
    row.emplace_back(static_cast<std::int64_t>(better));
    row.push_back(best ? Cell(describe(best->point.mode)) : Cell());
    const auto change = [&, &by = best, &own = cost](predict::Estimate predict::Prediction::*of) {
      return by ? Cell(100 * ((by->cost.*of).mean / (own.*of).mean - 1)) : Cell();
    };
    row.push_back(change(&predict::Prediction::time_s));
    row.push_back(change(&predict::Prediction::power_w));
    row.push_back(change(&predict::Prediction::energy_j));
    table.add_row(std::move(row));
  }
  return table;
}

Json predictions_to_json(std::span<const OperatingPoint> points,
                         std::span<const predict::Prediction> predictions,
                         const std::vector<RowOrigin>& origins) {
  const auto columns = cost_interval_columns();
  Json result = Json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    Json row = json_object({{"mode", mode_to_json(points[i].mode)}});
    if (points[i].batch > 0) row["batch"] = points[i].batch;
    std::vector<Cell> cells;
    add_cost_interval(cells, predictions[i]);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto number = cell_number(cells[c]);  // empty: there is no interval
      row[std::string(columns[c].name)] = known_json(number);
    }
    add_origin(row, origins[origins.size() == 1 ? 0 : i]);
    result.push_back(std::move(row));
  }
  return result;
}

Json predictions_to_json(const answer::PredictAnswer& found) {
  if (found.predictions.empty()) return points_table(found.points).to_json();
  Json rows = predictions_to_json(found.points, found.predictions, found.origins);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const PointAxis axis : predict::unvaried_at(found.unvaried, found.points[i])) {
      rows[i]["unvaried"].push_back(axis_field(axis));
    }
    if (!found.rests_on_a_part()) continue;
    rows[i]["samples"] = found.summary->samples;
    rows[i]["fitted_samples"] = found.summary->part;
  }
  return rows;
}

Table points_table(const std::vector<OperatingPoint>& points) {
  const std::vector<Column> columns = knob_columns();
  Table table(columns);
  for (const auto& point : points) table.add_row(knob_cells(point.mode, columns));
  return table;
}

std::vector<std::string> prediction_remarks(const answer::PredictAnswer& found,
                                            std::uint64_t seed) {
  std::vector<std::string> remarks = found.remarks;
  if (found.rests_on_a_part()) {
    remarks.push_back(
        fmt::format("parameters are fitted to {} of the {}, spread over the space; each prediction "
                    "uses the nearest of all samples (seed {})",
                    found.summary->part, counted(found.summary->samples, "sample"), seed));
  }
  return remarks;
}

Result predictions_result(const answer::PredictAnswer& found, std::uint64_t seed,
                          OutputFormat format) {
  Result result;
  if (format == OutputFormat::kJson) {
    result.json = predictions_to_json(found);
  } else {
    result.table = prediction_table(found.points, found.predictions);
    result.data = prediction_table(found.points, found.predictions, found.origins);
  }
  result.remarks = prediction_remarks(found, seed);
  return result;
}

Result presets_result(const std::vector<answer::PresetStanding>& presets, answer::FrontCost x,
                      answer::FrontCost y, const RowOrigin& origin) {
  Result result{preset_table(presets, x, y)};
  std::vector<RowOrigin> origins;
  std::size_t dominated = 0;
  for (const auto& preset : presets) {
    origins.push_back(preset.origin);
    if (preset.best) ++dominated;
    if (preset.sms_off > 0) {
      result.remarks.push_back(
          fmt::format("{} also disables {}, which is not in the rows: only its knobs are "
                      "compared",
                      preset.name, counted(preset.sms_off, "streaming multiprocessor")));
    }
  }
  result.data = with_origin(result.table, origins);
  result.remarks.push_back(fmt::format("another mode is better than {} of {} in both {} and {}; {}",
                                       dominated, counted(presets.size(), "preset"), name_of(x),
                                       name_of(y), describe(origin)));
  return result;
}

}  // namespace ridgewatt::report
