// What a twin says of power modes and a model, gathered for the roofline figures and page.
#pragma once

#include <span>
#include <string>

#include "ridgewatt/device/board.h"
#include "ridgewatt/report/roofline_report.h"
#include "ridgewatt/roofline/estimate.h"

namespace ridgewatt {

// For a FigureSource: the runtime whose execution the twin models, the twin's kind and its error:
// "pytorch-eager, the agx-orin twin (fitted); fit error ...".
std::string twin_words(const Twin& twin);

// The roofs (of dense convolutions) in `modes`, the first being the one that layers are shown in.
// `estimator` may be null: roofs alone. With one: its kernels as layers, and its time and power in
// every mode of the board for the energy figures. UsageError without modes.
RooflineReport twin_report(const Board& board, const Twin& twin, std::span<const PowerMode> modes,
                           const Estimator* estimator);

}  // namespace ridgewatt
