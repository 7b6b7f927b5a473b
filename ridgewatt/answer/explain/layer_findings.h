// What a profile of layers tells about a slow run.
#pragma once

#include <optional>

#include "ridgewatt/answer/explain/suspects.h"
#include "ridgewatt/answer/layers.h"

namespace ridgewatt::answer {

// The profile of the question, joined with its model; nothing without one.
std::optional<LayersAnswer> profiled_layers(const ExplainQuestion& question,
                                            const workload::DeployedWorkload& workload);

// Time of a run by the profile: as it states it, else the sum of its layers.
double profiled_s(const LayersAnswer& profile);

// What is found of layers, without rows.
ProfiledLayers layer_faults(const LayersAnswer& profile, const ExplainCase& of);

// Adds the rows: `time` is measured and expected; expectations of kernels are scaled to it.
void add_layer_rows(const LayersAnswer& profile, const ExplainCase& of, const ExplainedFigure& time,
                    ProfiledLayers& found);

}  // namespace ridgewatt::answer
