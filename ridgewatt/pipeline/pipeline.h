// The training pipeline: every minibatch is fetched from storage or page cache, preprocessed on the
// CPU, handed over, and computed on. Predicts the cost of an epoch, the limiting stage, and changes
// that would help.
//
//   PipelineConfig config;
//   config.samples = 23080;
//   config.preprocess_s_per_sample = 13e-3;
//   config.compute_s = 0.198;
//   const EpochCost later = epoch_cost(config, 1);   // closed form
//   later.stall_s;                                   // the part of loading that is not hidden
//
// Per minibatch, F seconds of fetch, P of preprocessing, h of hand-over, g of compute:
//   w = 0 workers   t = F + P + g
//   w >= 1          t = max(h + g, (F + P) / w, P / min(w, cores), F / min(w, streams),
//                           (P + h + u g) / cores)
// These bounds are those of twin/feed.h, which the twin uses too; u is the share of compute that
// keeps a CPU core busy. A worker handles one minibatch at a time, and minibatches come in order,
// as in PyTorch's DataLoader. simulate_pipeline.h simulates the same events.
//
// The last term assumes that any process can run on any core at any moment. A kernel rarely moves
// processes: with `keeps_core` each process stays on one core. n workers share the core of the main
// process, and at most m share any other core. The main process has priority and uses b = h + u g
// of its core per minibatch. During that time a worker on the same core cannot even begin its next
// fetch. Minibatches come in order, so the slowest core determines the pace:
//   w t = max(w (h + g), w F / min(w, streams), w b + n P, F + P + (1 + w - n) b, m P, F + P)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"

#pragma GCC visibility push(default)

namespace ridgewatt::pipeline {

// The speed of a storage for one reader, and the number of readers that it serves at that speed.
struct StorageModel {
  std::string name = "memory";
  double access_s = 0;                // before the first byte of a file
  double request_s = 0;               // before each further request of its bytes
  double stream_bytes_per_s = 4e9;    // of one reader
  int streams = 64;                   // readers served at once
  double read_s(double bytes) const;  // of a file that is read from its start
};
// Read-ahead requests of Linux in a file: 16 KiB, then twice as much each time up to 128 KiB
// (VM_READAHEAD_PAGES; mm/readahead.c).
int read_ahead_requests(double bytes);
// "memory" (page cache), "nvme", "sd", "hdd": rates of data sheets, access times of their classes
// (docs/methods/pipeline.md). Throws NotFoundError with the known names.
StorageModel find_storage(std::string_view name);
std::vector<std::string> list_storages();

struct PipelineConfig {
  double samples = 60000;  // of the data set
  int batch = 16;
  double sample_bytes = 0;
  int workers = 4;
  int prefetch = 2;  // minibatches ahead, per worker
  int cores = 8;     // CPU cores online
  StorageModel storage;
  double cache_bytes = 1e12;  // RAM that is available for the page cache
  double preprocess_s_per_sample = 0;
  bool preprocess_reads_cache = false;  // it includes the time to read from the page cache
  // Time of a worker over that of the main process, for minibatches that come from storage.
  double worker_slowdown = 1;
  double hand_over_s = 0;        // of a minibatch, worker to main process, with free cores
  double compute_s = 0;          // of a minibatch
  double compute_cpu_share = 0;  // of compute_s that keeps one core busy
  bool keeps_core = false;       // every process stays on one core
  bool rounded = false;          // compute and delivery are joined smoothly, as in a twin (feed.h)
  // Power: at rest, more while computing, more per core that preprocesses or hands over.
  double base_w = 0;
  double compute_w = 0;
  double core_w = 0;
  // Coefficient of variation of the fetch and preprocessing time of a minibatch while it comes from
  // storage; only the simulation uses it.
  double storage_cv = 0;
};

// The limit of the throughput.
enum class PipelineBound { kSerial, kCompute, kWorkers, kCores, kStorage };
constexpr auto enum_names(PipelineBound) {
  return named<PipelineBound>({{PipelineBound::kSerial, "one after the other"},
                               {PipelineBound::kCompute, "compute"},
                               {PipelineBound::kWorkers, "workers"},
                               {PipelineBound::kCores, "cores"},
                               {PipelineBound::kStorage, "storage"}});
}

// Service times of one minibatch, contention for cores included.
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
  double time_s = 0;      // time of all intervals
  double compute_s = 0;   // of the epoch
  double stall_s = 0;     // time_s - compute_s: fetch, preprocessing, hand-over
  double energy_j = 0;    // over time_s
  // Time before that, until the workers have loaded the first minibatch, at idle power.
  double start_s = 0;
  PipelineBound bound = PipelineBound::kCompute;
};

// Share of the samples that an epoch finds in an LRU cache of `cached_share` of the data set, if
// each epoch reads all samples in a new random order: c + (1 - c) ln(1 - c). A sample read at place
// x of one epoch and y of the next is kept if the distinct samples between, 1 - x (1 - y) of the
// data set, fit: integrate over uniform x and y.
double lru_hit_share(double cached_share);
// Share of reads that miss the page cache: all in epoch 0.
double miss_share(const PipelineConfig& config, int epoch);

// Throws UsageError for an invalid configuration (negative times, no samples, ..).
void check_pipeline(const PipelineConfig& config);
StageTimes stage_times(const PipelineConfig& config, int epoch);
// With keeps_core: the number of workers on the core of the main process if the kernel balances the
// cores, that is, if the busiest core has the least work. The other workers are distributed evenly
// over the other cores.
int workers_on_main_core(const PipelineConfig& config, const StageTimes& stages);
// Closed form. `epoch` 0 reads from storage; later epochs read what the page cache lacks.
EpochCost epoch_cost(const PipelineConfig& config, int epoch);
// Energy from the stages and the time of an epoch: idle power over the time, computing, and the
// work of cores. A hand-over is the work of kHandOverThreads cores, one after the other or at once.
double epoch_energy_j(const PipelineConfig& config, const StageTimes& stages, double minibatches,
                      double time_s);

// The same pipeline with CPU cores that are `ratio` times as fast.
PipelineConfig with_cpu_speed(PipelineConfig config, double ratio);

// One change, and the cost of an epoch with it.
struct WhatIf {
  std::string change;
  PipelineConfig config;
  EpochCost first;  // epoch 0
  EpochCost later;
};
WhatIf what_if(const std::string& change, const PipelineConfig& config);
// Other workers, other storage, RAM that holds the data set.
std::vector<WhatIf> loader_changes(const PipelineConfig& config);
// The same, and other cores, a faster CPU and a faster accelerator; sorted.
std::vector<WhatIf> all_changes(const PipelineConfig& config);
// The fastest later epochs first; equal ones in the given order.
void sort_changes(std::vector<WhatIf>& changes);

}  // namespace ridgewatt::pipeline

#pragma GCC visibility pop
