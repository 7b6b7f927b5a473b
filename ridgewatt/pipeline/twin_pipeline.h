// A pipeline whose compute comes from a board's twin: time and power of a minibatch in any mode and
// at any batch, so that clocks and batch can be asked about too.
#pragma once

#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/pipeline/pipeline.h"
#include "ridgewatt/roofline/twin_model.h"

namespace ridgewatt {

// `config` with compute, power and cores of `mode`; its preprocessing and hand-over are those at
// the board's highest CPU clock and are scaled to the mode's. The model must not load by itself
// (RunOptions::loader_s_per_sample 0). Throws what the twin throws.
PipelineConfig on_twin(PipelineConfig config, const TwinModel& model, const PowerMode& mode);

// loader_changes, and the batch halved, doubled and four times; half and highest of each clock and
// of the cores. Sorted.
std::vector<WhatIf> changes_on_twin(const PipelineConfig& config, const TwinModel& model,
                                    const KnobSpace& space, const PowerMode& mode);

}  // namespace ridgewatt
