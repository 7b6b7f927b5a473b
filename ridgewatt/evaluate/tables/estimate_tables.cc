#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::evaluate {
namespace {

// Details with trusted rows, for the twin fitted to all workloads and for twins that did not see
// the workload. Counts also include rows with suspect quality.
void add_findings(const twin::CalibrateSummary& summary,
                  const std::vector<twin::CalibrationRun>& runs, std::vector<NamedTable>& tables) {
  std::vector<CountedFindings> counted;
  for (const bool all_rows : {false, true}) {
    const std::string rows = all_rows ? "all" : "trusted";
    const auto fitted = find_findings(summary.twin, runs, all_rows);
    const auto unseen = find_unseen_findings(summary, runs, all_rows);
    counted.push_back({"fitted", rows, count_findings(fitted)});
    if (!unseen.empty()) counted.push_back({"unseen", rows, count_findings(unseen)});
    const auto neighbors = find_neighbor_findings(runs, all_rows);
    counted.push_back({"none: the row's neighbors", rows, count_findings(neighbors)});
    if (all_rows) continue;
    tables.push_back({"findings", "Findings of a twin fitted to all workloads, on trusted rows:",
                      findings_table(fitted)});
    if (unseen.empty()) continue;
    tables.push_back({"unseen_findings",
                      "Findings of twins fitted without the workload:", findings_table(unseen)});
  }
  tables.push_back({"findings_count", "Counted:", findings_count_table(counted)});
}

// Profiles of MAXN and three candidates, and the maximum number of profiles.
constexpr std::size_t kUsualProfiles = 4;
constexpr int kMostProfiles = 12;

// Adds the results of tuning with profiles, on trusted rows.
void add_verified(const twin::CalibrateSummary& summary,
                  const std::vector<twin::CalibrationRun>& runs, std::vector<NamedTable>& tables) {
  const auto fitted = find_verified_tuning(summary.twin, runs, kMostProfiles);
  const auto unseen = find_unseen_verified_tuning(summary, runs, kMostProfiles);
  std::vector<CountedVerified> counted = {{"fitted", count_verified(fitted)}};
  if (!unseen.empty()) {
    counted.push_back({"unseen", count_verified(unseen)});
    tables.push_back(
        {"unseen_verified",
         "Tuning with four profiles, including MAXN, on twins fitted without the workload:",
         verified_table(unseen, kUsualProfiles)});
  }
  tables.push_back({"verified_count", "Tuning with profiles, number of cases on trusted rows:",
                    verified_count_table(counted)});
}

// Adds the errors by memory clock of the twins that did not see a workload, and whether separate
// parameters per clock would help.
void add_memory_levels(const twin::Twin& start, const twin::CalibrateSummary& summary,
                       const std::vector<twin::CalibrationRun>& runs,
                       const twin::CalibrateOptions& options, std::vector<NamedTable>& tables) {
  const auto scores = score_memory_levels(start, runs, summary.left_out, options);
  tables.push_back({"memory_levels", "By memory clock, with twins fitted without the workload:",
                    memory_level_table(scores)});
  tables.push_back({"memory_forms",
                    "Errors of twins fitted without the workload, if each memory clock has no "
                    "parameters of its own, its own factors, its own terms, or its own twin:",
                    memory_form_table(mean_over_levels(scores))});
}

}  // namespace

std::vector<NamedTable> estimate_tables(const ScoredTwin& scored) {
  const auto& [board, start, summary, runs, options, shipped, findings, memory_levels] = scored;
  std::vector<NamedTable> tables = {{"fit", "", report::fit_table(summary, true)}};
  if (!summary.coverage.empty()) {
    tables.push_back({"coverage",
                      shipped ? "Rows within the 90 % intervals of the board file:"
                              : "Rows that are left out of the fit, within their 90 % intervals:",
                      coverage_table(summary.coverage)});
  }
  if (findings) {
    add_findings(summary, runs, tables);
    add_verified(summary, runs, tables);
    tables.push_back(
        {"race_to_halt", "eta B_eps / B_tau by class of kernels, 90 % interval:",
         race_to_halt_table(summary.twin, select_modes(board, "presets"), options.seed)});
  }
  if (memory_levels) add_memory_levels(start, summary, runs, options, tables);
  return tables;
}

Json named_tables_json(Json head, const std::vector<NamedTable>& tables) {
  for (const auto& [key, title, table] : tables) head[key] = table.to_json();
  return head;
}

}  // namespace ridgewatt::evaluate
