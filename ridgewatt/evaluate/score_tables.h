// Tables and figures of the scores of `evaluate`.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/evaluate/board_effect_scores.h"
#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/evaluate/board_scores.h"
#include "ridgewatt/evaluate/explain_scores.h"
#include "ridgewatt/evaluate/govern_scores.h"
#include "ridgewatt/evaluate/in_place_scores.h"
#include "ridgewatt/evaluate/llm_scores.h"
#include "ridgewatt/evaluate/memory_levels.h"
#include "ridgewatt/evaluate/mode_choice.h"
#include "ridgewatt/evaluate/predictor_scores.h"
#include "ridgewatt/evaluate/published_pipeline.h"
#include "ridgewatt/evaluate/reference_scores.h"
#include "ridgewatt/evaluate/runtime_scores.h"
#include "ridgewatt/evaluate/schedule_scores.h"
#include "ridgewatt/evaluate/strategy_scores.h"
#include "ridgewatt/evaluate/thermal_scores.h"
#include "ridgewatt/evaluate/twin_findings.h"
#include "ridgewatt/llm/engine_file.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/predict/clock_search.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/twin/calibrate.h"

namespace ridgewatt::evaluate {

using report::Table;

// Coverage of the intervals over rows that the fit did not see: percentage of rows, and the mean
// upper end over the estimate. Means of workloads follow.
Table coverage_table(const std::vector<twin::CoverageRow>& rows);
Table findings_table(const std::vector<WorkloadFindings>& findings);
// One row per way of counting: which twin ("fitted", "unseen"), which rows ("trusted", "all").
struct CountedFindings {
  std::string twin;
  std::string rows;
  FindingsCount count;
};
Table findings_count_table(const std::vector<CountedFindings>& counted);
// One row per case: the saving of the estimate's answer, the answer after that number of profiles,
// and the number of profiles until it holds (empty: more than were tried). The profile of MAXN is
// counted.
Table verified_table(const std::vector<VerifiedTuning>& tunings, std::size_t profiles);
struct CountedVerified {
  std::string twin;  // "fitted" or "unseen"
  std::vector<VerifiedCount> counts;
};
// One row per number of profiles, with and without that of MAXN.
Table verified_count_table(const std::vector<CountedVerified>& counted);
// By workload and memory clock: the improvement from the next lower clock, measured and modelled,
// and the error of the twin that did not see the workload.
Table memory_level_table(const std::vector<MemoryLevelScore>& scores);
// Errors by the separate numbers of each memory clock (LevelForm), one row per workload.
Table memory_form_table(const std::vector<MemoryLevelScore>& means);
// eta B_eps / B_tau of dense convolutions with its 90 % interval; claimed if its upper end is at
// most 1.
Table race_to_halt_table(const twin::Twin& twin, const std::vector<PowerMode>& modes,
                         std::uint64_t seed);
// Runtimes: every public row, medians by group, published facts.
Table runtime_score_table(const RuntimeScores& scores);
Table runtime_group_table(const RuntimeScores& scores);
Table runtime_fact_table(const std::vector<RuntimeFact>& facts);
// Published findings in the published unit, an open end empty; by board how many of them we
// reproduce; the share of those that were asked, with the facts kept aside apart; and why others
// cannot be asked.
Table board_finding_table(const std::vector<FindingVerdict>& judged);
Table board_finding_count_table(const std::vector<FindingVerdict>& judged);
Table board_finding_score_table(const std::vector<FindingVerdict>& judged);
Table unasked_finding_table(const std::vector<FindingVerdict>& judged);
// One row per sweep and given points.
Table board_score_table(const std::vector<BoardScore>& scores);

// For simulated boards: one row per constant, and the times to throttling.
Table thermal_constant_table(const ThermalScores& scores);
Table thermal_time_table(const std::vector<ThermalScores>& scores);

// Engines of language models: one row for each engine, board, mode, model and quantization, or
// totals over some of them.
Table llm_group_table(std::span<const LlmGroup> groups);
Table llm_slope_table(std::span<const LlmSlope> slopes);
Table llm_judged_table(std::span<const LlmJudged> rows);
// Coefficients of every release of every engine.
Table llm_engine_table(std::span<const llm::ShippedEngine> engines);
Table llm_left_out_table(std::span<const llm::LeftOutEngineRow> rows);

// The results of the commands of the laboratory.
Table recovery_table(RecoveryOptions options);  // scores every kind of trouble
Table merge_table(const std::vector<MergeScore>& scores);
report::Result board_findings_result(const std::vector<FindingVerdict>& judged,
                                     const std::vector<BoardScore>& scores);
report::Result choices_result(const std::vector<PowerMode>& modes,
                              const std::vector<ChoiceScore>& scores);
struct ScoredClocks {
  std::string workload;
  predict::ClockSearchScore score;
  bool within = false;  // the tolerance
};
// Searches of `count` clocks in every group of the sweeps of `path`. InputError without a group.
void add_clock_scores(const std::vector<Sweep>& sweeps, const std::string& path, std::size_t count,
                      double tolerance, std::vector<ScoredClocks>& scores);
Table clock_table(const std::vector<ScoredClocks>& scores);
report::Result explain_scores_result(const ExplainScores& scores);
report::Result govern_scores_result(const std::vector<GovernScore>& scores, bool every_day);
// By goal, or by disturbance.
Table in_place_table(const std::map<std::string, std::vector<InPlaceTrial>>& groups);
Table drift_score_table(const std::map<std::string, std::vector<DriftTrial>>& groups);
report::Result llm_scores_result(const LlmScores& scores, const llm::EngineFile& shipped,
                                 bool parameters);
report::Result published_pipeline_result(const PublishedPipeline& published);
// Medians over the runs that have the value, quartiles of the two errors, and means of coverage and
// shares. Or one row per run.
Table predictor_table(const std::vector<RunScore>& scores, bool every_run);
report::Result runtime_facts_result(const std::vector<RuntimeFact>& facts);
report::Result runtime_scores_result(const RuntimeScores& scores,
                                     const std::vector<RuntimeFact>& facts, bool parameters);
Table schedule_table(const std::vector<ScheduleScore>& scores, bool timing);
Table strategy_table(const std::vector<StrategyScore>& scores);
Table reliability_table(const std::vector<ReliabilityBin>& bins);
// The table of strategies, and whether their stated probabilities of being near the best are right.
report::Result strategy_result(const std::vector<StrategyScore>& scores);
report::Result thermal_scores_result(const std::vector<ThermalScores>& scores);

// A twin and the runs that it was fitted to or is scored on.
struct ScoredTwin {
  Board board;
  twin::Twin start = {};  // of the fit
  twin::CalibrateSummary summary = {};
  std::vector<twin::CalibrationRun> runs = {};
  twin::CalibrateOptions options;
  bool shipped = false;  // the twin of the board file, not fitted here
  bool findings = false, memory_levels = false;
};
// `asked`: board, options and what is wanted. Fits a twin to the sweeps (twin::parse_sweep_spec),
// or scores that of the board file.
ScoredTwin score_twin(ScoredTwin asked, const std::vector<std::string>& sweeps);
struct NamedTable {
  std::string key;    // in JSON
  std::string title;  // for people
  Table table;
};
// Of the parts of an evaluation, merged: its command ("schedules") and the scores. InputError.
struct MergedScores {
  std::string command;
  report::Result result;
};
MergedScores merged_scores(const std::vector<std::string>& paths);
std::vector<NamedTable> estimate_tables(const ScoredTwin& scored);
Json named_tables_json(Json head, const std::vector<NamedTable>& tables);
// One row per reference and workload, and per baseline.
Table reference_score_table(const std::vector<ReferenceScore>& scores);

// Error of time, error of power (median over runs with quartiles, one line per method), and Pareto
// fronts: `measured`, and the costs of the modes on each method's predicted front when they are run
// (first run, largest number of profiled modes).
std::vector<report::Figure> predictor_figures(const std::vector<RunScore>& scores,
                                              const std::vector<Observation>& measured,
                                              const report::FigureSource& source);

// `board`: the board of the replayed sweeps. For each scenario and workload the mean penalty (with
// its 95 % interval) and the share of solved problems against the number of profiles, one line per
// strategy; and, if searches save energy compared with MAXN, the number of minibatches after which
// each has recovered its own energy.
std::vector<report::Figure> strategy_figures(const std::vector<StrategyScore>& scores,
                                             const std::string& board);

}  // namespace ridgewatt::evaluate
