// The training pipeline as a discrete-event simulation: every minibatch waits for a storage stream,
// for a core, for its turn. Agrees with the closed form where times do not vary, and shows what
// variation costs where they do: with finite prefetch a stall never quite vanishes.
#pragma once

#include <cstdint>

#include "ridgewatt/pipeline/pipeline.h"

namespace ridgewatt::pipeline {

// Workers take minibatches in turn and deliver them in order; the main process sends a worker its
// next index when it takes a minibatch, so that workers x prefetch are under way. The main process
// has a core whenever it wants one; workers take the other cores, and the streams of the storage,
// in the order in which they come. With keeps_core workers take turns on the core that they are on,
// and those on the main process's only run, or begin a fetch, while it does not. With storage_cv >
// 0 a minibatch that comes from storage takes a gamma distributed time of that coefficient of
// variation (exponential at 1).
EpochCost simulate_epoch(const PipelineConfig& config, int epoch, std::uint64_t seed);

// Mean time, stall and energy over epochs with seeds seed, seed + 1, ..
EpochCost simulate_epochs(const PipelineConfig& config, int epoch, std::uint64_t seed, int count);

}  // namespace ridgewatt::pipeline
