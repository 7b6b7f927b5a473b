// A discrete-event simulation of the training pipeline: every minibatch waits for a storage stream,
// a core and its turn. With constant times, the simulation agrees with the closed form. It also
// shows the effect of varying times: with finite prefetch, stalls never disappear completely.
#pragma once

#include <cstdint>

#include "ridgewatt/pipeline/pipeline.h"

namespace ridgewatt::pipeline {

// Simulates an epoch. Workers take minibatches in turn and deliver them in order. The main process
// sends a worker its next index when it takes a minibatch, so workers x prefetch minibatches are in
// progress. The main process gets a core whenever it needs one; workers get the other cores, and
// the streams of the storage, in the order of arrival. With keeps_core, workers on the same core
// take turns, and workers on the core of the main process can run, or begin a fetch, only while it
// does not run. If storage_cv > 0, the time of a minibatch from storage has a gamma distribution
// with that coefficient of variation (exponential at 1).
EpochCost simulate_epoch(const PipelineConfig& config, int epoch, std::uint64_t seed);

// Means of time, stall and energy over `count` epochs with seeds seed, seed + 1, ..
EpochCost simulate_epochs(const PipelineConfig& config, int epoch, std::uint64_t seed, int count);

}  // namespace ridgewatt::pipeline
