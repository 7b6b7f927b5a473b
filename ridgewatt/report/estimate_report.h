// Results of `estimate`, in the columns that `estimate` and `predict` share.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/report/field.h"
#include "ridgewatt/report/keys.h"
#include "ridgewatt/report/layer_sums.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/twin/estimate.h"

namespace ridgewatt::report {

// A row of an answer. It shares ownership of the answer.
struct EstimateLine {
  std::shared_ptr<const answer::EstimateAnswer> found;
  std::size_t number = 0;
  answer::EstimateRow estimated;
  std::array<twin::Bounded, twin::kQuantities.size()> cost{};  // with 90 % intervals

  EstimateLine(std::shared_ptr<const answer::EstimateAnswer> of, std::size_t i);
  const answer::EstimateRow& row() const { return estimated; }
  const answer::EstimateSetting& of() const { return *row().setting; }
  const twin::MinibatchCost& total() const { return row().estimate.total; }
};
// The fields of a row of `estimate`, for tables, CSV, JSON and Python.
const Fields<EstimateLine>& estimate_fields();

// Columns: knobs, preset, batch, time (the period), power and energy with 90 % bounds, the median
// of timed minibatches, the wait for data, the bound of the time, and whether the minibatch fits
// the memory. With several boards or runtimes, also their names and twins; for a job, its time and
// energy. Tables show a job as "1 h 23 min" and in Wh. CSV states the origin of each row. `found`
// must outlive the rows.
Rows estimate_rows(const answer::EstimateAnswer& found, OutputFormat reader);
// A remark if `boards` has both graphics cards and other boards, because their powers include
// different parts. Otherwise empty.
std::string mixed_power_note(const std::vector<std::string>& boards);
// The complete result, with remarks for tables. `found` must outlive the result.
Result estimate_result(const answer::EstimateQuestion& question,
                       const answer::EstimateAnswer& found, OutputFormat format);

// The documented JSON of `estimate`: model, kind, provenance, estimates (a row per mode, batch,
// board or runtime), left_out, remedies; with `layers` also the layers of the first row. `found`
// must outlive the result.
StreamedJson estimate_json(const answer::EstimateAnswer& found, bool layers = false);
// Sets row `i` of `estimates`. `seen`, if set, is called with each row.
std::function<void(std::size_t i, Json& row)> estimate_row_json(
    const answer::EstimateAnswer& found,
    std::function<void(std::size_t i, const answer::EstimateRow& row)> seen = {});
// The basis of the estimates: the twin and its error. With several boards, each row names its twin.
std::string estimate_ground(const answer::EstimateAnswer& found);
// Remarks on the estimates; each is empty if it does not apply.
struct EstimateRemarks {
  std::string preset;    // the power in a preset's name is not a limit
  std::string envelope;  // modelled power exceeds what the module can sustain
  std::string waits;     // the power includes waits for data
  std::string mixed;     // powers of cards are listed with powers of whole modules
  std::string caller;    // a call from Python takes longer
  std::string wide;      // why the interval is wide
};
EstimateRemarks estimate_remarks(const answer::EstimateAnswer& found);
// JSON example: {"answer": "throttles after 14 min", "holds": false, "holds_s": 870, "steady_c":
// ..}.
Json hold_json(const thermal::HoldAnswer& hold);

// JSON example: {"tensors": .., "framework": .., "needed": .., "free": ..}, in GB.
Json memory_json(const twin::MemoryFootprint& memory);
// The sources of the constants in memory_json, by key.
Json memory_sources_json(const Board& board, Runtime runtime);

// Default order: the slowest layers first.
inline constexpr char kLayerOrder[] = "-time_ms";

// The layers in one mode, in order of execution: share of time, cause, intensity.
Table layer_table(const workload::WorkloadCost& cost,
                  const std::vector<twin::LayerEstimate>& layers);

// Time, energy, work and traffic from the rows of layer_table(), summed by operator and by block.
LayerSums layer_sums(const Table& layers);

// The shares of time and energy of each cause.
Table cause_table(const twin::Breakdown& breakdown);

}  // namespace ridgewatt::report
