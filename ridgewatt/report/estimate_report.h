// What a twin estimates, as tables: the result columns that `estimate` and `predict` share.
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

// A row together with its answer.
struct EstimateLine {
  std::shared_ptr<const answer::EstimateAnswer> found;
  std::size_t number = 0;
  std::array<twin::Bounded, twin::kQuantities.size()> cost{};  // with 90 % intervals

  EstimateLine(std::shared_ptr<const answer::EstimateAnswer> of, std::size_t i);
  const answer::EstimateRow& row() const { return found->rows[number]; }
  const answer::EstimateSetting& of() const { return *row().setting; }
  const twin::MinibatchCost& total() const { return row().estimate.total; }
};
// The values of a row of `estimate`; tables, CSV, JSON and Python take the fields that they show.
const Fields<EstimateLine>& estimate_fields();
// Their keys, and those of memory_json and of the remedies.
std::vector<KeyMeaning> estimate_keys();
std::vector<KeyMeaning> memory_keys();
std::vector<KeyMeaning> remedy_keys();

// Knobs, preset, batch, time (the period), power and energy with 90 % bounds, the median of timed
// minibatches, the wait for data, what dominates the time, whether the minibatch fits the memory;
// of several boards or runtimes also their names and twins, of a job its time and energy.
// A job is "1 h 23 min" and in Wh for people; CSV says where each row comes from.
// `found` must outlive the rows.
Rows estimate_rows(const answer::EstimateAnswer& found, OutputFormat reader);
// The whole, with remarks for people. `found` must outlive it.
Result estimate_result(const answer::EstimateQuestion& question,
                       const answer::EstimateAnswer& found, OutputFormat format);

// The contract of `estimate --format json`: model, kind, provenance, estimates (a row per mode,
// batch, board or runtime), left_out, remedies; with `layers` also those of the first row.
// `found` must outlive it.
StreamedJson estimate_json(const answer::EstimateAnswer& found, bool layers = false);
// Its rows: sets row `i` of `estimates`.
std::function<void(std::size_t i, Json& row)> estimate_row_json(
    const answer::EstimateAnswer& found);
// What the figures rest on; of several boards each row says which twin it is of.
std::string estimate_ground(const answer::EstimateAnswer& found);
// That the power in a preset's name is no cap, where presets are named; else empty.
std::string estimate_preset_note(const answer::EstimateAnswer& found);
// That modelled power passes what the module is built to draw for long; empty: it does not.
std::string envelope_note(const answer::EstimateAnswer& found);
// {"answer": "throttles after 14 min", "holds": false, "holds_s": 870, "steady_c": ..}.
Json hold_json(const thermal::HoldAnswer& hold);

// {"tensors": .., "framework": .., "needed": .., "free": ..} in GB.
Json memory_json(const twin::MemoryFootprint& memory);
// Where its constants come from, by name.
Json memory_sources_json(const Board& board, Runtime runtime);

// How people find what takes longest.
inline constexpr char kLayerOrder[] = "-time_ms";

// The layers of one mode in execution order: share of time, cause, intensity.
Table layer_table(const workload::WorkloadCost& cost,
                  const std::vector<twin::LayerEstimate>& layers);

// Time, energy, work and traffic of the rows of `layer_table`, by operator and by block.
LayerSums layer_sums(const Table& layers);

// The share of time and energy that goes to each cause.
Table cause_table(const twin::Breakdown& breakdown);

}  // namespace ridgewatt::report
