#include <fmt/format.h>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/report/campaign_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/rows.h"

namespace ridgewatt::report {
namespace {

struct Flagged {
  const Sweep& sweep;
  const QualityFlag& flag;
  const OperatingPoint& point() const { return sweep.observations[flag.row].point; }
};

Table flags_table(const std::vector<CheckedSweep>& sweeps) {
  std::vector<Flagged> rows;
  for (const auto& checked : sweeps) {
    for (const auto& flag : checked.quality.flags) rows.push_back({checked.sweep, flag});
  }
  using F = Flagged;
  return table_of<F>(
      {{{"line"}, [](const F& row) { return plain_cell(row.flag.line); }},
       {{.name = "workload", .rank = 2}, [](const F& row) -> Cell { return row.sweep.workload; }},
       {{.name = "kind", .rank = 2}, [](const F& row) -> Cell { return row.sweep.kind; }},
       {{.name = "batch", .rank = 3}, [](const F& row) { return plain_cell(row.point().batch); }},
       {{.name = "mode", .rank = 1},
        [](const F& row) -> Cell { return describe(row.point().mode); }},
       {{"fault"}, [](const F& row) { return plain_cell(row.flag.fault); }},
       {{.name = "detail", .wrap = true}, [](const F& row) -> Cell { return row.flag.detail; }}},
      rows);
}

Json quality_json(const CheckedSweep& checked) {
  const auto& [sweep, report] = checked;
  Json flags = Json::array();
  for (const auto& flag : report.flags) {
    const auto& point = sweep.observations[flag.row].point;
    flags.push_back({{"line", flag.line},
                     {"fault", name_of(flag.fault)},
                     {"mode", mode_to_json(point.mode)},
                     {"batch", point.batch},
                     {"detail", flag.detail}});
  }
  return {{"workload", sweep.workload},
          {"kind", sweep.kind},
          {"rows", sweep.observations.size()},
          {"flagged_rows", report.flagged_rows()},
          {"flagged_share", report.flagged_share()},
          {"remarks", report.remarks},
          {"flags", flags}};
}

}  // namespace

Table sweeps_table(const std::vector<Sweep>& sweeps) {
  return table_of<Sweep>(
      {{{"workload"}, at<&Sweep::workload>},
       {{"kind"}, at<&Sweep::kind>},
       {{"board"}, text_in<&Sweep::board>},
       {{"provenance"}, at<&Sweep::provenance>},
       {{"rows"}, [](const Sweep& sweep) { return plain_cell(sweep.observations.size()); }},
       {{"modes"}, [](const Sweep& sweep) { return plain_cell(sweep.space().size()); }},
       {{"batches"}, [](const Sweep& sweep) { return plain_cell(sweep.batches().size()); }}},
      sweeps);
}

Result quality_result(const std::vector<CheckedSweep>& sweeps) {
  Result result{flags_table(sweeps)};
  result.json = Json::array();
  for (const auto& checked : sweeps) {
    const auto& [sweep, report] = checked;
    result.json.push_back(quality_json(checked));
    result.notes.push_back(fmt::format(
        "{} {}: {} of {} flagged ({:.2f} %)", sweep.workload, sweep.kind, report.flagged_rows(),
        counted(sweep.observations.size(), "row"), 100 * report.flagged_share()));
    for (const auto& text : report.remarks) result.notes.push_back("  " + text);
  }
  return result;
}

}  // namespace ridgewatt::report
