// Merges the scores of an evaluation that was computed in parts.
#include "ridgewatt/base/error.h"
#include "ridgewatt/evaluate/parts.h"
#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/evaluate/strategy_suite.h"

namespace ridgewatt::evaluate {

MergedScores merged_scores(const std::vector<std::string>& paths) {
  PartFile whole = merge_parts(paths);
  const Outcomes outcomes = in_order(whole.groups, std::move(whole.outcomes));
  try {
    const auto command = whole.question.at("command").get<std::string>();
    const auto& groups = whole.groups;
    if (command == "schedules") {
      return {command, schedule_table(schedule_scores(groups, outcomes), false)};
    }
    if (command == "strategies") {
      return {command, strategy_result(strategy_scores(groups, outcomes))};
    }
    if (command == "predictors") {
      const bool every_run = whole.question.at("options").contains("--every-run");
      return {command, predictor_table(predictor_scores(groups, outcomes), every_run)};
    }
    throw InputError("this version of ridgewatt cannot merge parts of this evaluation", command,
                     "merge with the version that wrote them");
  } catch (const Json::exception&) {
    throw InputError("is not a part of an evaluation, because it lacks names", paths.front());
  }
}

}  // namespace ridgewatt::evaluate
