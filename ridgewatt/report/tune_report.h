// The answer of a search or of a choice among estimates, as JSON and as tables for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ridgewatt/report/job_text.h"
#include "ridgewatt/report/limit_report.h"
#include "ridgewatt/report/mode_json.h"
#include "ridgewatt/report/origin_columns.h"
#include "ridgewatt/tune/comparison.h"
#include "ridgewatt/tune/search.h"
#include "ridgewatt/twin/memory_footprint.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt {

// Everything that is said about one answered question.
struct TuneReport {
  Goal goal;  // slowdown reference filled in
  std::string workload;
  std::string device;                      // board, where one was named
  RowOrigin origin;                        // what every row says of itself
  std::optional<TwinFitError> twin_error;  // where a twin was asked
  std::string strategy;
  std::uint64_t seed = 1;
  std::string provenance;               // "replayed", "modelled", "predicted", "profiled": a sample
  std::string remark;                   // what the figures rest on, with the error of a model
  std::vector<std::string> widened_by;  // why a twin's intervals are wider than at home
  std::optional<CostCaveats> caveats;   // of the model, where one was priced
  std::optional<ComparedPoint> answer;
  std::optional<ComparedPoint> miss;  // without an answer
  bool memory_known = false, fits_memory = true;
  MemoryFootprint memory = {};
  std::vector<ComparedPoint> others;        // MAXN, presets, optimum
  std::vector<SearchStep> profiled;         // in order
  std::size_t considered = 0;               // operating points that could have been chosen
  std::vector<int> batches;                 // minibatch sizes tried; empty: not a dimension
  bool batches_asked = true;                // by the user; else chosen by batches_to_try
  std::vector<LimitConfidence> confidence;  // of the answer's limits, where it is estimated
  std::vector<Mend> mends;                  // without an answer: limits that mend it alone,
  std::vector<BoardWithAnswer> boards;      // and boards that keep them all
  std::string advice;                       // what else to do, for the error line
  std::string preset_note;                  // where presets are named
  std::string stop;
  double board_time_s = 0, board_energy_j = 0;  // of the search
  double job_samples = 0;                       // data set size x epochs; 0: not asked for
  std::optional<JobCost> job;                   // of the answer, where asked for
};

// The contract of `tune --format json`: feasible, mode, batch, time_ms, power_w, energy_j (with _lo
// and _hi), profiled, strategy, seed, provenance; without an answer, nearest_miss.
Json tune_to_json(const TuneReport& report);
// The errors of a twin's fit; null where it was not fitted or not checked.
Json twin_error_json(const TwinFitError& fit);
// "time per sample under 30 W".
std::string describe_goal(const Goal& goal);
// What was asked, and of what; a line each.
std::vector<std::string> tune_question(const TuneReport& report);
// What was found, or why nothing was; a line each.
std::vector<std::string> tune_headline(const TuneReport& report);
// What the figures rest on and what the search cost; a line each.
std::vector<std::string> tune_remarks(const TuneReport& report);
// The answer against the other points. Percentages are relative to the answer.
Table tune_table(const TuneReport& report);
// One board a row, in the order given.
Table ranking_table(const std::vector<TuneReport>& reports);
// Every profiled point in order, with the verdict and the reason for trying it.
Table trace_table(const TuneReport& report);

}  // namespace ridgewatt
