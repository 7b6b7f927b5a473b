// Results of `predict` and `pareto`, in the columns that `predict` and `estimate` share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ridgewatt/answer/presets.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {

// Columns: knobs, batch, then mean and interval of time_ms, power_w and energy_j.
Table prediction_table(std::span<const OperatingPoint> points,
                       std::span<const predict::Prediction> predictions);
// The same table with columns for the origin of the rows (columns.h), for CSV. `origins` has one
// element for all rows, or one per row.
Table prediction_table(std::span<const OperatingPoint> points,
                       std::span<const predict::Prediction> predictions,
                       const std::vector<RowOrigin>& origins);
// An array of objects with these columns and a nested `mode`.
Json predictions_to_json(std::span<const OperatingPoint> points,
                         std::span<const predict::Prediction> predictions,
                         const std::vector<RowOrigin>& origins);

// The documented JSON of `predict` and `pareto`. Each row also has the knobs whose value differs
// from the common value of all samples. If not all samples were used in the fit, their number is
// stated. If nothing was fitted, rows contain only modes. Bounds are null without an interval.
Json predictions_to_json(const answer::PredictAnswer& found);
// Why intervals are wide or missing, and which samples the parameters are fitted to; `seed` is that
// of AutoOptions.
std::vector<std::string> prediction_remarks(const answer::PredictAnswer& found, std::uint64_t seed);
// The complete result.
Result predictions_result(const answer::PredictAnswer& found, std::uint64_t seed,
                          OutputFormat format);
// Points without predictions.
Table points_table(const std::vector<OperatingPoint>& points);
// Costs of the methods for choosing a mode, in hours.
Table advice_table(const std::vector<answer::ScenarioCost>& costs);
// Names the scenarios in which a method without profiles costs less than the best method that keeps
// its budgets.
std::vector<std::string> advice_remarks(const std::vector<answer::ScenarioCost>& costs);

Result presets_result(const std::vector<answer::PresetStanding>& presets, answer::FrontCost x,
                      answer::FrontCost y, const RowOrigin& origin);
// Presets and the modes that are better: name, knobs, cost, number of better points, the best
// better point, and its time, power and energy relative to the preset in %. The compared costs `x`
// and `y` are always shown, the third cost if there is space.
Table preset_table(const std::vector<answer::PresetStanding>& presets, answer::FrontCost x,
                   answer::FrontCost y);

}  // namespace ridgewatt::report
