// A pipeline whose compute comes from a board's twin: time and power of a minibatch in any mode and
// at any batch, so that clocks and batch can be asked about too. Where the data are in the page
// cache and nothing is handed over, an epoch is what Estimator says of that many minibatches.
#pragma once

#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/pipeline/pipeline.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::pipeline {

// `config` with compute, power and cores of `mode`. Its preprocessing is the model's loader
// (RunOptions::loader_s_per_sample, or the twin's own, which includes reading from the page cache);
// its hand-over is that at the board's highest CPU clock and is scaled to the mode's. A governor's
// clocks are those at which it settles without storage. Throws what the twin throws.
PipelineConfig on_twin(PipelineConfig config, const twin::TwinModel& model, const PowerMode& mode);

// loader_changes, and the batch halved, doubled and four times; half and highest of each clock and
// of the cores. Sorted.
std::vector<WhatIf> changes_on_twin(const PipelineConfig& config, const twin::TwinModel& model,
                                    const KnobSpace& space, const PowerMode& mode);

}  // namespace ridgewatt::pipeline
