// A study as tables and as one HTML page: stacked epoch time, violins of variation, time against
// energy with the Pareto front, energy over two clocks, and the findings in words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/study/study_analysis.h"

namespace ridgewatt::report {

struct StudyReport {
  study::Study study;
  std::vector<study::StudyResult> results;  // per sample
  study::StudyAnalysis analysis;
  Provenance provenance = Provenance::kMeasured;
  std::string where;          // board or sweep
  std::string workload = {};  // empty: the study's program
  std::string board = {};     // empty: not recorded
  FigureSource source() const;
};

Table effect_table(const study::StudyAnalysis& analysis);
Table optimum_table(const study::StudyAnalysis& analysis);  // group by group
Table cell_table(const StudyReport& report);                // geometric mean of each cell
// Effects; for people also cells (of measured runs) and optima. `remarks` are added.
Result study_result(const StudyReport& report, const std::vector<std::string>& remarks,
                    bool replayed);
// Tables of shipped studies (factors and question) and of the runs of one study.
Table studies_table(const std::vector<std::string>& names);
Table study_plan_table(const study::Study& study, std::uint64_t seed);
// Those that the results can fill.
std::vector<Figure> study_figures(const StudyReport& report);
std::string study_html(const StudyReport& report);

}  // namespace ridgewatt::report
