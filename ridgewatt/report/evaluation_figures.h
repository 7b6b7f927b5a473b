// Figures of evaluations: of predictors, and of search strategies.
#pragma once

#include <string>
#include <vector>

#include "ridgewatt/evaluate/predictor_scores.h"
#include "ridgewatt/evaluate/strategy_scores.h"
#include "ridgewatt/report/figure.h"

namespace ridgewatt::report {

// Error of time, error of power (median over runs with quartiles, one line a method), and Pareto
// fronts: `measured`, and what the modes on each method's predicted front cost when they are run
// (first run, largest number of profiled modes).
std::vector<Figure> predictor_figures(const std::vector<evaluate::RunScore>& scores,
                                      const std::vector<Observation>& measured,
                                      const FigureSource& source);

// `board`: whose sweeps were replayed. For each scenario and workload the mean penalty (with its 95
// % interval) and the share of solved problems against the number of profiles, one line per
// strategy; and, where searches save energy against MAXN, after how many minibatches each has paid
// for the energy that it cost.
std::vector<Figure> strategy_figures(const std::vector<evaluate::StrategyScore>& scores,
                                     const std::string& board);

}  // namespace ridgewatt::report
