// Tables, figures and results of the commands of `evaluate`, made from the scores of this module.
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
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/predict/clock_search.h"
#include "ridgewatt/report/figure.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/twin/calibrate.h"

namespace ridgewatt::evaluate {

using report::Table;

// Coverage of the intervals over rows that the fit did not see: percentage of rows in the interval,
// and the mean upper bound divided by the estimate. One row per workload, then means over
// workloads.
Table coverage_table(const std::vector<twin::CoverageRow>& rows);
// One row per workload and batch.
Table findings_table(const std::vector<WorkloadFindings>& findings);
// Counts for one twin ("fitted" to the workload, or "unseen") and set of rows ("trusted" or "all").
struct CountedFindings {
  std::string twin;
  std::string rows;
  FindingsCount count;
};
Table findings_count_table(const std::vector<CountedFindings>& counted);
// One row per case, with the saving of the twin's answer, the saving after `profiles` profiles, and
// the smallest number of profiles with which the answer holds (empty: none that was tried). The
// profile of MAXN counts.
Table verified_table(const std::vector<VerifiedTuning>& tunings, std::size_t profiles);
struct CountedVerified {
  std::string twin;  // "fitted" or "unseen"
  std::vector<VerifiedCount> counts;
};
// One row per number of profiles, with and without the profile of MAXN.
Table verified_count_table(const std::vector<CountedVerified>& counted);
// By workload and memory clock: the measured and modelled improvement from the next lower clock,
// and the error of a twin fitted without the workload.
Table memory_level_table(const std::vector<MemoryLevelScore>& scores);
// One row per workload: errors by LevelForm.
Table memory_form_table(const std::vector<MemoryLevelScore>& means);
// The race-to-halt ratio of dense convolutions (eta B_eps / B_tau, see roofline/energy_roofline.h)
// with its 90 % interval. Race-to-halt is claimed if the upper bound is at most 1.
Table race_to_halt_table(const twin::Twin& twin, const std::vector<PowerMode>& modes,
                         std::uint64_t seed);
// Scores of runtimes: a table of all public rows, of medians by group, and of published facts.
Table runtime_score_table(const RuntimeScores& scores);
Table runtime_group_table(const RuntimeScores& scores);
Table runtime_fact_table(const std::vector<RuntimeFact>& facts);
// Tables of published findings: each finding in its published unit (an open end is empty); counts
// of reproduced findings by board; shares of reproduced findings (separately for held-out
// findings); reasons why other findings cannot be compared.
Table board_finding_table(const std::vector<FindingVerdict>& judged);
Table board_finding_count_table(const std::vector<FindingVerdict>& judged);
Table board_finding_score_table(const std::vector<FindingVerdict>& judged);
Table unasked_finding_table(const std::vector<FindingVerdict>& judged);
// One row per sweep and number of added points.
Table board_score_table(const std::vector<BoardScore>& scores);

// Tables for simulated boards: one row per thermal constant, and times to throttling.
Table thermal_constant_table(const ThermalScores& scores);
Table thermal_time_table(const std::vector<ThermalScores>& scores);

// Engines of language models: one row per engine, board, mode, model and quantization, or totals.
Table llm_group_table(std::span<const LlmGroup> groups);
Table llm_slope_table(std::span<const LlmSlope> slopes);
Table llm_judged_table(std::span<const LlmJudged> rows);
// Coefficients of every release of every engine, and rows that cannot be used.
Table llm_engine_table(std::span<const llm::ShippedEngine> engines);
Table llm_left_out_table(std::span<const llm::LeftOutEngineRow> rows);

// Tables and results of other commands.
Table recovery_table(RecoveryOptions options);  // scores every kind of Trouble
Table merge_table(const std::vector<MergeScore>& scores);
report::Result board_findings_result(const std::vector<FindingVerdict>& judged,
                                     const std::vector<BoardScore>& scores);
report::Result choices_result(const std::vector<PowerMode>& modes,
                              const std::vector<ChoiceScore>& scores);
struct ScoredClocks {
  std::string workload;
  predict::ClockSearchScore score;
  bool within = false;  // whether the score is within the tolerance
};
// Searches `count` clocks in every group of the sweeps from `path` and appends to `scores`. Throws
// InputError if there is no group.
void add_clock_scores(const std::vector<Sweep>& sweeps, const std::string& path, std::size_t count,
                      double tolerance, std::vector<ScoredClocks>& scores);
Table clock_table(const std::vector<ScoredClocks>& scores);
report::Result explain_scores_result(const ExplainScores& scores);
report::Result govern_scores_result(const std::vector<GovernScore>& scores, bool every_day);
// One row per goal in in_place_table(), per disturbance in drift_score_table().
Table in_place_table(const std::map<std::string, std::vector<InPlaceTrial>>& groups);
Table drift_score_table(const std::map<std::string, std::vector<DriftTrial>>& groups);
report::Result llm_scores_result(const LlmScores& scores, bool parameters);
report::Result published_pipeline_result(const PublishedPipeline& published);
// One row per method and size: medians over the runs with a value, quartiles of the errors of time
// and power, means of coverages and shares. `every_run`: one row per run instead.
Table predictor_table(const std::vector<RunScore>& scores, bool every_run);
report::Result runtime_facts_result(const std::vector<RuntimeFact>& facts);
report::Result runtime_scores_result(const RuntimeScores& scores,
                                     const std::vector<RuntimeFact>& facts, bool parameters);
Table schedule_table(const std::vector<ScheduleScore>& scores, bool timing);
Table strategy_table(const std::vector<StrategyScore>& scores);
Table reliability_table(const std::vector<ReliabilityBin>& bins);
// The table of strategies, and the reliability of the stated probabilities that an answer is near
// the best.
report::Result strategy_result(const std::vector<StrategyScore>& scores);
report::Result thermal_scores_result(const std::vector<ThermalScores>& scores);

// A twin, and the runs to which it was fitted or on which it is scored.
struct ScoredTwin {
  Board board;
  twin::Twin start = {};  // start of the fit
  twin::CalibrateSummary summary = {};
  std::vector<twin::CalibrationRun> runs = {};
  twin::CalibrateOptions options;
  bool shipped = false;  // whether it is the twin of the board file
  // Whether to examine findings (twin_findings.h) and memory levels (memory_levels.h).
  bool findings = false, memory_levels = false;
};
// Fits a twin to the sweeps (twin::parse_sweep_spec) or, if `shipped` is set, scores the twin of
// the board file. `asked` has the board and the options.
ScoredTwin score_twin(ScoredTwin asked, const std::vector<std::string>& sweeps);
struct NamedTable {
  std::string key;    // key in JSON
  std::string title;  // heading for people
  Table table;
};
// The merged result of the parts of an evaluation, and its command, such as "schedules".
struct MergedScores {
  std::string command;
  report::Result result;
};
// Reads and merges the files of parts. Throws InputError if they do not match.
MergedScores merged_scores(const std::vector<std::string>& paths);
// All tables of a scored twin.
std::vector<NamedTable> estimate_tables(const ScoredTwin& scored);
// Adds each table to `head` under its key.
Json named_tables_json(Json head, const std::vector<NamedTable>& tables);
// One row per reference and workload, and per baseline.
Table reference_score_table(const std::vector<ReferenceScore>& scores);

// Errors of time and of power over the number of profiled modes (median over runs with quartiles,
// one line per method), and Pareto fronts. The fronts are `measured` and, for each method, the
// measured costs of the modes on its predicted front (first run, largest number of profiled modes).
std::vector<report::Figure> predictor_figures(const std::vector<RunScore>& scores,
                                              const std::vector<Observation>& measured,
                                              const report::FigureSource& source);

// `board` is the board of the replayed sweeps. For each scenario and workload: mean penalty with
// its 95 % interval and share of solved problems, over the number of profiles, one line per
// strategy. If searches save energy compared with MAXN, another figure shows after how many
// minibatches a search has recovered its own energy.
std::vector<report::Figure> strategy_figures(const std::vector<StrategyScore>& scores,
                                             const std::string& board);

}  // namespace ridgewatt::evaluate
