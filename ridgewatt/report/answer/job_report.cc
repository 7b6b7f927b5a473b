#include "ridgewatt/report/job_report.h"

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/mode_json.h"

namespace ridgewatt::report {
namespace {

std::string wait_text(govern::Wait wait) {
  switch (wait) {
    case govern::Wait::kIdle:
      return "idle";
    case govern::Wait::kRest:
      return "rest";
    case govern::Wait::kSleep:
      return "asleep";
  }
  return "";
}
std::string does_text(const govern::JobPart& part) {
  return part.wait ? wait_text(*part.wait) : "work";
}

struct PartRow {
  std::string way;
  govern::JobPart part;
  OperatingPoint point;
  std::optional<predict::Estimate> total;  // total of the way, only in its last row
};

std::vector<PartRow> part_rows(const answer::JobAnswer& found) {
  std::vector<PartRow> rows;
  for (const auto& [name, way] : found.ways) {
    for (const auto& part : way.parts) {
      rows.push_back({name, part, found.costs.points[part.mode], {}});
    }
    if (!way.parts.empty()) rows.back().total = found.costs.energy_of(way);
  }
  return rows;
}

template <double predict::Estimate::*kMember>
Cell total_cell(const PartRow& row) {
  return row.total ? Cell(*row.total.*kMember / kJoulesPerWh) : Cell();
}

Table ways_table(const answer::JobAnswer& found) {
  using R = PartRow;
  using predict::Estimate;
  return table_of<R>(
      {{{"way"}, at<&R::way>},
       {{"does"}, [](const R& row) -> Cell { return does_text(row.part); }},
       {{"mode"}, [](const R& row) { return row.point.mode; }},
       {{.name = "time_h", .heading = "time (h)"},
        [](const R& row) -> Cell { return row.part.time_s / kSecondsPerHour; }},
       {{.name = "samples", .digits = 6},
        [](const R& row) {
          return row.part.wait ? Cell() : Cell(row.part.minibatches * row.point.batch);
        }},
       {{.name = "power_w", .heading = "power (W)"},
        [](const R& row) -> Cell { return row.part.energy_j / row.part.time_s; }},
       {{.name = "energy_wh", .heading = "energy (Wh)"},
        [](const R& row) -> Cell { return row.part.energy_j / kJoulesPerWh; }},
       {{.name = "total_wh", .heading = "in all (Wh)"}, total_cell<&Estimate::mean>},
       {{.name = "total_lo_wh", .heading = "from (Wh)", .rank = 1}, total_cell<&Estimate::lo>},
       {{.name = "total_hi_wh", .heading = "to (Wh)", .rank = 1}, total_cell<&Estimate::hi>}},
      part_rows(found));
}

Json way_json(const answer::NamedWay& named, const answer::ModeCosts& costs) {
  const auto& way = named.way;
  const predict::Estimate time_s = costs.time_of(way), energy_j = costs.energy_of(way);
  Json parts = Json::array();
  for (const auto& part : way.parts) {
    parts.push_back(json_object({{"does", does_text(part)},
                                 {"mode", mode_to_json(costs.points[part.mode].mode)},
                                 {"time_s", part.time_s},
                                 {"samples", part.minibatches * costs.points[part.mode].batch},
                                 {"energy_j", part.energy_j}}));
  }
  return json_object({{"way", named.name},
                      {"job_time_s", time_s.mean},
                      {"job_time_lo_s", time_s.lo},
                      {"job_time_hi_s", time_s.hi},
                      {"job_energy_j", energy_j.mean},
                      {"job_energy_lo_j", energy_j.lo},
                      {"job_energy_hi_j", energy_j.hi},
                      {"parts", std::move(parts)}});
}

double samples_per_hour(const answer::JobAnswer& found) {
  return found.samples_of(found.ways.front().way) * kSecondsPerHour / found.length_s;
}

Json question_json(const answer::JobAnswer& found) {
  const answer::JobQuestion& question = found.question;
  if (!question.of_job()) {
    return json_object(
        {{"held_power_w", found.held_power_w}, {"samples_per_hour", samples_per_hour(found)}});
  }
  Json json =
      json_object({{"samples", question.samples}, {"batch", found.costs.points.front().batch}});
  if (question.deadline_s) json["deadline_s"] = *question.deadline_s;
  if (question.job_energy_j) json["job_energy_j"] = *question.job_energy_j;
  if (question.max_power_w < govern::Job::kNone) json["power_w"] = question.max_power_w;
  return json;
}

std::string job_headline(const answer::JobAnswer& found) {
  if (!found.question.of_job()) {
    return sentence("{:.4g} W can be drawn all day: {:.4g} samples per hour", found.held_power_w,
                    samples_per_hour(found));
  }
  const govern::JobWay& best = found.ways.front().way;
  return fmt::format(
      "{}: {}", job_text({best.end_s, best.energy_j}),
      found.question.deadline_s
          ? "the least energy until the deadline, including idle energy after the job"
          : "the least time within the energy");
}

// Builds the part that both answers have in common. `ways` is added to the JSON.
Result modelled_result(Table table, Json question, Json ways, const answer::ModeCosts& costs) {
  Result result{std::move(table)};
  result.data = with_origin(result.table, {costs.origin});
  result.json = json_object(
      {{"question", std::move(question)}, {"provenance", name_of(Provenance::kModelled)}});
  add_origin(result.json, costs.origin);
  result.json["idle_power"] = costs.idle_power;
  result.json["ways"] = std::move(ways);
  result.after.push_back(
      {'\n' + escape_terminal(costs.remark) + "\nidle power: " + costs.idle_power + '\n'});
  return result;
}

struct PeriodRow {
  const answer::PeriodAnswer& found;
  const answer::NamedPeriodWay& named;
};

Table period_table(const answer::PeriodAnswer& found) {
  using R = PeriodRow;
  std::vector<R> rows;
  for (const auto& named : found.ways) rows.push_back({found, named});
  return table_of<R>(
      {{{"way"}, [](const R& row) -> Cell { return row.named.name; }},
       {{"mode"}, [](const R& row) { return row.found.costs.points[row.named.way.mode].mode; }},
       {{.name = "work_ms", .heading = "work (ms)"},
        [](const R& row) -> Cell { return 1e3 * row.named.way.work_s; }},
       {{"wait"}, [](const R& row) -> Cell { return wait_text(row.named.way.wait); }},
       {{.name = "energy_j", .heading = "energy per period (J)"},
        [](const R& row) -> Cell { return row.named.way.energy_j; }},
       {{.name = "power_w", .heading = "mean power (W)"},
        [](const R& row) -> Cell { return row.named.way.energy_j / row.found.period_s; }},
       {{.name = "over_best_pct", .heading = "above the best (%)", .digits = 3},
        [](const R& row) -> Cell {
          return 100 * (row.named.way.energy_j / row.found.ways.front().way.energy_j - 1);
        }}},
      rows);
}

}  // namespace

Result job_result(const answer::JobAnswer& found) {
  if (found.ways.empty()) {
    const bool late = found.question.deadline_s && found.least_time_s > *found.question.deadline_s;
    throw NoSolutionError("no plan for the job meets the limit",
                          late ? "--deadline" : "--max-job-energy",
                          late ? "the fastest plan takes " + duration_text(found.least_time_s)
                               : "the least energy is " + energy_text(found.least_energy_j));
  }
  Json ways = Json::array();
  for (const auto& named : found.ways) ways.push_back(way_json(named, found.costs));
  Result result =
      modelled_result(ways_table(found), question_json(found), std::move(ways), found.costs);
  result.before.push_back(
      {escape_terminal(found.costs.workload) + "\n\n  " + job_headline(found) + "\n\n"});
  return result;
}

Result period_result(const answer::PeriodAnswer& found) {
  if (found.ways.empty()) {
    throw NoSolutionError("no power mode finishes a minibatch within --period", "",
                          "the fastest plan takes " + duration_text(found.least_time_s));
  }
  const int batch = found.costs.points[0].batch;
  Table table = period_table(found);
  Json ways = table.to_json();
  Result result =
      modelled_result(std::move(table), {{"period_s", found.period_s}, {"batch", batch}},
                      std::move(ways), found.costs);
  result.before.push_back(
      {escape_terminal(found.costs.workload) +
       sentence(", a minibatch of {} every {:g} s\n\n", batch, found.period_s)});
  return result;
}

}  // namespace ridgewatt::report
