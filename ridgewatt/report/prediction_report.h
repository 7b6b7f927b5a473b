// Predictions as tables and JSON, in the columns that `predict` and `estimate` share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ridgewatt/answer/advice.h"
#include "ridgewatt/answer/presets.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/predict/predictor.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/report/table.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::report {

// Knobs, batch, then mean and interval of time_ms, power_w and energy_j.
Table prediction_table(std::span<const OperatingPoint> points,
                       std::span<const predict::Prediction> predictions);
// The same with the columns of where the rows come from (columns.h), for CSV: one origin
// for all, or one per row.
Table prediction_table(std::span<const OperatingPoint> points,
                       std::span<const predict::Prediction> predictions,
                       const std::vector<RowOrigin>& origins);
// The same as an array of objects with `mode` nested.
Json predictions_to_json(std::span<const OperatingPoint> points,
                         std::span<const predict::Prediction> predictions,
                         const std::vector<RowOrigin>& origins);

// The contract of `predict` and `pareto --format json`: those rows, each with the knobs that the
// samples hold at another value, and with how many samples the fit rests on where it is not all;
// modes alone where nothing was fitted. Bounds are null without an interval.
Json predictions_to_json(const answer::PredictAnswer& found);
// The whole; `seed` is that of the parts that very many samples are fitted on.
Result predictions_result(const answer::PredictAnswer& found, std::uint64_t seed,
                          OutputFormat format);
// Modes before anything is known of their cost.
Table points_table(const std::vector<OperatingPoint>& points);
// Costs of the methods of choosing a mode, in hours.
Table advice_table(const std::vector<answer::ScenarioCost>& costs);

Result presets_result(const std::vector<answer::PresetStanding>& presets, answer::FrontCost x,
                      answer::FrontCost y, const RowOrigin& origin);
// Presets and the modes that beat them: name, knobs, cost, how many points are better, the best of
// them, and its time, power and energy compared with the preset's in %. The costs `x` and `y` that
// were compared are always shown, the third where there is space.
Table preset_table(const std::vector<answer::PresetStanding>& presets, answer::FrontCost x,
                   answer::FrontCost y);

}  // namespace ridgewatt::report
