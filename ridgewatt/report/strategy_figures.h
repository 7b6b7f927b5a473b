// Figures of an evaluation of search strategies.
#pragma once

#include <vector>

#include "ridgewatt/evaluate/strategy_scores.h"
#include "ridgewatt/report/figure.h"

namespace ridgewatt::report {

// `board`: whose sweeps were replayed. For each scenario and workload the mean penalty (with its 95
// % interval) and the share of solved problems against the number of profiles, one line per
// strategy; and, where searches save energy against MAXN, after how many minibatches each has paid
// for the energy that it cost.
std::vector<Figure> strategy_figures(const std::vector<evaluate::StrategyScore>& scores,
                                     const std::string& board);

}  // namespace ridgewatt::report
