// Tables of the scores of runtimes, thermal fits and boards.
#include <cmath>
#include <optional>
#include <string>

#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/columns.h"

namespace ridgewatt::evaluate {
namespace {

using report::Cell;
using report::known_cell;
using report::Table;

// Error of a prediction in percent; empty without a prediction.
Cell off_pct(double time_s, double measured_s) {
  return time_s > 0 ? Cell(100 * (time_s / measured_s - 1)) : Cell();
}

Cell known_yes_or_no(const std::optional<bool>& holds) {
  return holds ? Cell(std::string(*holds ? "yes" : "no")) : Cell();
}

}  // namespace

Table runtime_score_table(const RuntimeScores& scores) {
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
    table.add_row({row.model, std::string(name_of(row.runtime())), row.precision,
                   std::int64_t{row.cost->batch}, row.board, 1e3 * row.time_s,
                   known ? Cell(1e3 * score.model.time_s) : Cell(),
                   off_pct(score.model.time_s, row.time_s),
                   known ? Cell(std::exp(twin::left_out_log_width(score))) : Cell(),
                   known_yes_or_no(scores.is_within(i)), off_pct(score.board.time_s, row.time_s),
                   off_pct(score.precision.time_s, row.time_s),
                   off_pct(score.model_and_board.time_s, row.time_s),
                   off_pct(score.fitted_s, row.time_s), row.remark, row.source});
  }
  return table;
}

Table runtime_group_table(const RuntimeScores& scores) {
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

Table runtime_fact_table(const std::vector<RuntimeFact>& facts) {
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

Table thermal_constant_table(const ThermalScores& scores) {
  Table table({{"constant"},
               {"median_error_pct", "median error (%)", 3},
               {"decile_error_pct", "90 % within (%)", 3},
               {"within_pct", "boards within tolerance (%)", 3},
               {"covered_pct", "truth in the 90 % interval (%)", 3}});
  for (const auto& constant : scores.constants) {
    // A relative error of a temperature is meaningless, so it is in kelvin.
    const bool ambient = constant.constant == "ambient_celsius";
    const double scale = ambient ? 1 : 100;
    table.add_row({ambient ? "ambient_celsius (K)" : constant.constant,
                   scale * constant.median_error, scale * constant.ninth_decile,
                   ambient ? Cell() : Cell(100 * constant.within), 100 * constant.covered});
  }
  table.add_row({"the first four together", Cell(), Cell(), 100 * scores.all_within, Cell()});
  return table;
}

Table thermal_time_table(const std::vector<ThermalScores>& scores) {
  Table table(
      {{"boards"},
       {"ambient"},
       {"loads"},
       {"throttling"},
       {"median_error_pct", "median error of the time (%)", 3},
       {"decile_error_pct", "90 % within (%)", 3},
       {"within_pct", "within tolerance (%)", 3},
       {.name = "clear", .heading = "5 K above the trip", .rank = 1},
       {.name = "clear_within_pct", .heading = "of them within (%)", .digits = 3},
       {.name = "covered_pct", .heading = "truth in the 90 % interval (%)", .digits = 3},
       {.name = "missed_pct", .heading = "said to hold (%)", .digits = 3},
       {.name = "false_alarms_pct", .heading = "false alarms (%)", .digits = 3},
       {.name = "steady_error_k", .heading = "error of the last temperature (K)", .digits = 2}});
  for (const auto& score : scores) {
    table.add_row(
        {score.options.unmodelled ? "with what the model lacks" : "as modelled",
         score.options.ambient_known ? "given" : "fitted", static_cast<std::int64_t>(score.loads),
         static_cast<std::int64_t>(score.throttling), 100 * score.time_median_error,
         // Infinite if more than a tenth was predicted never to throttle.
         std::isfinite(score.time_ninth_decile) ? Cell(100 * score.time_ninth_decile) : Cell(),
         100 * score.time_within, static_cast<std::int64_t>(score.clear), 100 * score.clear_within,
         100 * score.time_covered, 100 * score.missed, 100 * score.false_alarms,
         score.steady_error_k});
  }
  return table;
}

Table board_score_table(const std::vector<BoardScore>& scores) {
  Table table({{"board"},
               {"workload", "", 4, 1},
               {"given"},
               {"rows", "", 3, 1},
               {"time_error_pct", "time off by (%)", 3},
               {"power_error_pct", "power off by (%)", 3},
               {"time_within_pct", "time within 90 % (%)", 3},
               {"power_within_pct", "power within 90 % (%)", 3},
               {"groups", "groups", 3, 1},
               {"near_measured", "clock near measured", 3},
               {"near_published", "near published", 3},
               {"near_either", "near either", 3, 1},
               {"excess_pct", "excess energy (%)", 3}});
  const auto percent = [](const BoardScore& score, double share) {
    return score.rows > 0 ? Cell(100 * share) : Cell();
  };
  for (const auto& score : scores) {
    const auto of_groups = [&](double value) { return score.groups > 0 ? Cell(value) : Cell(); };
    table.add_row({score.board, score.workload, score.given,
                   score.rows > 0 ? Cell(score.rows) : Cell(), percent(score, score.time_error),
                   percent(score, score.power_error), percent(score, score.time_covered),
                   percent(score, score.power_covered), of_groups(score.groups),
                   of_groups(score.near_measured), of_groups(score.near_published),
                   of_groups(score.near_either), of_groups(100 * score.excess)});
  }
  return table;
}

}  // namespace ridgewatt::evaluate
