#include <utility>

#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::evaluate {
namespace {

using report::Cell;

struct SharesRow {
  std::string evidence, causes;
  const ExplainShares* shares;
  const EvidenceScores* of;
};

report::Column percent_column(report::Label name, report::Label heading) {
  return {.name = name, .heading = heading, .digits = 3};
}

std::vector<std::pair<std::string, const EvidenceScores*>> by_evidence(
    const ExplainScores& scores) {
  return {{"watched", &scores.watched}, {"numbers", &scores.numbers}};
}

Table shares_table(const ExplainScores& scores) {
  std::vector<SharesRow> rows;
  for (const auto& [name, of] : by_evidence(scores)) {
    rows.push_back({name, "none", &of->none, of});
    rows.push_back({name, "one", &of->single, of});
    rows.push_back({name, "two", &of->pair, of});
  }
  using R = SharesRow;
  return report::table_of<R>(
      {{{"evidence"}, [](const R& row) -> Cell { return row.evidence; }},
       {{"causes"}, [](const R& row) -> Cell { return row.causes; }},
       {{"runs"}, [](const R& row) { return report::plain_cell(row.shares->runs); }},
       {percent_column("first_pct", "first (%)"),
        [](const R& row) -> Cell { return 100 * row.shares->first; }},
       {percent_column("first_two_pct", "among the first two (%)"),
        [](const R& row) -> Cell { return 100 * row.shares->first_two; }},
       {percent_column("both_pct", "both (%)"),
        [](const R& row) { return row.causes == "two" ? Cell(100 * row.shares->both) : Cell(); }},
       {percent_column("calibration_pct", "error of probabilities (%)"),
        [](const R& row) -> Cell { return 100 * row.of->calibration_error; }},
       {{.name = "parts_error_pct",
         .heading = "parts less gap, at most (%)",
         .digits = 2,
         .rank = 1},
        [](const R& row) -> Cell { return 100 * row.of->parts_error; }}},
      rows);
}

Table cause_table(const std::vector<CauseShares>& causes) {
  using C = CauseShares;
  return report::table_of<C>(
      {{{"cause"}, [](const C& row) { return report::plain_cell(row.cause); }},
       {{"runs"}, [](const C& row) { return report::plain_cell(row.alone.runs); }},
       {percent_column("first_pct", "first (%)"),
        [](const C& row) -> Cell { return 100 * row.alone.first; }},
       {percent_column("first_two_pct", "among the first two (%)"),
        [](const C& row) -> Cell { return 100 * row.alone.first_two; }},
       {{"instead"}, [](const C& row) -> Cell { return row.instead; }}},
      causes);
}

Table confusion_table(const std::vector<Confusion>& confusions) {
  using C = Confusion;
  return report::table_of<C>(
      {{{"cause"}, [](const C& row) { return report::plain_cell(row.cause); }},
       {{.name = "first", .heading = "first instead"},
        [](const C& row) { return report::plain_cell(row.first); }},
       {{"runs"}, [](const C& row) { return report::plain_cell(row.runs); }},
       {{.name = "second", .heading = "cause second"},
        [](const C& row) { return report::plain_cell(row.second); }}},
      confusions);
}

}  // namespace

report::Result explain_scores_result(const ExplainScores& scores) {
  const Table shares = shares_table(scores);
  report::Result result{shares};
  result.json =
      json_object({{"provenance", name_of(Provenance::kModelled)}, {"shares", shares.to_json()}});
  for (const auto& [name, of] : by_evidence(scores)) {
    const Table causes = cause_table(of->causes), reliability = reliability_table(of->reliability);
    const Table wrong = confusion_table(of->confusions);
    result.json[name] = json_object({{"causes", causes.to_json()},
                                     {"confusions", wrong.to_json()},
                                     {"reliability", reliability.to_json()}});
    result.add(name + ", runs with one cause", causes);
    result.add(name + ", runs with one cause in which another one is first", wrong);
    result.add(name + ", rows by their stated probability", reliability);
  }
  return result;
}

}  // namespace ridgewatt::evaluate
