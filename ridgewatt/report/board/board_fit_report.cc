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
               {.name = "known_from", .formerly = "told_by"},
               {"unit"},
               {.name = "meaning", .rank = 1, .wrap = true}});
  for (const auto& spec : twin::twin_parameters()) {
    const bool known = twin::is_identified(twin, prior, spec.param);
    table.add_row({std::string(spec.key), twin[spec.param], twin.lo(spec.param),
                   twin.hi(spec.param), prior[spec.param], prior.lo(spec.param),
                   prior.hi(spec.param), std::string(known ? "evidence" : "prior"),
                   std::string(spec.unit), std::string(spec.meaning)});
  }
  return table;
}

}  // namespace ridgewatt::report
