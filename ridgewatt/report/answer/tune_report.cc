#include "ridgewatt/report/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/estimate_report.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

constexpr char kNoMemory[] = "does not fit the memory";

}  // namespace

Json twin_error_json(const twin::TwinFitError& fit) {
  return json_object({{"time_mape", known_json(fit.time_mape)},
                      {"power_mape", known_json(fit.power_mape)},
                      {"unseen_time_mape", known_json(fit.unseen_time_mape)},
                      {"unseen_power_mape", known_json(fit.unseen_power_mape)}});
}

namespace {

// Omits the key if the value is unknown.
template <class Value>
void put_known(Json& json, const char* key, const std::optional<Value>& value) {
  if (value) json[key] = *value;
}

void put_outcome(const answer::TuneOutcome& outcome, Json& json) {
  const bool found = outcome.best.has_value();
  if (found) {
    write_json(point_fields(), *outcome.best, json);
    json["objective"] = outcome.best->objective;
    if (!outcome.best->confidence.empty()) {
      put_known(json, "confidence", tune::least_confidence(outcome.best->confidence));
      json["limits"] = confidence_json(outcome.best->confidence);
    }
    return;
  }
  if (outcome.miss) {
    Json miss;
    write_json(point_fields(), *outcome.miss, miss);
    miss["misses"] = outcome.fits_memory ? outcome.miss->misses : kNoMemory;
    miss["broken"] = broken_json(outcome.miss->broken);
    json["nearest_miss"] = miss;
  }
  for (const char* name : {"relaxations", "mends"}) {  // "mends" is deprecated
    json[name] = json_list(relaxation_fields(), outcome.relaxations);
  }
  put_known(json, "advice", outcome.advice);
  json["other_boards"] = json_list(other_board_fields(), outcome.boards);
}

void put_needs(const answer::TuneOutcome& outcome, Json& json) {
  if (outcome.memory) {
    json["memory_bytes"] = outcome.memory->needed_bytes();
    json["memory_gb"] = memory_json(*outcome.memory);
    json["fits_memory"] = outcome.fits_memory;
  }
  if (outcome.job && outcome.best) {
    json["job_time_s"] = outcome.job->time_s;
    json["job_energy_j"] = outcome.job->energy_j;
    json["job_time_h"] = outcome.job->time_s / kSecondsPerHour;
    json["job_energy_wh"] = outcome.job->energy_j / kJoulesPerWh;
  }
  if (outcome.best && outcome.best->hold) json["hold"] = hold_json(*outcome.best->hold);
}

void put_source(const answer::TuneSource& source, Json& json) {
  json["provenance"] = name_of(source.provenance);
  add_origin(json, source.origin);
  if (source.precision) json["precision"] = name_of(*source.precision);
  if (source.twin_error) json["twin_error"] = twin_error_json(*source.twin_error);
  if (!source.widened_by.empty()) json["interval_widened_by"] = source.widened_by;
  put_known(json, "remark", source.remark);
  if (!source.idle_power.empty()) json["idle_power"] = source.idle_power;
}

Json compared_json(const answer::TuneOutcome& outcome) {
  Json compared = Json::array();
  for (const auto& other : outcome.compared) {
    Json entry;
    entry["name"] = other.name;
    if (other.hold) entry["hold"] = hold_json(*other.hold);
    write_json(point_fields(), other, entry);
    entry["feasible"] = outcome.fits_memory && other.feasible();
    if (outcome.best) entry["objective_ratio"] = other.objective / outcome.best->objective;
    compared.push_back(entry);
  }
  return compared;
}

}  // namespace

