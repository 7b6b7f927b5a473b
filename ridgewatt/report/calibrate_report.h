// A calibration as tables: errors by workload, parameters with intervals, outliers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/evaluate/board_scores.h"
#include "ridgewatt/evaluate/llm_scores.h"
#include "ridgewatt/evaluate/memory_levels.h"
#include "ridgewatt/evaluate/runtime_scores.h"
#include "ridgewatt/evaluate/thermal_scores.h"
#include "ridgewatt/evaluate/twin_findings.h"
#include "ridgewatt/llm/forecast.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/roofline/microbench_fit.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/twin/board_fit.h"
#include "ridgewatt/twin/calibrate.h"

namespace ridgewatt::report {

// One row per workload and, with `by_batch`, one row per batch below; the mean, and all rows
// pooled. Errors in per cent; `trusted` columns leave out the rows that data quality suspects.
Table fit_table(const twin::CalibrateSummary& summary, bool by_batch);
// What intervals hold of what was left out: percent of rows, and the mean upper end over the
// estimate. Means of workloads below them.
Table coverage_table(const std::vector<twin::CoverageRow>& rows);
Table parameter_table(const twin::Twin& twin);
Table outlier_table(const twin::CalibrateSummary& summary);
Table findings_table(const std::vector<evaluate::WorkloadFindings>& findings);
// A row a way of counting: which twin ("fitted", "unseen"), which rows ("trusted", "all").
struct CountedFindings {
  std::string twin;
  std::string rows;
  evaluate::FindingsCount count;
};
// A row per case: what the estimate's answer saves, the answer after so many profiles, and how many
// it takes to hold (nothing: more than were tried). MAXN's own is counted.
Table verified_table(const std::vector<evaluate::VerifiedTuning>& tunings, std::size_t profiles);
struct CountedVerified {
  std::string twin;  // "fitted" or "unseen"
  std::vector<evaluate::VerifiedCount> counts;
};
// A row per number of profiles, MAXN's own counted and not.
Table verified_count_table(const std::vector<CountedVerified>& counted);
Table findings_count_table(const std::vector<CountedFindings>& counted);
// By workload and memory clock: what the step from the next lower clock brings, measured and
// modelled, and where the twin that did not see the workload is off.
Table memory_level_table(const std::vector<evaluate::MemoryLevelScore>& scores);
// Errors by what each memory clock has of its own (evaluate::LevelForm), one row per workload.
Table memory_form_table(const std::vector<evaluate::MemoryLevelScore>& means);
// eta B_eps / B_tau of dense convolutions with its 90 % interval; claimed where its end is at
// most 1.
Table race_to_halt_table(const twin::Twin& twin, const std::vector<PowerMode>& modes,
                         std::uint64_t seed);
// Runtimes: every public row, medians by group, fitted parameters, rows not used, published facts.
Table runtime_score_table(const evaluate::RuntimeScores& scores);
Table runtime_group_table(const evaluate::RuntimeScores& scores);
Table runtime_parameter_table(const twin::RuntimeTwins& runtimes);
Table runtime_left_out_table(const std::vector<twin::LeftOutRow>& rows);
Table runtime_fact_table(const std::vector<evaluate::RuntimeFact>& facts);
// Published findings in the unit of print, an end that is open empty; and by board how many of them
// its twin reproduces.
Table board_finding_table(const std::vector<evaluate::FindingVerdict>& judged);
Table board_finding_count_table(const std::vector<evaluate::FindingVerdict>& judged);
Table microbench_table(const std::vector<roofline::MicrobenchFit>& fits);

// Thermal constants with 90 % intervals, and for how long powers are held (one row per answer).
Table thermal_fit_table(const thermal::ThermalFit& fit);
Table hold_table(const std::vector<thermal::HoldAnswer>& answers);
// On simulated boards: a row per constant, and one of what was predicted.
Table thermal_constant_table(const evaluate::ThermalScores& scores);
Table thermal_time_table(const std::vector<evaluate::ThermalScores>& scores);

// A row per figure: as it was published, as the twin of a relative has it, and as the fitted one.
Table evidence_table(const twin::BoardFit& fit);
// A row per parameter: value and 90 % interval before and after, and whether the evidence tells of
// it or the prior stays.
Table board_parameter_table(const twin::Twin& twin, const twin::Twin& prior);
// A row per sweep and what was given of it.
Table board_score_table(const std::vector<evaluate::BoardScore>& scores);

// Engines of language models: one row for each engine, board, mode, model and quantization, or sums
// over some of them.
Table llm_group_table(std::span<const evaluate::LlmGroup> groups);
Table llm_slope_table(std::span<const evaluate::LlmSlope> slopes);
Table llm_judged_table(std::span<const evaluate::LlmJudged> rows);
// Coefficients of every release of every engine.
Table llm_engine_table(std::span<const llm::ShippedEngine> engines);
Table llm_left_out_table(std::span<const llm::LeftOutEngineRow> rows);

}  // namespace ridgewatt::report
