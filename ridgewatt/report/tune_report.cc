#include "ridgewatt/report/tune_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/base/text.h"
#include "ridgewatt/report/caveats_json.h"

namespace ridgewatt {
namespace {

double samples(const OperatingPoint& point) {
  return std::max(point.batch, 1);
}

void put_estimate(Json& json, const std::string& name, const std::string& unit,
                  const Estimate& value, double scale) {
  json[name + "_" + unit] = value.mean * scale;
  if (value.lo == value.hi) return;
  json[name + "_lo_" + unit] = value.lo * scale;
  json[name + "_hi_" + unit] = value.hi * scale;
}

void put_point(Json& json, const ComparedPoint& point, const Goal& goal) {
  json["mode"] = mode_to_json(point.point.mode);
  if (point.point.batch > 0) json["batch"] = point.point.batch;
  put_estimate(json, "time", "ms", point.cost.time_s, 1e3);
  put_estimate(json, "power", "w", point.cost.power_w, 1);
  put_estimate(json, "energy", "j", point.cost.energy_j, 1);
  if (goal.rate_hz > 0) {
    json["latency_ms"] = 1e3 * serving_latency_s(goal, point.point.batch, point.cost.time_s.mean);
  }
}

std::string feasibility_name(Feasibility feasibility) {
  switch (feasibility) {
    case Feasibility::kFeasible:
      return "feasible";
    case Feasibility::kInfeasible:
      return "infeasible";
    case Feasibility::kUnknown:
      return "unknown";
  }
  return "unknown";
}

Observation mean_of(const ComparedPoint& point) {
  return {point.point, point.cost.time_s.mean, point.cost.power_w.mean};
}

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

std::string with_interval(const Estimate& value, double scale, const char* unit) {
  std::string text = fmt::format("{:.3g} {}", value.mean * scale, unit);
  if (value.lo < value.hi) {
    text += fmt::format(" ({:.3g} to {:.3g})", value.lo * scale, value.hi * scale);
  }
  return text;
}

}  // namespace

Json tune_to_json(const TuneReport& report) {
  Json json;
  json["feasible"] = report.answer.has_value();
  if (!report.workload.empty()) json["workload"] = report.workload;
  if (!report.device.empty()) json["device"] = report.device;
  json["minimize"] = std::string(objective_name(report.goal.objective));
  if (report.answer) {
    put_point(json, *report.answer, report.goal);
    json["objective"] = report.answer->objective;
  } else if (report.miss) {
    Json miss;
    put_point(miss, *report.miss, report.goal);
    miss["misses"] = explain_miss(report.goal, mean_of(*report.miss));
    json["nearest_miss"] = miss;
  }
  if (report.memory_known) {
    json["memory_bytes"] = report.memory_bytes;
    json["fits_memory"] = report.fits_memory;
  }
  if (report.job_samples > 0 && report.answer) {
    const double minibatches = report.job_samples / samples(report.answer->point);
    json["job_time_s"] = minibatches * report.answer->cost.time_s.mean;
    json["job_energy_j"] = minibatches * report.answer->cost.energy_j.mean;
  }
  json["profiled"] = Json::array();
  for (const auto& step : report.profiled) {
    Json entry;
    put_point(entry, compared(report.goal, "", step.seen), report.goal);
    entry["feasible"] = step.verdict.feasibility == Feasibility::kFeasible;
    entry["reason"] = step.reason;
    json["profiled"].push_back(entry);
  }
  json["considered"] = report.considered;
  if (report.caveats) add_caveats(*report.caveats, json);
  json["strategy"] = report.strategy;
  json["seed"] = report.seed;
  json["provenance"] = report.provenance;
  if (!report.remark.empty()) json["remark"] = report.remark;
  if (!report.stop.empty()) json["stopped_because"] = report.stop;
  json["search_time_s"] = report.board_time_s;
  json["search_energy_j"] = report.board_energy_j;
  json["compared"] = Json::array();
  for (const auto& other : report.others) {
    Json entry;
    entry["name"] = other.name;
    put_point(entry, other, report.goal);
    entry["feasible"] = other.verdict.feasibility == Feasibility::kFeasible;
    if (report.answer) entry["objective_ratio"] = other.objective / report.answer->objective;
    json["compared"].push_back(entry);
  }
  return json;
}

std::string describe_goal(const Goal& goal) {
  std::string text = "least ";
  switch (goal.objective) {
    case Objective::kTime:
      text += "time per sample";
      break;
    case Objective::kEnergy:
      text += "energy per sample";
      break;
    case Objective::kPower:
      text += "power";
      break;
    case Objective::kEdp:
      text += "energy-delay product per sample";
      break;
    case Objective::kCost:
      text +=
          fmt::format("cost per sample ({} x J + {} x s)", goal.energy_weight, goal.time_weight);
      break;
    case Objective::kLatency:
      text += "latency";
      break;
  }
  std::vector<std::string> limits;
  const Limits& limit = goal.limits;
  if (limit.power_w < Limits::kNone) limits.push_back(fmt::format("{:.4g} W", limit.power_w));
  if (limit.time_s < Limits::kNone) {
    limits.push_back(fmt::format("{:.4g} ms a minibatch", limit.time_s * 1e3));
  }
  if (limit.energy_j < Limits::kNone) {
    limits.push_back(fmt::format("{:.4g} J a minibatch", limit.energy_j));
  }
  if (limit.latency_s < Limits::kNone) {
    limits.push_back(fmt::format("{:.4g} ms latency", limit.latency_s * 1e3));
  }
  if (limit.slowdown < Limits::kNone) {
    limits.push_back(fmt::format("{:.4g} % slower than MAXN", limit.slowdown * 100));
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    text += (i == 0 ? " within " : i + 1 == limits.size() ? " and " : ", ") + limits[i];
  }
  if (goal.rate_hz > 0) text += fmt::format(" at {:.4g} requests a second", goal.rate_hz);
  return text;
}

std::vector<std::string> tune_question(const TuneReport& report) {
  std::string question = describe_goal(report.goal);
  question[0] = 'L';
  return {question, fmt::format("{}: {} operating points, {}", report.workload, report.considered,
                                report.provenance)};
}

std::vector<std::string> tune_headline(const TuneReport& report) {
  std::vector<std::string> lines;
  if (report.memory_known && !report.fits_memory) {
    lines.push_back(fmt::format("No answer: the minibatch needs {} of the board's {}",
                                format_si(report.memory_bytes, "B"),
                                format_si(report.board_memory_bytes, "B")));
    return lines;
  }
  if (!report.answer) {
    lines.push_back(
        report.profiled.empty()
            ? fmt::format("No answer: none of the {} points keeps the limits.", report.considered)
            : fmt::format("No answer: none of the {} profiled points keeps the limits.",
                          report.profiled.size()));
    if (report.miss) {
      lines.push_back(fmt::format("Nearest: {}: {}.", describe(report.miss->point.mode),
                                  explain_miss(report.goal, mean_of(*report.miss))));
    }
    return lines;
  }
  const ComparedPoint& answer = *report.answer;
  lines.push_back(describe(answer.point.mode));
  if (answer.point.batch > 0) lines.back() += fmt::format(", batch {}", answer.point.batch);
  lines.push_back(fmt::format(
      "{}, {}, {} a minibatch", with_interval(answer.cost.time_s, 1e3, "ms"),
      with_interval(answer.cost.power_w, 1, "W"), with_interval(answer.cost.energy_j, 1, "J")));
  if (report.memory_known) {
    lines.push_back(fmt::format("fits: needs {} of the board's {}",
                                format_si(report.memory_bytes, "B"),
                                format_si(report.board_memory_bytes, "B")));
  }
  if (report.job_samples > 0) {
    const double minibatches = report.job_samples / samples(answer.point);
    lines.push_back(fmt::format("the job takes {} and {}",
                                duration(minibatches * answer.cost.time_s.mean),
                                format_si(minibatches * answer.cost.energy_j.mean, "J")));
  }
  return lines;
}

std::vector<std::string> tune_remarks(const TuneReport& report) {
  std::vector<std::string> lines;
  if (!report.remark.empty()) lines.push_back(report.remark);
  if (!report.profiled.empty()) {
    lines.push_back(fmt::format("{} profiled {} points: {} and {} on the board; {}",
                                report.strategy, report.profiled.size(),
                                duration(report.board_time_s),
                                format_si(report.board_energy_j, "J"), report.stop));
  }
  return lines;
}

Table ranking_table(const std::vector<TuneReport>& reports) {
  std::vector<PowerMode> modes;
  bool batch = false;
  const auto point_of = [](const TuneReport& report) {
    return report.answer ? &*report.answer : report.miss ? &*report.miss : nullptr;
  };
  for (const auto& report : reports) {
    const auto* point = point_of(report);
    if (point == nullptr) continue;
    modes.push_back(point->point.mode);
    batch = batch || point->point.batch > 0;
  }
  std::vector<Column> columns = {{"device", "board"}};
  const auto knobs = knob_columns(modes, 2);
  columns.insert(columns.end(), knobs.begin(), knobs.end());
  if (batch) columns.push_back({"batch"});
  const std::vector<Column> rest = {
      {"time_ms"},
      {"power_w"},
      {"energy_j"},
      {.name = "objective_ratio", .heading = "objective, x best", .digits = 3, .rank = 1},
      {.name = "limits", .wrap = true},
      {.name = "twin", .rank = 3, .wrap = true}};
  columns.insert(columns.end(), rest.begin(), rest.end());
  Table table(columns);
  for (const auto& report : reports) {
    const auto* point = point_of(report);
    std::vector<Cell> row = {report.device};
    const auto cells = knob_cells(point ? point->point.mode : PowerMode(), knobs);
    row.insert(row.end(), cells.begin(), cells.end());
    if (batch) row.emplace_back(point ? Cell(std::int64_t{point->point.batch}) : Cell());
    row.emplace_back(point ? Cell(point->cost.time_s.mean * 1e3) : Cell());
    row.emplace_back(point ? Cell(point->cost.power_w.mean) : Cell());
    row.emplace_back(point ? Cell(point->cost.energy_j.mean) : Cell());
    const bool rank = report.answer && reports.front().answer;
    row.emplace_back(rank ? Cell(report.answer->objective / reports.front().answer->objective)
                          : Cell());
    std::string limits = "kept";
    if (!report.answer) {
      limits = report.fits_memory && point ? explain_miss(report.goal, mean_of(*point))
                                           : "does not fit the memory";
    }
    row.emplace_back(limits);
    row.emplace_back(report.twin_status);
    table.add_row(std::move(row));
  }
  return table;
}

Table tune_table(const TuneReport& report) {
  std::vector<const ComparedPoint*> points;
  if (report.answer) points.push_back(&*report.answer);
  if (!report.answer && report.miss) points.push_back(&*report.miss);
  for (const auto& other : report.others) points.push_back(&other);
  std::vector<PowerMode> modes;
  bool batch = false;
  for (const auto* point : points) {
    modes.push_back(point->point.mode);
    batch = batch || point->point.batch > 0;
  }
  std::vector<Column> columns = {{.name = "name", .wrap = true}};
  const auto knobs = knob_columns(modes);
  columns.insert(columns.end(), knobs.begin(), knobs.end());
  if (batch) columns.push_back({.name = "batch", .rank = 1});
  const std::vector<Column> rest = {
      {"time_ms"},
      {"power_w"},
      {"energy_j"},
      {.name = "objective_ratio", .heading = "objective, x answer", .digits = 3, .rank = 2},
      {.name = "limits", .wrap = true}};
  columns.insert(columns.end(), rest.begin(), rest.end());
  Table table(columns);
  const double base = points.empty() ? 1 : points.front()->objective;
  for (const auto* point : points) {
    std::vector<Cell> row = {point->name};
    const auto cells = knob_cells(point->point.mode, knobs);
    row.insert(row.end(), cells.begin(), cells.end());
    if (batch) row.emplace_back(std::int64_t{point->point.batch});
    row.emplace_back(point->cost.time_s.mean * 1e3);
    row.emplace_back(point->cost.power_w.mean);
    row.emplace_back(point->cost.energy_j.mean);
    row.emplace_back(point->objective / base);
    row.emplace_back(point->verdict.feasibility == Feasibility::kFeasible
                         ? std::string("kept")
                         : explain_miss(report.goal, mean_of(*point)));
    table.add_row(std::move(row));
  }
  return table;
}

Table trace_table(const TuneReport& report) {
  std::vector<PowerMode> modes;
  bool batch = false;
  for (const auto& step : report.profiled) {
    modes.push_back(step.seen.point.mode);
    batch = batch || step.seen.point.batch > 0;
  }
  std::vector<Column> columns = {{"step"}};
  const auto knobs = knob_columns(modes);
  columns.insert(columns.end(), knobs.begin(), knobs.end());
  if (batch) columns.push_back({"batch"});
  const std::vector<Column> rest = {
      {"time_ms"},
      {"power_w"},
      {"energy_j"},
      {.name = "feasibility", .heading = "limits"},
      {.name = "reason", .heading = "why it was tried", .rank = 1, .wrap = true}};
  columns.insert(columns.end(), rest.begin(), rest.end());
  Table table(columns);
  for (std::size_t i = 0; i < report.profiled.size(); ++i) {
    const auto& step = report.profiled[i];
    std::vector<Cell> row = {static_cast<std::int64_t>(i + 1)};
    const auto cells = knob_cells(step.seen.point.mode, knobs);
    row.insert(row.end(), cells.begin(), cells.end());
    if (batch) row.emplace_back(std::int64_t{step.seen.point.batch});
    row.emplace_back(step.seen.time_s * 1e3);
    row.emplace_back(step.seen.power_w);
    row.emplace_back(step.seen.energy_j());
    row.emplace_back(feasibility_name(step.verdict.feasibility));
    row.emplace_back(step.reason);
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace ridgewatt