Json tune_to_json(const answer::TuneAnswer& report) {
  const auto& [outcome, trace, source] = report;
  Json json;
  json["feasible"] = outcome.best.has_value();
  if (!source.workload.empty()) json["workload"] = source.workload;
  put_known(json, "device", source.device);
  json["minimize"] = std::string(name_of(outcome.goal.objective));
  put_outcome(outcome, json);
  if (!trace.batches.empty()) json["batches"] = trace.batches;
  put_needs(outcome, json);
  json["profiled"] = json_list(profiled_fields(), profiled_points(report));
  if (const auto stored = stored_points(report); !stored.empty()) {
    json["stored"] = json_list(profiled_fields(), stored);
  }
  if (!trace.next.empty()) json["next"] = json_list(next_fields(), trace.next);
  json["considered"] = trace.considered;
  if (source.caveats) add_caveats(*source.caveats, json);
  json["strategy"] = trace.strategy;
  json["seed"] = trace.seed;
  put_source(source, json);
  if (auto sentences = tune_sentences(report); !sentences.empty()) json["sentences"] = sentences;
  const std::string note = preset_note(report);
  if (!note.empty()) json["preset_note"] = note;
  put_remarks(tune_cautions(report), json);
  put_known(json, "stopped_because", trace.stopped_because);
  put_known(json, "near_best", trace.near_best);
  json["search_time_s"] = trace.board_time_s;
  json["search_energy_j"] = trace.board_energy_j;
  json["compared"] = compared_json(outcome);
  return json;
}

Json ranking_to_json(const answer::TuneRanking& ranking) {
  const auto& reports = ranking.answers;
  Json json = reports.empty() ? Json::object() : tune_to_json(reports.front());
  const char* key = ranking.over == answer::TuneRanking::Over::kBoards ? "boards" : "runtimes";
  json[key] = Json::array();
  for (const auto& report : reports) json[key].push_back(tune_to_json(report));
  json["left_out"] = ranking.left_out;
  for (auto& remark : ranking_remarks(ranking)) json["remarks"].push_back(std::move(remark));
  return json;
}

namespace {

// The lowest of the probabilities of meeting each single limit. Empty for measured points.
Cell confidence_cell(const tune::ComparedPoint& point) {
  const auto least = tune::least_confidence(point.confidence);
  return known_cell(least);
}

// The columns after the knobs, common to the tables of this file.
std::vector<Column> outcome_columns(Label ratio, int ratio_rank) {
  std::vector<Column> columns = cost_columns();
  append(columns, {{.name = "objective_ratio", .heading = ratio, .digits = 3, .rank = ratio_rank},
                   {.name = "limits", .wrap = true}});
  columns.push_back({.name = "confidence", .digits = 2, .rank = 2, .wrap = true, .optional = true});
  return columns;
}

// "kept", the limits that the point breaks, or a note that the confidence is too low.
std::string limits_text(const answer::TuneAnswer& report, const tune::ComparedPoint& point) {
  if (!report.outcome.fits_memory) return kNoMemory;
  if (!point.feasible()) return point.misses;
  const double required = report.outcome.confidence;
  const auto least = tune::least_confidence(point.confidence);
  if (required <= 0.5 || !least || *least >= required) return "met";
  return sentence("met with a probability below {:.3g} %", 100 * required);
}

// The preset of the row, unless the row already has its name.
Cell preset_cell(const tune::ComparedPoint& point) {
  return point.preset.empty() || point.preset == point.name ? Cell() : Cell(point.preset);
}

Cell batch_cell(const OperatingPoint& point) {
  return point.batch > 0 ? Cell(std::int64_t{point.batch}) : Cell();
}

}  // namespace

