// Finds faults in a profile of layers that explain a slow run.
#pragma once

#include <optional>

#include "ridgewatt/answer/explain/suspects.h"
#include "ridgewatt/answer/layers.h"

namespace ridgewatt::answer {

// Returns the profile of the question, joined with its model; absent without a profile.
std::optional<LayersAnswer> profiled_layers(const ExplainQuestion& question,
                                            const workload::DeployedWorkload& workload);

// Returns the time of a run: the time stated in the profile, or else the sum of its layers.
double profiled_s(const LayersAnswer& profile);

// Returns the findings in the profile; `rows` stays empty.
ProfiledLayers layer_faults(const LayersAnswer& profile, const ExplainCase& of);

// Sets `rows`. `time` has the measured and the expected time of a run; the expected times of
// kernels are scaled so that they add up to the expected time.
void add_layer_rows(const LayersAnswer& profile, const ExplainCase& of, const ExplainedFigure& time,
                    ProfiledLayers& found);

}  // namespace ridgewatt::answer
