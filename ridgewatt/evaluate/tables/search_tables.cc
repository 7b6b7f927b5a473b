#include <algorithm>

#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/field.h"

namespace ridgewatt::evaluate {
namespace {

using report::at;
using report::times;

}  // namespace

Table schedule_table(const std::vector<ScheduleScore>& scores, bool timing) {
  using S = ScheduleScore;
  report::Fields<S> fields = {
      {{"training"}, at<&S::training>},
      {{"inference"}, at<&S::inference>},
      {{"strategy"}, at<&S::strategy>},
      {{"profiles"}, at<&S::profiles>},
      {{.name = "profiles_used", .rank = 5}, at<&S::profiles_used>},
      {{.name = "problems", .rank = 6}, at<&S::problems>},
      {{.name = "solvable", .rank = 6}, at<&S::solvable>},
      {{.name = "tried", .rank = 4}, at<&S::tried>},
      {{"solved_pct"}, times<100, &S::solved>},
      {{.name = "loss_mean_pct", .heading = "mean loss (%)"}, times<100, &S::mean_loss>},
      {{.name = "loss_mean_lo_pct", .heading = "mean loss from (%)", .rank = 2},
       times<100, &S::mean_loss_interval, &Interval::lo>},
      {{.name = "loss_mean_hi_pct", .heading = "mean loss to (%)", .rank = 2},
       times<100, &S::mean_loss_interval, &Interval::hi>},
      {{.name = "loss_median_pct", .heading = "median loss (%)", .rank = 1},
       times<100, &S::median_loss>},
      {{.name = "loss_p90_pct", .heading = "p90 loss (%)", .rank = 3}, times<100, &S::p90_loss>},
      {{.name = "loss_mean_of_all_pct", .heading = "mean loss, unsolved as 100 (%)", .rank = 3},
       times<100, &S::mean_loss_of_all>},
      {{.name = "loss_of_sum_pct", .heading = "loss of the sum (%)", .rank = 7},
       times<100, &S::total_loss>}};
  if (timing) {
    fields.push_back({{.name = "seconds", .heading = "time (s)", .rank = 8}, at<&S::seconds>});
  }
  return report::table_of(fields, scores);
}

Table strategy_table(const std::vector<StrategyScore>& scores) {
  using S = StrategyScore;
  report::Fields<S> fields = {
      {{"scenario"}, at<&S::scenario>},
      {{"workload"}, at<&S::workload>},
      {{"strategy"}, at<&S::strategy>},
      {{"profiles"}, at<&S::profiles>},
      {{"problems"}, at<&S::problems>},
      {{"solved_pct", "solved (%)", 3}, times<100, &S::solved>},
      {{.name = "solved_lo_pct", .digits = 3, .rank = 4},
       times<100, &S::solved_interval, &Interval::lo>},
      {{.name = "violations_pct", .digits = 2, .rank = 2}, times<100, &S::violations>},
      {{.name = "median_penalty_pct", .digits = 3}, times<100, &S::median_penalty>},
      {{.name = "median_hi_pct", .digits = 3, .rank = 4},
       times<100, &S::median_interval, &Interval::hi>},
      {{.name = "mean_penalty_pct", .digits = 3, .rank = 1}, times<100, &S::mean_penalty>},
      {{.name = "mean_lo_pct", .digits = 3, .rank = 4},
       times<100, &S::mean_interval, &Interval::lo>},
      {{.name = "mean_hi_pct", .digits = 3, .rank = 4},
       times<100, &S::mean_interval, &Interval::hi>},
      {{.name = "p90_penalty_pct", .digits = 3, .rank = 3}, times<100, &S::p90_penalty>},
      {{.name = "flagged_median_pct", .heading = "median with flagged (%)", .digits = 3, .rank = 6},
       times<100, &S::median_penalty_with_flagged>},
      {{.name = "flagged_mean_pct", .heading = "mean with flagged (%)", .digits = 3, .rank = 6},
       times<100, &S::mean_penalty_with_flagged>},
      {{.name = "median_saving_pct", .heading = "saving of optimum's (%)", .digits = 3, .rank = 5},
       times<100, &S::median_saving>},
      {{.name = "payback_minibatches",
        .heading = "pays after (minibatches)",
        .digits = 3,
        .rank = 5},
       at<&S::median_payback_minibatches>},
      {{.name = "profiles_used", .digits = 3, .rank = 7}, at<&S::profiles_used>},
      {{.name = "near_best_pct", .digits = 3, .rank = 7}, times<100, &S::near_best_share>},
      {{.name = "stated_near_best_pct", .digits = 3, .rank = 8},
       [](const S& score) -> report::Cell {
         if (score.near_best.empty()) return {};
         double sum = 0;
         for (const auto& one : score.near_best) sum += one.probability;
         return 100 * sum / static_cast<double>(score.near_best.size());
       }},
      {{.name = "board_time_s", .heading = "on the board (s)", .digits = 3, .rank = 8},
       at<&S::board_time_s>},
      {{.name = "board_energy_j", .digits = 3, .rank = 8}, at<&S::board_energy_j>}};
  if (std::any_of(scores.begin(), scores.end(), [](const S& score) { return score.boards > 0; })) {
    fields.push_back({{"boards"}, at<&S::boards>});
    fields.push_back({{"wall_clock_s", "wall-clock (s)", 3}, at<&S::wall_clock_s>});
  }
  return report::table_of(fields, scores);
}

Table reliability_table(const std::vector<ReliabilityBin>& bins) {
  using B = ReliabilityBin;
  return report::table_of<B>({{{"from_pct", "from (%)", 3}, times<100, &B::from>},
                              {{"to_pct", "to (%)", 3}, times<100, &B::to>},
                              {{"rows"}, at<&B::rows>},
                              {{"stated_pct", "stated (%)", 3}, times<100, &B::stated>},
                              {{"true_pct", "true (%)", 3}, times<100, &B::true_share>}},
                             bins);
}

report::Result strategy_result(const std::vector<StrategyScore>& scores) {
  constexpr double kEdges[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1};
  const Table table = strategy_table(scores);
  report::Result result{table};
  std::vector<StatedProbability> stated;
  for (const auto& score : scores) {
    stated.insert(stated.end(), score.near_best.begin(), score.near_best.end());
  }
  if (stated.empty()) return result;
  result.add("answers by the stated probability that they are near the best",
             reliability_table(reliability(stated, kEdges)));
  return result;
}

}  // namespace ridgewatt::evaluate
