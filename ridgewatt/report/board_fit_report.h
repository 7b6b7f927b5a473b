// The fit of a board to any evidence as tables.
#pragma once

#include "ridgewatt/report/table.h"
#include "ridgewatt/twin/board_fit.h"

namespace ridgewatt::report {

// A row per figure: as it was published, as the twin of a relative has it, and as the fitted one.
Table evidence_table(const twin::BoardFit& fit);
// A row per parameter: value and 90 % interval before and after, and whether the evidence tells of
// it or the prior stays.
Table board_parameter_table(const twin::Twin& twin, const twin::Twin& prior);

}  // namespace ridgewatt::report
