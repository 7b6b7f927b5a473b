// What the ways to tune share.
#pragma once

#include <span>
#include <vector>

#include "ridgewatt/answer/tune.h"
#include "ridgewatt/device/board.h"

namespace ridgewatt {

// Budget, seed and thresholds of the search.
StrategyOptions strategy_options(const TuneQuestion& question);
// What limits are held against, and the probability of the intervals for that.
Caution caution_of(const TuneQuestion& question);
double interval_of(const TuneQuestion& question);
// MAXN and, where a board is named, its other presets; each as the nearest mode of the space.
std::vector<NamedMode> named_modes(const std::string& device, const SearchSpace& space);
// Gives the points of an answer the names of the board's presets.
void name_presets(TuneAnswer& found, const Board& board);
// Without an answer: what would give one, out of these points.
void add_mends(TuneAnswer& found, std::span<const OperatingPoint> points,
               std::span<const Prediction> costs, Caution caution);
// What the answer's job costs, where its size is given.
void add_job(TuneAnswer& found);
// What a finished search says.
TuneAnswer search_answer(const TuneQuestion& question, const SearchSpace& space,
                         const SearchSummary& summary);

}  // namespace ridgewatt
