// A pipeline whose compute comes from a board's twin: time and power of a minibatch in any mode and
// at any batch, so that clocks and batch can be varied too. If the data is in the page cache and
// nothing is handed over, an epoch agrees with Estimator for that number of minibatches.
#pragma once

#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/pipeline/pipeline.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::pipeline {

// `config` with compute, power and cores of `mode`. Its preprocessing is the loader of the model
// (RunOptions::loader_s_per_sample, or that of the twin, which includes reading from the page
// cache). Its hand-over time is that at the board's highest CPU clock and is scaled to the mode.
// The clocks of a governor are those that it settles at without storage. Throws what the twin
// throws.
PipelineConfig on_twin(PipelineConfig config, const twin::TwinModel& model, const PowerMode& mode);

// loader_changes, and half, double and four times the batch; half of and the highest of each clock
// and of the cores. Sorted.
std::vector<WhatIf> changes_on_twin(const PipelineConfig& config, const twin::TwinModel& model,
                                    const KnobSpace& space, const PowerMode& mode);

}  // namespace ridgewatt::pipeline
