// A model of the training pipeline: every minibatch is fetched from storage or page cache,
// preprocessed on the CPU, handed over to the main process, and used in the compute step. It
// predicts the cost of an epoch, the limiting stage, and the effect of changes.
//
//   PipelineConfig config;
//   config.samples = 23080;
//   config.preprocess_s_per_sample = 13e-3;
//   config.compute_s = 0.198;
//   const EpochCost later = epoch_cost(config, 1);   // closed form
//   later.stall_s;                                   // the part of data loading that is not hidden
//
// Time t per minibatch with w workers. F, P, h and g are the times of fetch, preprocessing,
// hand-over and compute:
//   w = 0           t = F + P + g
//   w >= 1          t = max(h + g, (F + P) / w, P / min(w, cores), F / min(w, streams),
//                           (P + h + u g) / cores)
// u is the share of compute that keeps a CPU core busy. The twin uses the same bounds
// (twin/feed.h). A worker handles one minibatch at a time, and minibatches are delivered in order,
// as in PyTorch's DataLoader. simulate_pipeline.h simulates the same pipeline.
//
// The last bound assumes that any process can run on any core at any moment. A kernel rarely moves
// processes, so with `keeps_core` each process stays on one core: n workers share the core of the
// main process, and at most m share any other core. The main process has priority and uses b = h +
// u g of its core per minibatch; during that time a worker on the same core cannot even begin its
// next fetch. Since minibatches are delivered in order, the slowest core determines the time:
//   w t = max(w (h + g), w F / min(w, streams), w b + n P, F + P + (1 + w - n) b, m P, F + P)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"

#pragma GCC visibility push(default)

namespace ridgewatt::pipeline {

// The speed of storage for one reader, and the number of readers that it can serve at that speed.
struct StorageModel {
  std::string name = "memory";
  double access_s = 0;                // before the first byte of a file
  double request_s = 0;               // before each additional read-ahead request
  double stream_bytes_per_s = 4e9;    // for one reader
  int streams = 64;                   // readers that can be served at the same time
  double read_s(double bytes) const;  // time to read a file of this size
};
// Number of Linux's read-ahead requests for a file: 16 KiB, then twice the previous size up to 128
// KiB (VM_READAHEAD_PAGES; mm/readahead.c).
int read_ahead_requests(double bytes);
// "memory" (page cache), "nvme", "sd" or "hdd": rates from data sheets, access times of typical
// devices (docs/methods/pipeline.md). Throws UsageError for an unknown name.
StorageModel find_storage(std::string_view name);
std::vector<std::string> list_storages();

struct PipelineConfig {
  double samples = 60000;  // of the data set
  int batch = 16;
  double sample_bytes = 0;
  int workers = 4;
  int prefetch = 2;  // minibatches in advance, per worker
  int cores = 8;     // CPU cores online
  StorageModel storage;
  double cache_bytes = 1e12;  // RAM that is available for the page cache
  double preprocess_s_per_sample = 0;
  // Whether preprocess_s_per_sample includes reads from the page cache.
  bool preprocess_reads_cache = false;
  // Preprocessing time in a worker divided by that in the main process, for data from storage.
  double worker_slowdown = 1;
  double hand_over_s = 0;        // per minibatch, from worker to main process, on free cores
  double compute_s = 0;          // per minibatch
  double compute_cpu_share = 0;  // share of compute_s that keeps one core busy
  bool keeps_core = false;       // no process moves to another core
  bool rounded = false;          // combine compute and delivery by a soft maximum (twin/feed.h)
  // Power: idle; additional in compute; additional per core that preprocesses or hands over.
  double base_w = 0;
  double compute_w = 0;
  double core_w = 0;
  // Coefficient of variation of fetch and preprocessing time of minibatches from storage; only the
  // simulation uses it.
  double storage_cv = 0;
};

// What limits the throughput.
enum class PipelineBound { kSerial, kCompute, kWorkers, kCores, kStorage };
constexpr auto enum_names(PipelineBound) {
  return named<PipelineBound>({{PipelineBound::kSerial, "one after the other"},
                               {PipelineBound::kCompute, "compute"},
                               {PipelineBound::kWorkers, "workers"},
                               {PipelineBound::kCores, "cores"},
                               {PipelineBound::kStorage, "storage"}});
}

// Times of the stages of one minibatch, including contention for cores.
struct StageTimes {
  double fetch_s = 0;
  double preprocess_s = 0;
  double hand_over_s = 0;
  double compute_s = 0;
};

struct EpochCost {
  StageTimes stages;
  double minibatches = 0;
  double interval_s = 0;  // from one minibatch to the next
  double time_s = 0;      // duration of all intervals
  double compute_s = 0;   // compute time of the epoch
  double stall_s = 0;  // time_s - compute_s: fetch, preprocessing and hand-over that are not hidden
  double energy_j = 0;  // over time_s
  // Additional time at the beginning, at idle power, until the workers have loaded the first
  // minibatch.
  double start_s = 0;
  PipelineBound bound = PipelineBound::kCompute;
};

// Share of samples that an epoch finds in an LRU cache that can hold `cached_share` of the data
// set, if each epoch reads all samples in a new random order: c + (1 - c) ln(1 - c). Derivation: a
// sample at position x of one epoch and y of the next is still cached if the distinct samples that
// were read in between fit into the cache. Their share is 1 - x (1 - y). Integrate over x and y.
double lru_hit_share(double cached_share);
// Share of reads that miss the page cache; 1 in epoch 0.
double miss_share(const PipelineConfig& config, int epoch);

// Throws UsageError for an invalid configuration (negative times, no samples, ..).
void check_pipeline(const PipelineConfig& config);
StageTimes stage_times(const PipelineConfig& config, int epoch);
// For keeps_core: the number of workers on the core of the main process that minimizes the work of
// the busiest core, because the kernel balances the cores. The other workers are distributed evenly
// over the other cores.
int workers_on_main_core(const PipelineConfig& config, const StageTimes& stages);
// The cost of an epoch in closed form. Epoch 0 reads from storage; later epochs read from storage
// what is not in the page cache. Throws the errors of check_pipeline().
EpochCost epoch_cost(const PipelineConfig& config, int epoch);
// Energy of an epoch of `time_s`: idle power over the time, power of compute, and power of busy
// cores. A hand-over counts as the work of kHandOverThreads cores, whether in sequence or in
// parallel.
double epoch_energy_j(const PipelineConfig& config, const StageTimes& stages, double minibatches,
                      double time_s);

// Returns the configuration with CPU cores that are `ratio` times as fast.
PipelineConfig with_cpu_speed(PipelineConfig config, double ratio);

// The effect of one change on the cost of an epoch.
struct WhatIf {
  std::string change;
  PipelineConfig config;
  EpochCost first;  // epoch 0
  EpochCost later;  // any later epoch
};
WhatIf what_if(const std::string& change, const PipelineConfig& config);
// Returns changes: other numbers of workers, other storage, RAM that holds the data set.
std::vector<WhatIf> loader_changes(const PipelineConfig& config);
// Returns loader_changes(), other numbers of cores, a faster CPU and a faster accelerator; sorted.
std::vector<WhatIf> all_changes(const PipelineConfig& config);
// Sorts by the time of later epochs, fastest first; equal changes keep their order.
void sort_changes(std::vector<WhatIf>& changes);

}  // namespace ridgewatt::pipeline

#pragma GCC visibility pop
