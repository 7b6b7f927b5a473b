#include <fmt/format.h>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/report/columns.h"
#include "ridgewatt/report/rows.h"
#include "ridgewatt/report/study_report.h"

namespace ridgewatt::report {
namespace {

constexpr std::size_t kMostOptima = 64;  // in tables for people

std::string study_heading(const StudyReport& report) {
  const std::string done =
      report.results.size() < report.planned
          ? fmt::format("{} of {}", report.results.size(), counted(report.planned, "run"))
          : counted(report.results.size(), "run");
  std::string text = fmt::format("{}\n{}: {}, {}\n", escape_terminal(report.study.title),
                                 name_of(report.provenance), escape_terminal(report.where), done);
  for (const auto& remark : report.remarks) text += escape_terminal(remark) + '\n';
  return text + '\n';
}

std::string factors_of(const study::Study& study) {
  std::string factors;
  for (const auto& factor : study.factors) factors += (factors.empty() ? "" : ", ") + factor.name;
  return factors;
}

}  // namespace

Result study_result(const StudyReport& report) {
  RowOrigin origin{report.workload, report.kind, report.board};
  origin.provenance = report.provenance;
  Table effects = effect_table(report.analysis), optima = optimum_table(report.analysis);
  const Table cells = cell_table(report);
  Result result{effects, with_origin(effects, {origin})};
  result.json = json_object({{"study", report.study.name},
                             {"provenance", name_of(report.provenance)},
                             {"where", report.where},
                             {"runs", report.results.size()},
                             {"remarks", report.remarks},
                             {"cells", cells.to_json()},
                             {"effects", effects.to_json()},
                             {"optima", optima.to_json()},
                             {"findings", report.analysis.findings}});
  result.before = {{study_heading(report)}};
  if (report.planned > 0) result.before.insert(result.before.end(), {{"", cells}, {"\n"}});
  if (optima.rows().size() <= kMostOptima) result.add("", std::move(optima));
  std::string findings = "\n";
  for (const auto& text : report.analysis.findings) findings += "* " + escape_terminal(text) + '\n';
  result.after.push_back({findings});
  return result;
}

Table studies_table(const std::vector<std::string>& names) {
  std::vector<study::Study> studies;
  for (const auto& name : names) studies.push_back(study::load_study(name));
  using study::Study;
  return table_of<Study>({{{"study"}, at<&Study::name>},
                          {{.name = "factors", .wrap = true},
                           [](const Study& study) -> Cell { return factors_of(study); }},
                          {{.name = "question", .wrap = true}, at<&Study::question>}},
                         studies);
}

Table study_plan_table(const study::Study& study, std::uint64_t seed) {
  std::vector<Column> columns = {{"block"}};
  for (const auto& factor : study.factors) columns.push_back({factor.name});
  Table table(std::move(columns));
  for (const auto& run : study::plan_study(study, seed)) {
    std::vector<Cell> row = {run.block};
    row.insert(row.end(), run.cell.begin(), run.cell.end());
    table.add_row(std::move(row));
  }
  return table;
}

}  // namespace ridgewatt::report
