#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::evaluate {

report::Result llm_scores_result(const LlmScores& scores, bool parameters) {
  report::Result result{llm_group_table(scores.groups)};
  Table engines = llm_group_table(scores.engines), totals = llm_group_table(scores.totals);
  Table slopes = llm_slope_table(scores.slopes), judged = llm_judged_table(scores.judged);
  Table fitted = llm_engine_table(scores.fitted.engines);
  Table left_out = llm_left_out_table(scores.rows.left_out);
  result.json = json_object({{"groups", result.table.to_json()},
                             {"engines", engines.to_json()},
                             {"totals", totals.to_json()},
                             {"slopes", slopes.to_json()},
                             {"judged", judged.to_json()},
                             {"parameters", fitted.to_json()},
                             {"memory_counted_twice", scores.rows.memory_twice},
                             {"left_out", left_out.to_json()}});
  result.add("By engine:", std::move(engines));
  result.add("By board and mode:", std::move(totals));
  result.add(
      "Growth of the time per token with the cache, relative to reading it at peak bandwidth:",
      std::move(slopes));
  result.add("Rows that no fit uses:", std::move(judged));
  if (scores.rows.memory_twice > 0) {
    result.after.push_back({"\nPowers without the memory rail, which the source counted twice: " +
                            std::to_string(scores.rows.memory_twice) + "\n"});
  }
  if (parameters) result.add("Fitted to all rows:", std::move(fitted));
  result.add("Rows that are not used:", std::move(left_out));
  return result;
}

}  // namespace ridgewatt::evaluate
