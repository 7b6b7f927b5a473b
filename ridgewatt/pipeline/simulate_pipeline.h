// The training pipeline as a discrete-event simulation: every minibatch waits for a storage stream,
// a core and its turn. It agrees with the closed form for constant times, and shows the cost of
// varying times: with finite prefetch a stall never disappears completely.
#pragma once

#include <cstdint>

#include "ridgewatt/pipeline/pipeline.h"

namespace ridgewatt::pipeline {

// Workers take minibatches in turn and deliver them in order. The main process sends a worker its
// next index when it takes a minibatch, so that workers x prefetch minibatches are in progress. The
// main process has a core whenever it needs one; workers take the other cores, and the streams of
// the storage, in the order of arrival. With keeps_core the workers of one core take turns, and
// those on the core of the main process run, or begin a fetch, only while it does not. With
// storage_cv > 0 the time of a minibatch from storage has a gamma distribution with that
// coefficient of variation (exponential at 1).
EpochCost simulate_epoch(const PipelineConfig& config, int epoch, std::uint64_t seed);

// Mean time, stall and energy over epochs with seeds seed, seed + 1, ..
EpochCost simulate_epochs(const PipelineConfig& config, int epoch, std::uint64_t seed, int count);

}  // namespace ridgewatt::pipeline
