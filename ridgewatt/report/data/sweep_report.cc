#include <fmt/format.h>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/report/campaign_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/rows.h"
#include "ridgewatt/sweep/trusted_sweep.h"

namespace ridgewatt::report {
namespace {

struct Flagged {
  const Sweep& sweep;
  std::size_t row = 0, line = 0;
  std::string fault, detail;
  const OperatingPoint& point() const { return sweep.observations[row].point; }
};

// Rows that the quality check flags, then rows with a flag of their measurement.
std::vector<Flagged> listed_flags(const CheckedSweep& checked) {
  const auto& [sweep, report] = checked;
  std::vector<Flagged> rows;
  for (const auto& flag : report.flags) {
    rows.push_back({sweep, flag.row, flag.line, std::string(name_of(flag.fault)), flag.detail});
  }
  for (std::size_t row = 0; row < sweep.flags.size(); ++row) {
    if (sweep.flags[row].empty()) continue;
    rows.push_back({sweep, row, row < sweep.lines.size() ? sweep.lines[row] : 0,
                    sweep.flags[row].text(), "flagged when measured"});
  }
  return rows;
}

Table flags_table(const std::vector<CheckedSweep>& sweeps) {
  std::vector<Flagged> rows;
  for (const auto& checked : sweeps) {
    for (auto& row : listed_flags(checked)) rows.push_back(std::move(row));
  }
  using F = Flagged;
  return table_of<F>(
      {{{"line"}, [](const F& row) { return plain_cell(row.line); }},
       {{.name = "workload", .rank = 2}, [](const F& row) -> Cell { return row.sweep.workload; }},
       {{.name = "kind", .rank = 2}, [](const F& row) -> Cell { return row.sweep.kind; }},
       {{.name = "batch", .rank = 3}, [](const F& row) { return plain_cell(row.point().batch); }},
       {{.name = "mode", .rank = 1},
        [](const F& row) -> Cell { return describe(row.point().mode); }},
       {{"fault"}, [](const F& row) -> Cell { return row.fault; }},
       {{.name = "detail", .wrap = true}, [](const F& row) -> Cell { return row.detail; }}},
      rows);
}

Json quality_json(const CheckedSweep& checked) {
  const auto& [sweep, report] = checked;
  Json flags = Json::array();
  for (const auto& flag : listed_flags(checked)) {
    flags.push_back(json_object({{"line", flag.line},
                                 {"fault", flag.fault},
                                 {"mode", mode_to_json(flag.point().mode)},
                                 {"batch", flag.point().batch},
                                 {"detail", flag.detail}}));
  }
  return json_object({{"workload", sweep.workload},
                      {"kind", sweep.kind},
                      {"board", sweep.board},
                      {"rows", sweep.observations.size()},
                      {"flagged_rows", report.flagged_rows()},
                      {"flagged_share", report.flagged_share()},
                      {"flagged_when_measured", sweep.flagged_rows()},
                      {"remarks", report.remarks},
                      {"flags", flags}});
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
    result.notes.push_back(
        fmt::format("{} {}{}: {} of {} flagged ({:.2f} %)", sweep.workload, sweep.kind,
                    sweep.board.empty() ? "" : " on " + sweep.board, report.flagged_rows(),
                    counted(sweep.observations.size(), "row"), 100 * report.flagged_share()));
    if (const auto text = flags_remark(sweep); !text.empty()) result.notes.push_back("  " + text);
    for (const auto& text : report.remarks) result.notes.push_back("  " + text);
  }
  return result;
}

}  // namespace ridgewatt::report
