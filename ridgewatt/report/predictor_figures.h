// Figures of an evaluation of predictors: error against the number of profiled modes, and the
// Pareto fronts that the predictions lead to beside the measured one.
#pragma once

#include <vector>

#include "ridgewatt/evaluate/predictor_scores.h"
#include "ridgewatt/report/figure.h"

namespace ridgewatt::report {

// Error of time, error of power (median over runs with quartiles, one line a method), and fronts:
// `measured`, and what the modes on each method's predicted front cost when they are run (first
// run, largest number of profiled modes).
std::vector<Figure> predictor_figures(const std::vector<evaluate::RunScore>& scores,
                                      const std::vector<Observation>& measured,
                                      const FigureSource& source);

}  // namespace ridgewatt::report
