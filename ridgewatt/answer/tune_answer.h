// The answer to "which power mode and batch is best within my limits?": the point, its cost, points
// for comparison, and if no point meets the limits, what would help. report/tune_report.h prints
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ridgewatt/sweep/provenance.h"
#include "ridgewatt/thermal/hold_answer.h"
#include "ridgewatt/tune/comparison.h"
#include "ridgewatt/tune/limits.h"
#include "ridgewatt/tune/search.h"
#include "ridgewatt/twin/memory_footprint.h"
#include "ridgewatt/twin/minibatch_cost.h"
#include "ridgewatt/workload/workload_cost.h"

#pragma GCC visibility push(default)

namespace ridgewatt::answer {

// A limit that gives an answer when it alone is relaxed to `value`, and at which point.
struct Relaxation {
  tune::LimitKind kind = tune::LimitKind::kPower;
  double value = 0;
  OperatingPoint at;
};

// Another board that meets all limits.
struct BoardWithAnswer {
  std::string name;
  std::string twin;  // "fitted" or "scaled, not validated"
  double power_w = 0;
};

// A preset that is slower than one with a smaller budget, and the knob that it sets lower and that
// costs most of the time, by the twin.
struct SlowerPreset {
  std::string slower, faster;
  Knob knob = Knob::kGpuClock;
  double value = 0;  // of the knob in `slower`, in the unit of its field (knob_in_field_unit)
};

// The point that a verification by hand profiles next, and the reason.
struct NextProfile {
  OperatingPoint point;
  std::string reason;
};

// What was decided.
struct TuneOutcome {
  tune::Goal goal;                            // slowdown reference filled in
  std::optional<tune::ComparedPoint> best;    // meets every limit
  std::optional<tune::ComparedPoint> miss;    // if there is no best: the nearest
  std::vector<tune::ComparedPoint> compared;  // MAXN, presets, governors, the optimum of a sweep
  std::vector<SlowerPreset> slower_presets;   // among them
  // Of the minibatch of `best`, else of the smallest; absent: not known.
  std::optional<twin::MemoryFootprint> memory;
  bool fits_memory = true;              // the smallest minibatch does
  std::optional<double> envelope_w;     // sustained limit of the module, where the best draws more
  std::optional<double> job_samples;    // data set size x epochs, if asked for
  std::optional<twin::JobCost> job;     // of the best, if asked for
  std::vector<Relaxation> relaxations;  // no best: limits that give one when relaxed alone,
  std::vector<BoardWithAnswer> boards;  // and boards that meet all limits
  std::optional<std::string> advice;    // other advice, as options of the program
};

// How it was searched.
struct TuneTrace {
  std::string strategy;
  std::uint64_t seed = 1;
  std::size_t considered = 0;              // operating points that could have been chosen
  std::vector<int> batches;                // minibatch sizes tried; empty: not a dimension
  bool batches_asked = true;               // by the user; else chosen by batches_to_try
  std::vector<tune::SearchStep> profiled;  // in order
  std::vector<NextProfile> next;           // by hand: what to profile next
  std::vector<std::string> left_out;       // what was left out, and why
  std::optional<std::string> stopped_because;
  std::optional<double> near_best;  // probability that no point is better by more than 1 %
  double board_time_s = 0, board_energy_j = 0;
};

// The basis of the figures.
struct TuneSource {
  std::string workload;
  std::optional<std::string> device;             // board, if one was named
  std::optional<workload::Precision> precision;  // of the model, if one was used
  RowOrigin origin;                              // of every row
  std::optional<twin::TwinFitError> twin_error;  // if a twin was used
  Provenance provenance = Provenance::kModelled;
  std::optional<std::string> remark;    // with the error of a model
  std::vector<std::string> widened_by;  // why intervals are wider than for fitted workloads
  std::optional<workload::CostCaveats> caveats;  // of the model, if one was used
};

struct TuneAnswer {
  TuneOutcome outcome;
  TuneTrace trace;
  TuneSource source;
};

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
