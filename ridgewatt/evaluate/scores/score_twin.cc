// Loads the twin to score: fitted to sweeps, or that of a board file.
#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/twin/published_runs.h"

namespace ridgewatt::evaluate {

ScoredTwin score_twin(ScoredTwin asked, const std::vector<std::string>& sweeps) {
  const auto all = twin::load_calibration_runs(twin::parse_sweep_specs(sweeps), asked.board);
  asked.runs = twin::runs_at_home(all);
  twin::require_trusted_rows(asked.runs);
  asked.options.coverage = true;
  asked.start = twin::prior_twin(asked.board);
  if (asked.shipped) {
    asked.summary.twin = twin::load_twin(asked.board);
    twin::summarize_scores(asked.runs, asked.summary);
    asked.summary.coverage = twin::coverage_as_it_is(asked.summary.twin, all);
  } else {
    asked.summary = twin::calibrate(asked.start, all, asked.options);
  }
  return asked;
}

}  // namespace ridgewatt::evaluate
