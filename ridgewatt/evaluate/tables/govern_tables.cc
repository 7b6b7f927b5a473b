#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::evaluate {
namespace {

using report::at;
using report::Cell;
using report::times;

struct GoalDay {
  govern::GoalKind goal;
  const GovernedDay& day;
};

Table govern_score_table(const std::vector<GovernScore>& scores) {
  using G = GovernScore;
  const auto share = [](report::Label name, report::Label heading, int rank = 0) {
    return report::Column{.name = name, .heading = heading, .digits = 3, .rank = rank};
  };
  return report::table_of<G>(
      {{{"goal"}, at<&G::goal>},
       {{"days"}, [](const G& score) { return report::plain_cell(score.days.size()); }},
       {share("tolerance_pct", "within (%)"), times<100, &G::tolerance>},
       {share("held_pct", "held (% of days)"), times<100, &G::held>},
       {share("median_miss_pct", "miss, median (%)"), times<100, &G::median_miss>},
       {share("worst_miss_pct", "worst (%)"), times<100, &G::worst_miss>},
       {{.name = "compared", .rank = 3}, at<&G::compared>},
       {share("median_cost_pct", "cost over best fixed, median (%)"), times<100, &G::median_cost>},
       {share("mean_cost_pct", "mean (%)", 1), times<100, &G::mean_cost>},
       {share("p95_cost_pct", "95 % of days (%)", 1), times<100, &G::p95_cost>},
       {share("worst_cost_pct", "worst cost (%)", 2), times<100, &G::worst_cost>},
       {share("within_5_pct", "within 5 % (% of days)"), times<100, &G::within_5>},
       {share("switches", "switches per day", 2), at<&G::switches>},
       {share("trials", "trials per day", 3), at<&G::trials>}},
      scores);
}

Table govern_day_table(const std::vector<GovernScore>& scores) {
  std::vector<GoalDay> rows;
  for (const auto& score : scores) {
    for (const auto& day : score.days) rows.push_back({score.goal, day});
  }
  using R = GoalDay;
  return report::table_of<R>(
      {{{"goal"}, [](const R& row) { return report::plain_cell(row.goal); }},
       {{"model"}, [](const R& row) -> Cell { return row.day.model; }},
       {{"length_h"}, [](const R& row) -> Cell { return row.day.goal.end_s / 3600; }},
       {{"miss_pct"}, [](const R& row) -> Cell { return 100 * row.day.miss; }},
       {{"cost_pct"},
        [](const R& row) { return row.day.has_fixed ? Cell(100 * row.day.cost) : Cell(); }},
       {{"energy_wh"}, [](const R& row) -> Cell { return row.day.held.energy_j / 3600; }},
       {{"minibatches"}, [](const R& row) -> Cell { return row.day.held.minibatches; }},
       {{"fixed_energy_wh"},
        [](const R& row) {
          return row.day.has_fixed ? Cell(row.day.fixed.energy_j / 3600) : Cell();
        }},
       {{"fixed_minibatches"},
        [](const R& row) { return row.day.has_fixed ? Cell(row.day.fixed.minibatches) : Cell(); }},
       {{"fixed_mode"},
        [](const R& row) {
          return row.day.has_fixed ? Cell(describe(row.day.fixed_mode)) : Cell();
        }},
       {{"switches"}, [](const R& row) { return report::plain_cell(row.day.held.switches); }},
       {{"trials"}, [](const R& row) { return report::plain_cell(row.day.held.trials); }}},
      rows);
}

}  // namespace

report::Result govern_scores_result(const std::vector<GovernScore>& scores, bool every_day) {
  const Table goals = govern_score_table(scores), days = govern_day_table(scores);
  report::Result result{every_day ? days : goals};
  result.json = json_object({{"provenance", name_of(Provenance::kModelled)},
                             {"goals", goals.to_json()},
                             {"days", days.to_json()}});
  return result;
}

}  // namespace ridgewatt::evaluate
