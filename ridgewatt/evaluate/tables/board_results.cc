#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::evaluate {

report::Result board_findings_result(const std::vector<FindingVerdict>& judged,
                                     const std::vector<BoardScore>& scores) {
  std::vector<FindingVerdict> asked;
  std::copy_if(judged.begin(), judged.end(), std::back_inserter(asked),
               [](const auto& one) { return one.verdict != Verdict::kCannotAsk; });
  report::Result result{board_finding_table(asked)};
  result.data = board_finding_table(judged);
  Table counts = board_finding_count_table(judged), shares = board_finding_score_table(judged);
  Table unasked = unasked_finding_table(judged), swept = board_score_table(scores);
  result.json = json_object({{"provenance", name_of(Provenance::kModelled)},
                             {"boards", counts.to_json()},
                             {"shares", shares.to_json()},
                             {"not_asked", unasked.to_json()},
                             {"findings", result.rows().to_json()},
                             {"sweeps", swept.to_json()}});
  result.add("", std::move(counts));
  result.add("", std::move(shares));
  result.add("", std::move(unasked));
  result.add("Errors on sweeps, without and with a fit to some of their points:", std::move(swept));
  return result;
}

report::Result runtime_facts_result(const std::vector<RuntimeFact>& facts) {
  report::Result result{runtime_fact_table(facts)};
  result.json = json_object({{"facts", result.table.to_json()}});
  return result;
}

report::Result runtime_scores_result(const RuntimeScores& scores,
                                     const std::vector<RuntimeFact>& facts, bool parameters) {
  report::Result result{runtime_score_table(scores)};
  Table groups = runtime_group_table(scores), published = runtime_fact_table(facts);
  Table fitted = report::runtime_parameter_table(scores.fit.twins);
  Table left_out = report::runtime_left_out_table(scores.rows.left_out);
  result.json = json_object({{"groups", groups.to_json()},
                             {"rows", result.table.to_json()},
                             {"within_90_pct_interval", scores.within},
                             {"parameters", fitted.to_json()},
                             {"left_out", left_out.to_json()},
                             {"facts", published.to_json()}});
  result.add(
      fmt::format(
          "{} of {} rows within their 90 % interval; each row is predicted without its model",
          scores.within, scores.predicted),
      std::move(groups));
  if (parameters) result.add("", std::move(fitted));
  result.add("Rows that are not used:", std::move(left_out));
  result.add("Published facts, compared with the shipped parameters:", std::move(published));
  return result;
}

report::Result thermal_scores_result(const std::vector<ThermalScores>& scores) {
  report::Result result{thermal_constant_table(scores.front())};
  Table times = thermal_time_table(scores);
  const auto& options = scores.front().options;
  result.json = json_object({{"boards", options.boards},
                             {"tolerance", options.tolerance},
                             {"time_tolerance", options.time_tolerance},
                             {"constants", result.table.to_json()},
                             {"times", times.to_json()}});
  result.add("Time until the board throttles, of other loads at other temperatures:",
             std::move(times));
  return result;
}

}  // namespace ridgewatt::evaluate
