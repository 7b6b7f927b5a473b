// The answer to the question which power mode and batch is best within limits: the best point and
// its cost, points for comparison and, if no point meets the limits, possible relaxations.
// report/tune_report.h prints the answer.
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

// A limit. If only this limit is relaxed to `value`, some point meets all limits.
struct Relaxation {
  tune::LimitKind kind = tune::LimitKind::kPower;
  double value = 0;
  OperatingPoint at;  // that point
};

// Another board on which some point meets all limits.
struct BoardWithAnswer {
  std::string name;
  std::string twin;    // "fitted" or "scaled, not validated"
  double power_w = 0;  // power of the point
};

// A preset that is slower than a preset with a smaller power budget. `knob` is the knob that
// explains most of the additional time according to the twin.
struct SlowerPreset {
  std::string slower, faster;
  Knob knob = Knob::kGpuClock;
  double value = 0;  // value in the slower preset, in the unit of knob_in_field_unit()
};

// The point to profile next in a verification by hand, and why.
struct NextProfile {
  OperatingPoint point;
  std::string reason;
};

struct TuneOutcome {
  tune::Goal goal;                            // with the slowdown reference filled in
  std::optional<tune::ComparedPoint> best;    // absent if no point meets every limit
  std::optional<tune::ComparedPoint> miss;    // if `best` is absent: the nearest point
  std::vector<tune::ComparedPoint> compared;  // MAXN, presets, governors, optimum of a sweep
  // The point with the least objective, if `best` is another one: the fastest of the points whose
  // objective is at most the share `tie` above the least or, if `surest`, the one of them that most
  // probably meets the limits.
  std::optional<tune::ComparedPoint> least;
  double tie = 0;
  bool surest = false;
  // The highest mode at the batch of `best`, which shows the effect of the mode alone. Absent: not
  // known.
  std::optional<tune::ComparedPoint> highest;
  std::vector<SlowerPreset> slower_presets;  // among `compared`
  // Memory at the batch of `best`, or at the smallest batch. Absent: unknown.
  std::optional<twin::MemoryFootprint> memory;
  bool fits_memory = true;  // whether the smallest batch fits
  int fitting_batch = 0;    // if it does not: a smaller batch that fits; 0: none
  double confidence = 0.5;  // see TuneQuestion
  // Share of the time of `best` in which the GPU waits for data, from the twin; 0 without a twin.
  double wait_share = 0;
  // Sustained power limit of the module, if `best` draws more.
  std::optional<double> envelope_w;
  double waits_in_power = 0;            // share of the period that counts in power but not in time
  std::optional<double> job_samples;    // data set size x epochs of a job
  std::optional<twin::JobCost> job;     // cost of the job at `best`
  std::vector<Relaxation> relaxations;  // if `best` is absent: limits to relax
  std::vector<BoardWithAnswer> boards;  // if `best` is absent: boards that meet all limits
  std::optional<std::string> advice;    // other advice, as options of the program
};

// How the answer was found.
struct TuneTrace {
  std::string strategy;
  std::uint64_t seed = 1;
  std::size_t considered = 0;  // number of candidate points
  std::vector<int> batches;    // batches that were considered; empty: unknown
  // Whether the question set the batches. If not, batches_to_try() chose them.
  bool batches_asked = true;
  std::vector<tune::SearchStep> profiled;  // in order of profiling
  std::size_t again = 0;                   // repeats in `profiled` to confirm the answer
  std::size_t taken = 0;                   // number in `profiled` from earlier runs
  std::vector<Observation> stored;         // all points of earlier runs that the search used
  std::vector<NextProfile> next;           // in a verification by hand
  std::vector<std::string> left_out;       // what was left out and why
  std::optional<std::string> stopped_because;
  std::optional<double> near_best;  // probability that no point is better by more than 1 %
  double board_time_s = 0, board_energy_j = 0;  // total of all profiles
};

// Where the figures come from.
struct TuneSource {
  std::string workload;
  std::optional<std::string> device;             // absent if no board was named
  std::optional<workload::Precision> precision;  // of the model; absent without a model
  RowOrigin origin;                              // of all figures
  std::optional<twin::TwinFitError> twin_error;  // of the twin; absent if no twin was used
  Provenance provenance = Provenance::kModelled;
  std::optional<std::string> remark;  // includes the error of a model
  // Source, as text, of the idle power that is included in the energy; empty: none is included.
  std::string idle_power;
  std::vector<std::string> widened_by;  // why intervals are wider than for fitted workloads
  std::optional<workload::CostCaveats> caveats;  // of the model; absent without a model
};

struct TuneAnswer {
  TuneOutcome outcome;
  TuneTrace trace;
  TuneSource source;
};

}  // namespace ridgewatt::answer

#pragma GCC visibility pop