Table ranking_table(const answer::TuneRanking& ranking) {
  const auto& reports = ranking.answers;
  const bool boards = ranking.over == answer::TuneRanking::Over::kBoards;
  std::vector<const tune::ComparedPoint*> points;
  for (const auto& report : reports) {
    const auto& point = report.outcome.best ? report.outcome.best : report.outcome.miss;
    points.push_back(point ? &*point : nullptr);
  }
  std::vector<Column> columns = {{"device", "board"}};
  if (!boards) columns = {{"runtime"}, {"precision"}};
  const auto knobs = knob_columns(2);
  append(columns, knobs);
  append(columns, {optional_column("preset", 2), optional_column("batch")});
  append(columns, outcome_columns("objective, x best", 1));
  columns.push_back({.name = "twin", .rank = 3, .wrap = true});
  Table table(columns);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& report = reports[i];
    const auto* point = points[i];
    std::vector<Cell> row = {report.source.device.value_or("")};
    if (!boards) {
      row = {std::string(name_of(report.source.origin.runtime.value())),
             std::string(name_of(report.source.precision.value()))};
    }
    for (auto& cell : knob_cells(point ? point->point.mode : PowerMode(), knobs)) {
      row.push_back(std::move(cell));
    }
    row.push_back(point && !point->preset.empty() ? Cell(point->preset) : Cell());
    row.push_back(point ? batch_cell(point->point) : Cell());
    if (point)
      add_cost(row, point->cost);
    else
      row.resize(row.size() + cost_columns().size());
    const auto& first = reports.front().outcome.best;
    row.emplace_back(report.outcome.best && first
                         ? Cell(report.outcome.best->objective / first->objective)
                         : Cell());
    row.emplace_back(point ? limits_text(report, *point) : std::string(kNoMemory));
    row.push_back(point ? confidence_cell(*point) : Cell());
    row.emplace_back(report.source.origin.twin);
    table.add_row(std::move(row));
  }
  return table;
}

Table tune_table(const answer::TuneAnswer& report) {
  std::vector<const tune::ComparedPoint*> points;
  if (report.outcome.best) points.push_back(&*report.outcome.best);
  if (!report.outcome.best && report.outcome.miss) points.push_back(&*report.outcome.miss);
  for (const auto& other : report.outcome.compared) points.push_back(&other);
  std::vector<Column> columns = {{.name = "name", .heading = " ", .wrap = true}};
  const auto knobs = knob_columns();
  append(columns, knobs);
  append(columns, {optional_column("preset", 3), optional_column("batch")});
  append(columns, outcome_columns("objective, x answer", 2));
  const bool held = report.outcome.best && report.outcome.best->hold;
  if (held) {
    append(columns, {{.name = "held", .rank = 2, .wrap = true},
                     {.name = "sustained_w", .heading = "sustained power (W)", .rank = 4}});
  }
  Table table(columns);
  const double base = points.empty() ? 1 : points.front()->objective;
  for (const auto* point : points) {
    std::vector<Cell> row = {point->name};
    for (auto& cell : knob_cells(point->point.mode, knobs)) row.push_back(std::move(cell));
    row.push_back(preset_cell(*point));
    row.push_back(batch_cell(point->point));
    add_cost(row, point->cost);
    row.emplace_back(point->objective / base);
    row.emplace_back(limits_text(report, *point));
    row.push_back(confidence_cell(*point));
    if (held) {
      row.emplace_back(point->hold ? Cell(thermal::hold_text(*point->hold)) : Cell());
      row.emplace_back(point->hold ? Cell(point->hold->sustained_w) : Cell());
    }
    table.add_row(std::move(row));
  }
  return table;
}

Table trace_table(const answer::TuneAnswer& report) {
  std::vector<Column> columns = {{"step"}};
  const auto knobs = knob_columns();
  append(columns, knobs);
  columns.push_back(optional_column("batch"));
  append(columns, cost_columns());
  append(columns, {{.name = "feasibility", .heading = "limits"},
                   {.name = "reason", .heading = "why it was tried", .rank = 1, .wrap = true}});
  Table table(columns);
  std::int64_t number = 0;
  const auto add = [&](Cell step_number, const tune::SearchStep& step) {
    std::vector<Cell> row = {std::move(step_number)};
    const auto cells = knob_cells(step.seen.point.mode, knobs);
    row.insert(row.end(), cells.begin(), cells.end());
    row.push_back(batch_cell(step.seen.point));
    add_cost(row, step.seen);
    row.emplace_back(std::string(name_of(step.verdict.feasibility)));
    row.emplace_back(step.reason);
    table.add_row(std::move(row));
  };
  for (const auto& step : stored_steps(report)) add(Cell(), step);
  for (const auto& step : report.trace.profiled) add(++number, step);
  return table;
}

}  // namespace ridgewatt::report
