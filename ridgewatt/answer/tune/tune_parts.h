// What the ways to tune share.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/answer/tune.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt::answer {

// Budget, seed and thresholds of the search.
tune::StrategyOptions strategy_options(const TuneQuestion& question);
// What limits are held against, and the probability of the intervals for that.
tune::Caution caution_of(const TuneQuestion& question);
double interval_of(const TuneQuestion& question);
// MAXN and, where a board is named, its other presets; each as the nearest mode of the space.
std::vector<tune::NamedMode> named_modes(const std::string& device, const tune::SearchSpace& space);
// Gives the points of an answer the names of the board's presets.
void name_presets(TuneAnswer& found, const Board& board);
// Without an answer: what would give one, out of these points.
void add_mends(TuneAnswer& found, std::span<const OperatingPoint> points,
               std::span<const predict::Prediction> costs, tune::Caution caution);
// What the answer's job costs, where its size is given.
void add_job(TuneAnswer& found);
// What a finished search says.
TuneAnswer search_answer(const TuneQuestion& question, const tune::SearchSpace& space,
                         const tune::SearchSummary& summary);

}  // namespace ridgewatt::answer
