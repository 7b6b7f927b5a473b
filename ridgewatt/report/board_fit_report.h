// The fit of a board to any evidence as tables.
#pragma once

#include <vector>

#include "ridgewatt/evaluate/board_scores.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/twin/board_fit.h"

namespace ridgewatt::report {

// A row per figure: as it was published, as the twin of a relative has it, and as the fitted one.
Table evidence_table(const twin::BoardFit& fit);
// A row per parameter: value and 90 % interval before and after, and whether the evidence tells of
// it or the prior stays.
Table board_parameter_table(const twin::Twin& twin, const twin::Twin& prior);
// A row per sweep and what was given of it.
Table board_score_table(const std::vector<evaluate::BoardScore>& scores);

}  // namespace ridgewatt::report
