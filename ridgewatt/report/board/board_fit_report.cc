#include "ridgewatt/report/calibrate_report.h"

#include <cmath>

#include "ridgewatt/report/columns.h"

namespace ridgewatt::report {
namespace {

Cell error_of_pct(double modelled, double published) {
  return std::isfinite(modelled) ? Cell(100 * (modelled / published - 1)) : Cell();
}

}  // namespace

Table evidence_table(const twin::BoardFit& fit) {
  Table table({{.name = "figure", .wrap = true},
               {"quantity"},
               {"form"},
               {"published"},
               {.name = "error_pct", .heading = "its error (%)", .digits = 2, .rank = 1},
               {"prior", "carried", 4},
               {"prior_error_pct", "off by (%)", 3, 1},
               {"fitted", "fitted", 4},
               {"fitted_error_pct", "off by (%)", 3},
               {.name = "source", .rank = 3}});
  for (const auto& row : fit.rows) {
    const auto& evidence = row.evidence;
    table.add_row({evidence.name, std::string(name_of(evidence.quantity)),
                   std::string(name_of(evidence.form)), evidence.value,
                   100 * std::expm1(evidence.log_sd), row.prior,
                   error_of_pct(row.prior, evidence.value), row.fitted,
                   error_of_pct(row.fitted, evidence.value), evidence.source});
  }
  return table;
}

Table board_parameter_table(const twin::Twin& twin, const twin::Twin& prior) {
  Table table({{"parameter"},
               {"value"},
               {.name = "lo", .rank = 1},
               {.name = "hi", .rank = 1},
               {"prior"},
               {.name = "prior_lo", .rank = 2},
               {.name = "prior_hi", .rank = 2},
               {"told_by", "told by"},
               {"unit"},
               {.name = "meaning", .rank = 1, .wrap = true}});
  for (const auto& spec : twin::twin_parameters()) {
    const bool told = twin::is_identified(twin, prior, spec.param);
    table.add_row({std::string(spec.key), twin[spec.param], twin.lo(spec.param),
                   twin.hi(spec.param), prior[spec.param], prior.lo(spec.param),
                   prior.hi(spec.param), std::string(told ? "evidence" : "prior"),
                   std::string(spec.unit), std::string(spec.meaning)});
  }
  return table;
}

Table board_score_table(const std::vector<evaluate::BoardScore>& scores) {
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
  const auto percent = [](const evaluate::BoardScore& score, double share) {
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

}  // namespace ridgewatt::report
