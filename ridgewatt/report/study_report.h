// A study as tables and as one HTML page: stacked epoch time, violins of variation, time against
// energy with the Pareto front, energy over two clocks, and the findings as text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/study/study_analysis.h"
#include "ridgewatt/study/study_run.h"

namespace ridgewatt::report {

struct StudyReport : study::StudyOutcome {
  study::Study study;
  study::StudyAnalysis analysis;
  FigureSource source() const;
};

Table effect_table(const study::StudyAnalysis& analysis);
Table optimum_table(const study::StudyAnalysis& analysis);  // sorted by group
Table cell_table(const StudyReport& report);                // geometric means
// Effects; in tables also cells (of measured runs) and optima.
Result study_result(const StudyReport& report);
// The shipped studies (factors and question), and the runs of one study.
Table studies_table(const std::vector<std::string>& names);
Table study_plan_table(const study::Study& study, std::uint64_t seed);
// The figures for which the results have data.
std::vector<Figure> study_figures(const StudyReport& report);
std::string study_html(const StudyReport& report);

}  // namespace ridgewatt::report
