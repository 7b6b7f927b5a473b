#include "ridgewatt/report/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/text.h"
#include "ridgewatt/report/caveats_json.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/estimate_report.h"

namespace ridgewatt::report {
namespace {

void put_point(Json& json, const tune::ComparedPoint& point, const tune::Goal& goal) {
  json["mode"] = mode_to_json(point.point.mode);
  if (point.point.batch > 0) json["batch"] = point.point.batch;
  add_cost_json(json, point.cost);
  if (!point.preset.empty()) json["preset"] = point.preset;
  if (goal.rate_hz > 0) {
    json["latency_ms"] =
        1e3 * tune::serving_latency_s(goal, point.point.batch, point.cost.time_s.mean);
  }
}

Observation mean_of(const tune::ComparedPoint& point) {
  return {point.point, point.cost.time_s.mean, point.cost.power_w.mean};
}

// What to profile next by hand.
Json next_json(const answer::TuneAnswer& report) {
  Json next = Json::array();
  for (const auto& [point, reason] : report.next) {
    Json entry = {{"mode", mode_to_json(point.mode)}, {"reason", reason}};
    if (point.batch > 0) entry["batch"] = point.batch;
    next.push_back(entry);
  }
  return next;
}

Json known_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

}  // namespace

Json twin_error_json(const twin::TwinFitError& fit) {
  return {{"time_mape", known_json(fit.time_mape)},
          {"power_mape", known_json(fit.power_mape)},
          {"unseen_time_mape", known_json(fit.unseen_time_mape)},
          {"unseen_power_mape", known_json(fit.unseen_power_mape)}};
}

Json tune_to_json(const answer::TuneAnswer& report) {
  Json json;
  json["feasible"] = report.answer.has_value();
  if (!report.workload.empty()) json["workload"] = report.workload;
  if (!report.device.empty()) json["device"] = report.device;
  json["minimize"] = std::string(name_of(report.goal.objective));
  if (report.answer) {
    put_point(json, *report.answer, report.goal);
    json["objective"] = report.answer->objective;
  } else if (report.miss) {
    Json miss;
    put_point(miss, *report.miss, report.goal);
    miss["misses"] = tune::explain_miss(report.goal, mean_of(*report.miss));
    miss["broken"] = broken_json(report.goal, mean_of(*report.miss));
    json["nearest_miss"] = miss;
  }
  if (report.answer && !report.confidence.empty()) {
    json["confidence"] = least_confidence(report.confidence);
    json["limits"] = confidence_json(report.confidence);
  }
  if (!report.answer) {
    json["mends"] = mend_json(report.mends);
    if (!report.advice.empty()) json["advice"] = report.advice;
    json["other_boards"] = boards_json(report.boards);
  }
  if (!report.batches.empty()) json["batches"] = report.batches;
  if (report.memory_known) {
    json["memory_bytes"] = report.memory.needed_bytes();
    json["memory_gb"] = memory_json(report.memory);
    json["fits_memory"] = report.fits_memory;
  }
  if (report.job && report.answer) {
    json["job_time_s"] = report.job->time_s;
    json["job_energy_j"] = report.job->energy_j;
    json["job_time_h"] = report.job->time_s / kSecondsPerHour;
    json["job_energy_wh"] = report.job->energy_j / kJoulesPerWh;
  }
  if (report.hold) json["hold"] = hold_json(*report.hold);
  json["profiled"] = Json::array();
  for (const auto& step : report.profiled) {
    Json entry;
    put_point(entry, tune::compared(report.goal, "", step.seen), report.goal);
    entry["feasible"] = step.verdict.feasibility == tune::Feasibility::kFeasible;
    entry["reason"] = step.reason;
    json["profiled"].push_back(entry);
  }
  if (!report.next.empty()) json["next"] = next_json(report);
  json["considered"] = report.considered;
  if (report.caveats) add_caveats(*report.caveats, json);
  json["strategy"] = report.strategy;
  json["seed"] = report.seed;
  json["provenance"] = name_of(report.provenance);
  add_origin(json, report.origin);
  if (report.precision) json["precision"] = name_of(*report.precision);
  if (report.twin_error) json["twin_error"] = twin_error_json(*report.twin_error);
  if (!report.widened_by.empty()) json["interval_widened_by"] = report.widened_by;
  if (!report.remark.empty()) json["remark"] = report.remark;
  const std::string note = preset_note(report);
  if (!note.empty()) json["preset_note"] = note;
  if (!report.stop.empty()) json["stopped_because"] = report.stop;
  json["search_time_s"] = report.board_time_s;
  json["search_energy_j"] = report.board_energy_j;
  json["compared"] = Json::array();
  for (std::size_t i = 0; i < report.others.size(); ++i) {
    const tune::ComparedPoint& other = report.others[i];
    Json entry;
    entry["name"] = other.name;
    if (i < report.other_holds.size()) entry["hold"] = hold_json(report.other_holds[i]);
    put_point(entry, other, report.goal);
    entry["feasible"] = other.verdict.feasibility == tune::Feasibility::kFeasible;
    if (report.answer) entry["objective_ratio"] = other.objective / report.answer->objective;
    json["compared"].push_back(entry);
  }
  return json;
}

Json ranking_to_json(const answer::TuneRanking& ranking) {
  const auto& reports = ranking.answers;
  Json json = reports.empty() ? Json::object() : tune_to_json(reports.front());
  const char* key = ranking.over == answer::TuneRanking::Over::kBoards ? "boards" : "runtimes";
  json[key] = Json::array();
  for (const auto& report : reports) json[key].push_back(tune_to_json(report));
  json["left_out"] = ranking.left_out;
  return json;
}

namespace {

// Probability that every limit is kept, of each alone the least; empty for what is measured.
Cell confidence_cell(const tune::Goal& goal, const tune::ComparedPoint& point) {
  const auto limits =
      tune::limit_confidence(goal, point.point, point.cost, point.time_over_reference);
  return limits.empty() ? Cell() : Cell(least_confidence(limits));
}

// The columns behind the knobs that the tables of this file share.
std::vector<Column> outcome_columns(const char* ratio, int ratio_rank, bool confidence) {
  std::vector<Column> columns = cost_columns();
  append(columns, {{.name = "objective_ratio", .heading = ratio, .digits = 3, .rank = ratio_rank},
                   {.name = "limits", .wrap = true}});
  if (confidence) columns.push_back({.name = "confidence", .digits = 2, .rank = 2, .wrap = true});
  return columns;
}

bool any_estimated(const tune::Goal& goal, const std::vector<const tune::ComparedPoint*>& points) {
  return std::any_of(points.begin(), points.end(), [&](const tune::ComparedPoint* point) {
    return point != nullptr && !tune::limit_confidence(goal, point->point, point->cost).empty();
  });
}

bool any_preset(const std::vector<const tune::ComparedPoint*>& points) {
  return std::any_of(points.begin(), points.end(), [](const tune::ComparedPoint* point) {
    return point != nullptr && !point->preset.empty() && point->preset != point->name;
  });
}

Cell text_cell(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

}  // namespace

Table ranking_table(const answer::TuneRanking& ranking) {
  const auto& reports = ranking.answers;
  const bool boards = ranking.over == answer::TuneRanking::Over::kBoards;
  std::vector<PowerMode> modes;
  std::vector<const tune::ComparedPoint*> points;
  bool batch = false;
  for (const auto& report : reports) {
    const auto& point = report.answer ? report.answer : report.miss;
    points.push_back(point ? &*point : nullptr);
    if (!point) continue;
    modes.push_back(point->point.mode);
    batch = batch || point->point.batch > 0;
  }
  const bool preset = any_preset(points);
  const bool confidence = !reports.empty() && any_estimated(reports.front().goal, points);
  std::vector<Column> columns = {{"device", "board"}};
  if (!boards) columns = {{"runtime"}, {"precision"}};
  const auto knobs = knob_columns(modes, 2);
  append(columns, knobs);
  if (preset) columns.push_back(column("preset", 2));
  if (batch) columns.push_back(column("batch"));
  append(columns, outcome_columns("objective, x best", 1, confidence));
  columns.push_back({.name = "twin", .rank = 3, .wrap = true});
  Table table(columns);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& report = reports[i];
    const auto* point = points[i];
    std::vector<Cell> row = {report.device};
    if (!boards) {
      row = {std::string(name_of(report.origin.runtime.value())),
             std::string(name_of(report.precision.value()))};
    }
    for (auto& cell : knob_cells(point ? point->point.mode : PowerMode(), knobs)) {
      row.push_back(std::move(cell));
    }
    if (preset) row.push_back(point ? text_cell(point->preset) : Cell());
    if (batch) row.emplace_back(point ? Cell(std::int64_t{point->point.batch}) : Cell());
    if (point)
      add_cost(row, point->cost);
    else
      row.resize(row.size() + cost_columns().size());
    const bool rank = report.answer && reports.front().answer;
    row.emplace_back(rank ? Cell(report.answer->objective / reports.front().answer->objective)
                          : Cell());
    std::string limits = "kept";
    if (!report.answer) {
      limits = report.fits_memory && point ? tune::explain_miss(report.goal, mean_of(*point))
                                           : "does not fit the memory";
    }
    row.emplace_back(limits);
    if (confidence) row.push_back(point ? confidence_cell(report.goal, *point) : Cell());
    row.emplace_back(report.origin.twin);
    table.add_row(std::move(row));
  }
  return table;
}

Table tune_table(const answer::TuneAnswer& report) {
  std::vector<const tune::ComparedPoint*> points;
  if (report.answer) points.push_back(&*report.answer);
  if (!report.answer && report.miss) points.push_back(&*report.miss);
  for (const auto& other : report.others) points.push_back(&other);
  std::vector<PowerMode> modes;
  bool batch = false;
  for (const auto* point : points) {
    modes.push_back(point->point.mode);
    batch = batch || point->point.batch > 0;
  }
  const bool preset = any_preset(points);
  const bool confidence = any_estimated(report.goal, points);
  std::vector<Column> columns = {{.name = "name", .heading = " ", .wrap = true}};
  const auto knobs = knob_columns(modes);
  append(columns, knobs);
  if (preset) columns.push_back(column("preset", 3));
  if (batch) columns.push_back(column("batch"));
  append(columns, outcome_columns("objective, x answer", 2, confidence));
  if (report.hold) {
    append(columns, {{.name = "held", .rank = 2, .wrap = true},
                     {.name = "sustained_w", .heading = "power held for ever (W)", .rank = 4}});
  }
  Table table(columns);
  const double base = points.empty() ? 1 : points.front()->objective;
  for (const auto* point : points) {
    std::vector<Cell> row = {point->name};
    for (auto& cell : knob_cells(point->point.mode, knobs)) row.push_back(std::move(cell));
    if (preset) row.push_back(text_cell(point->preset));
    if (batch) row.emplace_back(std::int64_t{point->point.batch});
    add_cost(row, point->cost);
    row.emplace_back(point->objective / base);
    row.emplace_back(point->verdict.feasibility == tune::Feasibility::kFeasible
                         ? std::string("kept")
                         : tune::explain_miss(report.goal, mean_of(*point)));
    if (confidence) row.push_back(confidence_cell(report.goal, *point));
    if (report.hold) {
      const std::size_t number = table.rows().size();
      const thermal::HoldAnswer& hold = number == 0 ? *report.hold : report.other_holds[number - 1];
      row.emplace_back(thermal::hold_text(hold));
      row.emplace_back(hold.sustained_w);
    }
    table.add_row(std::move(row));
  }
  return table;
}

Table trace_table(const answer::TuneAnswer& report) {
  std::vector<PowerMode> modes;
  bool batch = false;
  for (const auto& step : report.profiled) {
    modes.push_back(step.seen.point.mode);
    batch = batch || step.seen.point.batch > 0;
  }
  std::vector<Column> columns = {{"step"}};
  const auto knobs = knob_columns(modes);
  append(columns, knobs);
  if (batch) columns.push_back(column("batch"));
  append(columns, cost_columns());
  append(columns, {{.name = "feasibility", .heading = "limits"},
                   {.name = "reason", .heading = "why it was tried", .rank = 1, .wrap = true}});
  Table table(columns);
  for (std::size_t i = 0; i < report.profiled.size(); ++i) {
    const auto& step = report.profiled[i];
    std::vector<Cell> row = {static_cast<std::int64_t>(i + 1)};
    const auto cells = knob_cells(step.seen.point.mode, knobs);
    row.insert(row.end(), cells.begin(), cells.end());
    if (batch) row.emplace_back(std::int64_t{step.seen.point.batch});
    add_cost(row, step.seen);
    row.emplace_back(std::string(name_of(step.verdict.feasibility)));
    row.emplace_back(step.reason);
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace ridgewatt::report
