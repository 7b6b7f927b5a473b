// A pipeline whose compute step comes from a board's twin: time and power of a minibatch in any
// mode and at any batch, so that clocks and batch can be varied. If the data is in the page cache
// and there is no hand-over, an epoch agrees with twin::Estimator.
#pragma once

#include <vector>

#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/pipeline/pipeline.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::pipeline {

// Returns `config` with compute, power and cores in `mode`. Preprocessing is that of the model's
// data loader: RunOptions::loader_s_per_sample, or the time in the twin, which includes reads from
// the page cache. config.hand_over_s is the time at the board's highest clocks and is scaled to the
// mode. With a governor, the clocks are those that it selects if nothing waits for storage.
// Throws the errors of the twin.
PipelineConfig on_twin(PipelineConfig config, const twin::TwinModel& model, const PowerMode& mode);

// Returns sorted changes: loader_changes(); half, double and four times the batch; and half and the
// highest value of each clock and of the number of cores.
std::vector<WhatIf> changes_on_twin(const PipelineConfig& config, const twin::TwinModel& model,
                                    const KnobSpace& space, const PowerMode& mode);

}  // namespace ridgewatt::pipeline
