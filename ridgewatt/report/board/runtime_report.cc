// Runtimes against public measurements, as tables.
#include <cmath>

#include "ridgewatt/base/statistics.h"
#include "ridgewatt/report/calibrate_report.h"

namespace ridgewatt::report {
namespace {

// Percent by which a prediction is off; empty where there is none.
Cell off_pct(double time_s, double measured_s) {
  return time_s > 0 ? Cell(100 * (time_s / measured_s - 1)) : Cell();
}

}  // namespace

Table runtime_score_table(const evaluate::RuntimeScores& scores) {
  Table table({{"model"},
               {"runtime"},
               {"precision"},
               {"batch"},
               {"board"},
               {"measured_ms", "measured (ms)"},
               {"unseen_ms", "without its model (ms)"},
               {"unseen_error_pct", "off by (%)", 3},
               {"factor", "90 % factor", 3},
               {"within"},
               {"board_error_pct", "without its board (%)", 3, 1},
               {"precision_error_pct", "without its precision (%)", 3, 1},
               {"both_error_pct", "without model and board (%)", 3, 1},
               {"fitted_error_pct", "fitted (%)", 3, 2},
               {.name = "assumed", .rank = 3, .wrap = true},
               {.name = "source", .rank = 4}});
  for (std::size_t i = 0; i < scores.rows.rows.size(); ++i) {
    const auto& row = scores.rows.rows[i];
    const auto& score = scores.fit.scores[i];
    const bool known = score.model.time_s > 0;
    table.add_row(
        {row.model, std::string(name_of(row.runtime())), row.precision,
         std::int64_t{row.cost->batch}, row.board, 1e3 * row.time_s,
         known ? Cell(1e3 * score.model.time_s) : Cell(), off_pct(score.model.time_s, row.time_s),
         known ? Cell(std::exp(twin::left_out_log_width(score))) : Cell(),
         std::string(scores.is_within(i) ? "yes" : "no"), off_pct(score.board.time_s, row.time_s),
         off_pct(score.precision.time_s, row.time_s),
         off_pct(score.model_and_board.time_s, row.time_s), off_pct(score.fitted_s, row.time_s),
         row.remark, row.source});
  }
  return table;
}

Table runtime_group_table(const evaluate::RuntimeScores& scores) {
  Table table({{"rows_of", "rows of"},
               {"rows"},
               {"model_error_pct", "median error without the model (%)", 3},
               {"board_error_pct", "without the board (%)", 3},
               {"both_error_pct", "without both (%)", 3},
               {"fitted_error_pct", "fitted (%)", 3}});
  for (const auto& group : scores.groups) {
    table.add_row({group.name, static_cast<std::int64_t>(group.rows), known_cell(100 * group.model),
                   known_cell(100 * group.board), known_cell(100 * group.model_and_board),
                   known_cell(100 * group.fitted)});
  }
  return table;
}

Table runtime_parameter_table(const twin::RuntimeTwins& runtimes) {
  Table table({{"runtime"},
               {"parameter"},
               {"value"},
               {"lo", "from"},
               {"hi", "to"},
               {"prior"},
               {"from", "by"},
               {.name = "meaning", .rank = 1, .wrap = true}});
  for (const auto& runtime : runtimes) {
    if (!runtime.fitted()) continue;
    for (const auto& spec : twin::runtime_parameters()) {
      const auto i = static_cast<std::size_t>(spec.param);
      const double width = std::exp(kNormal95 * runtime.log_sd[i]);
      const double prior = spec.prior[static_cast<std::size_t>(runtime.runtime)];
      table.add_row({std::string(name_of(runtime.runtime)), std::string(spec.key),
                     runtime.values[i], runtime.values[i] / width, runtime.values[i] * width, prior,
                     std::string(runtime.log_sd[i] < 0.9 * spec.prior_log_sd ? "fitted" : "prior"),
                     std::string(spec.meaning)});
    }
  }
  return table;
}

Table runtime_left_out_table(const std::vector<twin::LeftOutRow>& rows) {
  Table table({{.name = "row", .wrap = true}, {.name = "left_out_because", .wrap = true}});
  for (const auto& row : rows) table.add_row({row.label, row.reason});
  return table;
}

Table runtime_fact_table(const std::vector<evaluate::RuntimeFact>& facts) {
  Table table({{"fact"},
               {"quantity"},
               {"published"},
               {"found"},
               {"error_pct", "off by (%)", 3},
               {"tolerance_pct", "tolerance (%)", 3},
               {"holds"},
               {.name = "source", .rank = 1}});
  for (const auto& fact : facts) {
    table.add_row({fact.fact, fact.quantity, fact.published, fact.found,
                   100 * (fact.found / fact.published - 1), 100 * fact.tolerance,
                   std::string(fact.holds() ? "yes" : "no"), fact.source});
  }
  return table;
}

}  // namespace ridgewatt::report
