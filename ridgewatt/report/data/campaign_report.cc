#include "ridgewatt/report/campaign_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sentence.h"
#include "ridgewatt/campaign/make_plan.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/rows.h"
#include "ridgewatt/report/table.h"

namespace ridgewatt::report {
namespace {

// Empty if there is no prediction.
template <auto kMember>
Cell predicted_cell(const campaign::BoardKind& kind) {
  const auto ahead = campaign::predicted_cost(kind);
  return ahead.duration_s > 0 ? Cell(ahead.*kMember) : Cell();
}

Table plan_table(const campaign::Plan& plan) {
  using Kind = campaign::BoardKind;
  return table_of<Kind>(
      {{{"board"}, at<&Kind::name>},
       {{"boards"}, at<&Kind::boards>},
       {{"points"}, [](const Kind& kind) { return plain_cell(kind.points.size()); }},
       {{"calibration"}, [](const Kind& kind) { return plain_cell(kind.calibration.size()); }},
       {{"tasks"}, [](const Kind& kind) { return plain_cell(campaign::tasks_of(kind).size()); }},
       {{.name = "points_per_task", .rank = 1}, at<&Kind::points_per_task>},
       {{.name = "predicted_s", .heading = "duration (s)", .digits = 3, .formerly = "foretold_s"},
        predicted_cell<&campaign::PredictedCost::duration_s>},
       {{.name = "predicted_j", .heading = "energy (J)", .digits = 3, .formerly = "foretold_j"},
        predicted_cell<&campaign::PredictedCost::energy_j>}},
      plan.boards);
}

std::vector<std::string> prediction_remarks(const campaign::Plan& plan, bool known) {
  if (!known) {
    return {"the duration is not known; with --model MODEL, the boards' twins predict it"};
  }
  double duration_s = 0, energy_j = 0;
  std::size_t unknown = 0;
  for (const auto& kind : plan.boards) {
    const auto ahead = campaign::predicted_cost(kind);
    duration_s = std::max(duration_s, ahead.duration_s);
    energy_j += ahead.energy_j;
    unknown += ahead.unknown;
  }
  std::vector<std::string> remarks;
  if (unknown > 0) {
    remarks.push_back(fmt::format("beyond the memory of the board: {}", counted(unknown, "point")));
  }
  const bool short_one = duration_s < 3600;
  remarks.push_back(
      sentence("predicted by the twins, without starting the program: {:.3g} {}, {:.3g} Wh",
               duration_s / (short_one ? 1 : 3600), short_one ? "s" : "h", energy_j / 3600));
  return remarks;
}

template <class Row>
Cell began(const Row& row) {
  return row.newest_unix_s > 0 ? Cell(utc_text(row.newest_unix_s)) : Cell();
}

Table standing_kinds_table(const campaign::Standing& standing) {
  using Kind = campaign::KindStanding;
  return table_of<Kind>(
      {{{"board"}, at<&Kind::name>},
       {{"planned"}, at<&Kind::planned>},
       {{"done"}, at<&Kind::done>},
       {{.name = "eta_s", .digits = 3}, at<&Kind::eta_s>},
       {{"queued"}, at<&Kind::queued>},
       {{"running"}, at<&Kind::running>},
       {{"held"}, at<&Kind::held>},
       {{"failed"}, at<&Kind::failed>},
       {{.name = "set_aside", .heading = "set aside"}, at<&Kind::set_aside>},
       {{"flagged"}, at<&Kind::flagged>},
       {{.name = "to_rerun", .heading = "to rerun", .rank = 1}, at<&Kind::to_rerun>},
       {{.name = "boards", .rank = 1}, at<&Kind::boards>},
       {{.name = "calibrated", .rank = 1}, at<&Kind::calibrated>},
       {{.name = "blocked", .heading = "why no task can run", .rank = 2, .wrap = true},
        text_in<&Kind::blocked>}},
      standing.kinds);
}

Table standing_boards_table(const campaign::Standing& standing) {
  using Board = campaign::BoardStanding;
  return table_of<Board>(
      {{{"board"}, at<&Board::kind>},
       {{"serial"}, at<&Board::serial>},
       {{"points"}, at<&Board::points>},
       {{"calibration"}, at<&Board::calibration>},
       {{.name = "points_per_h", .digits = 3}, at<&Board::points_per_h>},
       {{"straggler"}, [](const Board& row) -> Cell { return row.straggler ? "yes" : ""; }},
       {{.name = "newest", .heading = "newest point began", .rank = 1}, began<Board>}},
      standing.boards);
}

Table failed_points_table(const campaign::Standing& standing) {
  using Fault = campaign::PointFault;
  return table_of<Fault>(
      {{{"board"}, at<&Fault::kind>},
       {{.name = "label", .heading = "point"}, at<&Fault::label>},
       {{"attempts"}, [](const Fault& fault) { return plain_cell(fault.attempts); }},
       {{.name = "serial", .heading = "last on"}, at<&Fault::serial>},
       {{.name = "reason", .wrap = true}, at<&Fault::reason>},
       {{.name = "output", .heading = "last output", .rank = 1, .wrap = true}, at<&Fault::output>}},
      standing.points);
}

Table boards_table(const std::vector<campaign::BoardReport>& boards) {
  using Board = campaign::BoardReport;
  return table_of<Board>(
      {{{"board"}, at<&Board::kind>},
       {{"serial"}, text_in<&Board::serial>},
       {{"host"}, text_in<&Board::host>},
       {{"state"}, at<&Board::state>},
       {{"points"}, [](const Board& row) { return plain_cell(row.points); }},
       {{.name = "points_per_h", .digits = 3}, at<&Board::points_per_h>},
       {{.name = "failures"}, [](const Board& row) { return plain_cell(row.failures); }},
       {{.name = "in_a_row", .heading = "in a row"},
        [](const Board& row) { return plain_cell(row.in_a_row); }},
       {{.name = "temperature_c", .heading = "temperature (°C)", .digits = 3, .rank = 2},
        at<&Board::temperature_c>},
       {{.name = "drifted", .rank = 2}, [](const Board& row) { return plain_cell(row.drifted); }},
       {{.name = "throttled", .rank = 2},
        [](const Board& row) { return plain_cell(row.throttled); }},
       {{.name = "newest", .heading = "newest point began", .rank = 3}, began<Board>},
       {{.name = "last_error", .heading = "last error", .rank = 1, .wrap = true},
        text_in<&Board::last_error>},
       {{.name = "engine_reason", .heading = "reason of the executor", .rank = 1, .wrap = true},
        text_in<&Board::engine_reason>}},
      boards);
}

Table faults_table(const campaign::Standing& standing) {
  using Fault = campaign::TaskFault;
  return table_of<Fault>(
      {{{"board"}, at<&Fault::kind>},
       {{"task"}, at<&Fault::task>},
       {{"state"}, [](const Fault& fault) -> Cell { return fault.held ? "held" : "failed"; }},
       {{.name = "missing", .heading = "points missing"}, at<&Fault::missing>},
       {{.name = "job", .rank = 1}, at<&Fault::job>},
       {{.name = "node", .rank = 1}, at<&Fault::node>},
       {{.name = "why", .wrap = true}, at<&Fault::why>}},
      standing.faults);
}

struct RawPoint {
  const campaign::BoardRows& board;
  const store::PointRecord& record;
  const Observation& seen() const { return record.observation; }
};

template <Knob kKnob>
Cell raw_knob(const RawPoint& row) {
  const double value = knob_in_field_unit(row.seen().point.mode, kKnob);
  return value > 0 ? Cell(value) : Cell();
}

}  // namespace

Result plan_result(const campaign::Plan& plan, const std::string& path, bool known) {
  Result result{plan_table(plan)};
  result.json =
      json_object({{"name", plan.name}, {"plan", path}, {"kinds", result.table.to_json()}});
  result.remarks = prediction_remarks(plan, known);
  return result;
}

Result job_result(const std::vector<campaign::Job>& jobs) {
  using campaign::Job;
  Result result{
      table_of<Job>({{{"board"}, at<&Job::board_kind>},
                     {{"executor"}, at<&Job::executor>},
                     {{"job"}, at<&Job::id>},
                     {{"tasks"}, [](const Job& job) { return plain_cell(job.tasks.size()); }}},
                    jobs)};
  result.json = json_object({{"jobs", result.table.to_json()}});
  return result;
}

Result boards_result(const std::string& name, const campaign::BoardsLook& look) {
  Result result{boards_table(look.boards)};
  result.json = {
      {"name", name}, {"engine_fault", look.engine_fault}, {"boards", result.table.to_json()}};
  if (!look.engine_fault.empty()) result.notes = {look.engine_fault};
  return result;
}

Result rerun_result(const campaign::Reruns& reruns) {
  using Kind = campaign::Reruns::OfKind;
  Result result{table_of<Kind>(
      {{{"board"}, at<&Kind::kind>},
       {{"measured"}, [](const Kind& kind) { return plain_cell(kind.measured); }},
       {{.name = "to_rerun", .heading = "to rerun"},
        [](const Kind& kind) { return plain_cell(kind.points); }},
       {{"calibration"}, [](const Kind& kind) { return plain_cell(kind.calibration); }}},
      reruns.kinds)};
  result.json = json_object({{"kinds", result.table.to_json()}});
  return result;
}

std::string blocked_line(const campaign::KindStanding& kind) {
  return fmt::format("{}: no task can run: {}", kind.name, kind.blocked);
}

Result standing_result(const std::string& name, const campaign::Standing& standing) {
  Result result{standing_kinds_table(standing)};
  Table boards = standing_boards_table(standing), faults = faults_table(standing);
  Table points = failed_points_table(standing);
  result.json = json_object({{"name", name},
                             {"planned", standing.planned},
                             {"done", standing.done},
                             {"complete", standing.complete()},
                             {"eta_s", known_json(standing.eta_s)},
                             {"engine_fault", standing.engine_fault},
                             {"kinds", result.table.to_json()},
                             {"boards", boards.to_json()},
                             {"faults", faults.to_json()},
                             {"failed_points", points.to_json()}});
  result.add("", std::move(boards));
  result.add("", std::move(faults));
  if (!standing.points.empty()) result.add("", std::move(points));
  if (!standing.engine_fault.empty()) result.notes = {standing.engine_fault};
  for (const auto& kind : standing.kinds) {
    if (!kind.blocked.empty()) result.notes.push_back(blocked_line(kind));
  }
  return result;
}

std::string standing_line(const campaign::Standing& standing) {
  std::string line = fmt::format("{} of {}", standing.done, counted(standing.planned, "point"));
  for (const auto& kind : standing.kinds) {
    line += fmt::format("; {}: {} left, {} running, {} queued, {} held", kind.name,
                        kind.planned - kind.done, kind.running, kind.queued, kind.held);
    if (kind.set_aside > 0) line += fmt::format(", {} set aside", kind.set_aside);
    if (!kind.blocked.empty()) line += "; no task can run: " + kind.blocked;
  }
  if (standing.eta_s) line += fmt::format("; {:.0f} s remaining", *standing.eta_s);
  return line;
}

Table campaigns_table(const std::vector<campaign::CampaignHolding>& campaigns) {
  using Held = campaign::CampaignHolding;
  using Entry = store::CampaignEntry;
  return table_of<Held>(
      {{{"campaign"}, at<&Held::entry, &Entry::name>},
       {{.name = "fingerprint", .heading = "plan"}, text_in<&Held::entry, &Entry::fingerprint>},
       {{"owner"}, text_in<&Held::entry, &Entry::owner>},
       {{.name = "created", .rank = 1},
        [](const Held& held) {
          const auto created = held.entry.created_unix_s;
          return created > 0 ? Cell(utc_text(created)) : Cell();
        }},
       {{.name = "workload", .rank = 1}, text_in<&Held::workload>},
       {{.name = "kind", .rank = 1}, text_in<&Held::kind>},
       {{"points"}, at<&Held::points>},
       {{"boards"}, at<&Held::boards>}},
      campaigns);
}

Table raw_points_table(const std::vector<campaign::BoardRows>& boards) {
  using R = RawPoint;
  std::vector<R> rows;
  for (const auto& board : boards) {
    for (const auto& record : board.records) rows.push_back({board, record});
  }
  return table_of<R>(
      {{{"slot"}, [](const R& row) -> Cell { return row.record.slot; }},
       {{"board"}, [](const R& row) -> Cell { return row.board.series.board; }},
       {{"serial"}, [](const R& row) -> Cell { return row.board.serial; }},
       {{"workload"}, [](const R& row) -> Cell { return row.board.series.workload; }},
       {{"kind"}, [](const R& row) -> Cell { return row.board.series.kind; }},
       {{"batch"}, [](const R& row) { return plain_cell(row.seen().point.batch); }},
       {{std::string(knob_field(Knob::kCpuCores))}, raw_knob<Knob::kCpuCores>},
       {{std::string(knob_field(Knob::kCpuClock))}, raw_knob<Knob::kCpuClock>},
       {{std::string(knob_field(Knob::kGpuClock))}, raw_knob<Knob::kGpuClock>},
       {{std::string(knob_field(Knob::kMemClock))}, raw_knob<Knob::kMemClock>},
       {{"governor"}, [](const R& row) -> Cell { return row.seen().point.mode.governor; }},
       {{"repeat"}, [](const R& row) { return plain_cell(row.record.repeat); }},
       {{"time_ms"}, [](const R& row) -> Cell { return 1e3 * row.seen().time_s; }},
       {{"power_w"}, [](const R& row) -> Cell { return row.seen().power_w; }},
       {{"energy_j"}, [](const R& row) -> Cell { return row.seen().energy_j(); }},
       {{"time_median_ms"},
        [](const R& row) {
          const auto& median_s = row.seen().time_median_s;
          return median_s ? Cell(1e3 * *median_s) : Cell();
        }},
       {{"minibatches"}, [](const R& row) { return plain_cell(row.record.minibatches); }},
       {{"window_s"}, [](const R& row) -> Cell { return row.record.window_s; }},
       {{"idle_power_w"},
        [](const R& row) {
          return row.record.idle_power_w > 0 ? Cell(row.record.idle_power_w) : Cell();
        }},
       {{"flags"}, [](const R& row) -> Cell { return row.record.flags.text(); }},
       {{"started_unix_s"}, [](const R& row) { return plain_cell(row.record.started_unix_s); }},
       {{"provenance"}, [](const R& row) { return plain_cell(row.board.series.provenance); }}},
      rows);
}

Result task_result(const campaign::TaskSummary& done) {
  using Done = campaign::TaskSummary;
  Result result{table_of<Done>({{{"serial"}, at<&Done::serial>},
                                {{"measured"}, at<&Done::measured>},
                                {{"skipped"}, at<&Done::skipped>},
                                {{"failed"}, at<&Done::failed>},
                                {{"handed_in"}, at<&Done::handed_in, &store::HandedIn::added>}},
                               std::vector{done})};
  result.json = json_object({{"board", done.board},
                             {"serial", done.serial},
                             {"measured", done.measured},
                             {"skipped", done.skipped},
                             {"failed", done.failed},
                             {"failures", done.failures},
                             {"malformed_marks", done.malformed_marks},
                             {"handed_in", done.handed_in.added}});
  result.remarks = measure::skipped_marks_remarks(done.malformed_marks);
  return result;
}

Result profile_result(const measure::ProfileSummary& summary, const std::string& store) {
  using Done = measure::ProfileSummary;
  Result result{table_of<Done>({{{"measured"}, at<&Done::measured>},
                                {{"skipped"}, at<&Done::skipped>},
                                {{"failed"}, at<&Done::failed>}},
                               std::vector{summary})};
  result.json = json_object({{"measured", summary.measured},
                             {"skipped", summary.skipped},
                             {"failed", summary.failed},
                             {"failures", summary.failures},
                             {"malformed_marks", summary.malformed_marks},
                             {"store", store}});
  result.remarks = measure::skipped_marks_remarks(summary.malformed_marks);
  return result;
}

Table holdings_table(const std::vector<store::Holding>& holdings) {
  using Held = store::Holding;
  using store::Series;
  return table_of<Held>(
      {{{"board"}, at<&Held::series, &Series::board>},
       {{.name = "serial", .rank = 1}, text_in<&Held::series, &Series::serial>},
       {{"workload"}, at<&Held::series, &Series::workload>},
       {{"kind"}, at<&Held::series, &Series::kind>},
       {{"provenance"}, at<&Held::series, &Series::provenance>},
       {{"points"}, at<&Held::points>},
       {{.name = "planned", .rank = 1}, at<&Held::planned>},
       {{.name = "modes", .rank = 2}, at<&Held::modes>},
       {{.name = "batches", .rank = 3}, at<&Held::batches>},
       {{"flagged"}, at<&Held::flagged>},
       {{.name = "newest", .heading = "newest point began", .rank = 1}, began<Held>}},
      holdings);
}

Table handed_in_table(const std::vector<store::HandedIn>& done) {
  using Done = store::HandedIn;
  return table_of<Done>({{{"added"}, at<&Done::added>},
                         {{"present"}, at<&Done::present>},
                         {{"superseded"}, at<&Done::superseded>},
                         {{"differ"}, at<&Done::differing>}},
                        done);
}

Table imported_table(const std::vector<store::ImportedSweep>& sweeps) {
  using store::ImportedSweep;
  return table_of<ImportedSweep>({{{"workload"}, at<&ImportedSweep::workload>},
                                  {{"kind"}, at<&ImportedSweep::kind>},
                                  {{"rows"}, at<&ImportedSweep::rows>},
                                  {{"added"}, at<&ImportedSweep::added>},
                                  {{"differ"}, at<&ImportedSweep::differing>}},
                                 sweeps);
}

Table pruned_table(const std::vector<store::Pruned>& pruned) {
  using Row = store::Pruned;
  return table_of<Row>(
      {{{"points"}, at<&Row::points>},
       {{"samples"}, at<&Row::samples>},
       {{"failures"}, at<&Row::failures>},
       {{.name = "kept_slots", .heading = "kept for campaigns"}, at<&Row::kept_slots>}},
      pruned);
}

Table store_check_table(const std::vector<store::StoreFault>& faults) {
  using Row = store::StoreFault;
  return table_of<Row>({{{.name = "check", .wrap = true}, at<&Row::check>},
                        {{"rows"}, at<&Row::rows>},
                        {{.name = "example", .wrap = true}, text_in<&Row::example>}},
                       faults);
}

Table schema_table(const std::vector<StoreSchema>& stores) {
  return table_of<StoreSchema>(
      {{{"store"}, at<&StoreSchema::store>},
       {{.name = "version", .heading = "schema"}, at<&StoreSchema::version>}},
      stores);
}

}  // namespace ridgewatt::report
