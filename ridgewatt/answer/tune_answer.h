// What the question "which power mode and batch is best within my limits?" is answered with: the
// point, what it costs, what it is compared with, and, where no point keeps the limits, what would
// mend that. report/tune_report.h prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/thermal/hold.h"
#include "ridgewatt/tune/comparison.h"
#include "ridgewatt/tune/limits.h"
#include "ridgewatt/tune/search.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/twin/memory_footprint.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::answer {

// A limit that gives an answer when it alone is relaxed to `value` (see Relaxation), and where.
struct Mend {
  tune::LimitKind kind = tune::LimitKind::kPower;
  double value = 0;
  OperatingPoint at;
};

// Another board that keeps all the limits.
struct BoardWithAnswer {
  std::string name;
  std::string twin;  // "fitted" or "scaled, not validated"
  double power_w = 0;
};

// What a verification by hand would profile next, and why.
struct NextProfile {
  OperatingPoint point;
  std::string reason;
};

struct TuneAnswer {
  tune::Goal goal;  // slowdown reference filled in
  std::string workload;
  std::string device;                            // board, where one was named
  std::optional<workload::Precision> precision;  // of the model, where one was priced
  RowOrigin origin;                              // what every row says of itself
  std::optional<twin::TwinFitError> twin_error;  // where a twin was asked
  std::string strategy;
  std::uint64_t seed = 1;
  Provenance provenance = Provenance::kModelled;
  std::string remark;                   // what the figures rest on, with the error of a model
  std::vector<std::string> widened_by;  // why a twin's intervals are wider than at home
  std::optional<workload::CostCaveats> caveats;  // of the model, where one was priced
  std::optional<tune::ComparedPoint> answer;
  std::optional<tune::ComparedPoint> miss;  // without an answer
  bool memory_known = false, fits_memory = true;
  twin::MemoryFootprint memory = {};
  std::vector<tune::ComparedPoint> others;        // MAXN, presets, optimum
  std::vector<tune::SearchStep> profiled;         // in order
  std::vector<NextProfile> next;                  // by hand: what to profile next
  std::vector<std::string> left_out;              // what could not be profiled or asked, and why
  std::size_t considered = 0;                     // operating points that could have been chosen
  std::vector<int> batches;                       // minibatch sizes tried; empty: not a dimension
  bool batches_asked = true;                      // by the user; else chosen by batches_to_try
  std::vector<tune::LimitConfidence> confidence;  // of the answer's limits, where it is estimated
  std::vector<Mend> mends;                        // without an answer: limits that mend it alone,
  std::vector<BoardWithAnswer> boards;            // and boards that keep them all
  std::string advice;                             // what else to do, in the program's options
  std::string stop;
  double board_time_s = 0, board_energy_j = 0;   // of the search
  double job_samples = 0;                        // data set size x epochs; 0: not asked for
  std::optional<twin::JobCost> job;              // of the answer, where asked for
  std::optional<thermal::HoldAnswer> hold;       // of the answer, with thermal constants
  std::vector<thermal::HoldAnswer> other_holds;  // of `others`; see answer/held.h
};

}  // namespace ridgewatt::answer
