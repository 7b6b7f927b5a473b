#include "ridgewatt/pipeline/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/sort.h"
#include "ridgewatt/base/suggest.h"
#include "ridgewatt/twin/feed.h"

namespace ridgewatt::pipeline {
namespace {

const std::vector<StorageModel>& storages() {
  static const std::vector<StorageModel> kStorages = {
      {"memory", 0, 0, 4e9, 64},
      // 3.5 GB/s in total; 100 us: a flash read with its file system
      {"nvme", 100e-6, 100e-6, 3.5e9 / 4, 4},
      // application class A1: at least 1,500 reads per second
      {"sd", 1 / 1500.0, 1 / 1500.0, 100e6, 1},
      // average seek and half a turn at 7,200 rpm; the drive has then read the rest of the track
      {"hdd", 8.5e-3 + 4.17e-3, 0, 1.05e9, 1}};
  return kStorages;
}

double minibatches_of(const PipelineConfig& config) {
  return std::ceil(config.samples / config.batch);
}

void require(bool holds, const char* what) {
  if (!holds) throw UsageError(what);
}

// CPU time of the main process per minibatch.
double main_on_cpu_s(const PipelineConfig& config, const StageTimes& stages) {
  return stages.hand_over_s + config.compute_cpu_share * stages.compute_s;
}

// Time between deliveries of a worker that shares the core of the main process. The main process
// takes this minibatch and `waiting` more from workers on other cores, and always has priority.
double on_main_core_s(const PipelineConfig& config, const StageTimes& stages, int waiting) {
  const double main_s = stages.hand_over_s + stages.compute_s;
  const double held_s = main_on_cpu_s(config, stages);
  const bool leaves_core = held_s < main_s;  // long enough to begin a fetch
  const double fetched_s = held_s * (leaves_core ? 1 : 1 + waiting) + stages.fetch_s;
  double end_s = fetched_s + stages.preprocess_s;
  for (int i = 1; leaves_core && i <= waiting && i * main_s < end_s; ++i) {
    end_s += std::max(0.0, i * main_s + held_s - std::max(i * main_s, fetched_s));
  }
  return end_s;
}

// Time between minibatches on the busiest core if `shared` workers share the core of the main
// process.
double kept_cores_s(const PipelineConfig& config, const StageTimes& stages, int shared) {
  const int others = config.workers - shared;
  const double held_s = config.workers * main_on_cpu_s(config, stages);
  double turn_s = held_s;  // time in which every worker delivers once
  if (shared > 0) {
    turn_s =
        std::max(held_s + shared * stages.preprocess_s, on_main_core_s(config, stages, others));
  }
  if (others > 0) {
    const int most = (others + config.cores - 2) / (config.cores - 1);
    turn_s = std::max({turn_s, most * stages.preprocess_s, stages.fetch_s + stages.preprocess_s});
  }
  return turn_s / config.workers;
}

twin::FeedBounds bounds_of(const PipelineConfig& config, const StageTimes& stages) {
  twin::FeedBounds bounds = twin::feed_bounds({.workers = config.workers,
                                               .cores = static_cast<double>(config.cores),
                                               .streams = config.storage.streams,
                                               .fetch_s = stages.fetch_s,
                                               .preprocess_s = stages.preprocess_s,
                                               .main_s = stages.hand_over_s + stages.compute_s,
                                               .main_cpu_s = main_on_cpu_s(config, stages)});
  if (config.keeps_core && config.workers > 0) {
    bounds.cores_s = kept_cores_s(config, stages, workers_on_main_core(config, stages));
  }
  return bounds;
}

// The longest bound; the first one of equal bounds.
PipelineBound longest(const twin::FeedBounds& bounds) {
  if (bounds.serial_s > 0) return PipelineBound::kSerial;
  const std::pair<PipelineBound, double> all[] = {{PipelineBound::kCompute, bounds.main_s},
                                                  {PipelineBound::kWorkers, bounds.workers_s},
                                                  {PipelineBound::kCores, bounds.cores_s},
                                                  {PipelineBound::kStorage, bounds.storage_s}};
  return std::max_element(std::begin(all), std::end(all),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

}  // namespace

int read_ahead_requests(double bytes) {
  constexpr double kFirst = 16 * 1024;
  constexpr double kMost = 128 * 1024;
  int requests = 0;
  double window = kFirst;
  while (bytes > 0 && window < kMost) {
    bytes -= window;
    window *= 2;
    ++requests;
  }
  return requests + static_cast<int>(std::ceil(std::clamp(bytes / kMost, 0.0, 1e9)));
}

double StorageModel::read_s(double bytes) const {
  return access_s + std::max(0, read_ahead_requests(bytes) - 1) * request_s +
         bytes / stream_bytes_per_s;
}

StorageModel find_storage(std::string_view name) {
  const std::string known = require_name("storage", name, {list_storages()});
  const auto& all = storages();
  return *std::find_if(all.begin(), all.end(),
                       [&](const auto& storage) { return storage.name == known; });
}

std::vector<std::string> list_storages() {
  std::vector<std::string> names;
  for (const auto& storage : storages()) names.push_back(storage.name);
  return names;
}

double lru_hit_share(double cached_share) {
  if (cached_share >= 1) return 1;
  if (cached_share <= 0) return 0;
  return cached_share + (1 - cached_share) * std::log1p(-cached_share);
}

double miss_share(const PipelineConfig& config, int epoch) {
  const double data_bytes = config.samples * config.sample_bytes;
  if (data_bytes <= 0) return 0;
  return epoch == 0 ? 1 : 1 - lru_hit_share(config.cache_bytes / data_bytes);
}

void check_pipeline(const PipelineConfig& config) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  const auto counts = [](double value) { return std::isfinite(value) && value >= 0; };
  require(positive(config.samples) && config.samples < 1e12,
          "the number of samples of the data set must be positive and below 10^12");
  require(config.batch >= 1 && config.cores >= 1,
          "the batch and the number of cores must be at least 1");
  require(config.workers >= 0 && config.workers <= 1024,
          "the number of loader workers must be 0 to 1024");
  require(config.prefetch >= 1 && config.prefetch <= 1024,
          "the number of minibatches that a worker loads ahead must be 1 to 1024");
  require(
      positive(config.storage.stream_bytes_per_s) && config.storage.streams >= 1 &&
          counts(config.storage.access_s) && counts(config.storage.request_s),
      "the storage needs a positive rate, at least one stream, and times that are not negative");
  require(positive(config.worker_slowdown), "the slowdown of a worker must be positive");
  require(config.compute_cpu_share >= 0 && config.compute_cpu_share <= 1,
          "the share of the computation that needs the CPU must be 0 to 1");
  for (const double value :
       {config.sample_bytes, config.cache_bytes, config.preprocess_s_per_sample, config.hand_over_s,
        config.compute_s, config.base_w, config.compute_w, config.core_w, config.storage_cv}) {
    require(counts(value),
            "times, sizes, powers and variation of the pipeline must be finite and not negative");
  }
}

StageTimes stage_times(const PipelineConfig& config, int epoch) {
  const double miss = miss_share(config, epoch);
  const double slow = config.workers > 0 ? 1 + miss * (config.worker_slowdown - 1) : 1;
  StageTimes stages;
  const double cached_s =
      config.preprocess_reads_cache ? 0 : find_storage("memory").read_s(config.sample_bytes);
  stages.fetch_s =
      config.batch * (miss * config.storage.read_s(config.sample_bytes) + (1 - miss) * cached_s);
  stages.preprocess_s = config.batch * config.preprocess_s_per_sample * slow;
  if (config.workers > 0) {
    // The model of processes with fixed cores computes itself how long they wait for a core.
    stages.hand_over_s =
        config.hand_over_s * (config.keeps_core
                                  ? twin::hand_over_turns(config.cores)
                                  : twin::crowded_hand_over(config.workers, config.cores));
  }
  stages.compute_s = config.compute_s;
  return stages;
}

int workers_on_main_core(const PipelineConfig& config, const StageTimes& stages) {
  if (config.cores == 1) return config.workers;
  int best = 0;
  for (int shared = 1; shared <= config.workers; ++shared) {
    const double gain_s = kept_cores_s(config, stages, best) - kept_cores_s(config, stages, shared);
    if (gain_s > 1e-9 * main_on_cpu_s(config, stages)) best = shared;
  }
  return best;
}

double epoch_energy_j(const PipelineConfig& config, const StageTimes& stages, double minibatches,
                      double time_s) {
  const double hand_over_s = config.workers > 0 ? twin::kHandOverThreads * config.hand_over_s : 0;
  return config.base_w * time_s +
         minibatches * (config.compute_w * stages.compute_s +
                        config.core_w * (stages.preprocess_s + hand_over_s));
}

EpochCost epoch_cost(const PipelineConfig& config, int epoch) {
  check_pipeline(config);
  EpochCost cost;
  cost.stages = stage_times(config, epoch);
  cost.minibatches = minibatches_of(config);
  const StageTimes& stages = cost.stages;
  const twin::FeedBounds bounds = bounds_of(config, stages);
  cost.bound = longest(bounds);
  cost.interval_s = bounds.period_s(config.rounded);
  cost.time_s = cost.minibatches * cost.interval_s;
  if (config.workers > 0) {
    cost.start_s = stages.fetch_s + stages.preprocess_s + bounds.main_s - cost.interval_s;
  }
  cost.compute_s = cost.minibatches * stages.compute_s;
  cost.stall_s = cost.time_s - cost.compute_s;
  cost.energy_j = epoch_energy_j(config, cost.stages, cost.minibatches, cost.time_s);
  return cost;
}

PipelineConfig with_cpu_speed(PipelineConfig config, double ratio) {
  config.preprocess_s_per_sample /= ratio;
  config.hand_over_s /= ratio;
  config.compute_s *= 1 - config.compute_cpu_share + config.compute_cpu_share / ratio;
  return config;
}

WhatIf what_if(const std::string& change, const PipelineConfig& config) {
  return {change, config, epoch_cost(config, 0), epoch_cost(config, 1)};
}

std::vector<WhatIf> loader_changes(const PipelineConfig& config) {
  std::vector<WhatIf> changes;
  for (const int workers : {0, 1, 2, 4, 8, 16}) {
    if (workers == config.workers) continue;
    PipelineConfig changed = config;
    changed.workers = workers;
    changes.push_back(
        what_if(fmt::format("{} worker{}", workers, workers == 1 ? "" : "s"), changed));
  }
  for (const auto& storage : storages()) {
    if (storage.name == config.storage.name || config.sample_bytes <= 0) continue;
    PipelineConfig changed = config;
    changed.storage = storage;
    changes.push_back(what_if("data on " + storage.name, changed));
  }
  if (miss_share(config, 1) > 0) {
    PipelineConfig changed = config;
    changed.cache_bytes = config.samples * config.sample_bytes;
    changes.push_back(what_if("RAM that holds the data set", changed));
  }
  return changes;
}

std::vector<WhatIf> all_changes(const PipelineConfig& config) {
  std::vector<WhatIf> changes = loader_changes(config);
  for (const int cores : {config.cores / 2, 2 * config.cores}) {
    if (cores < 1) continue;
    PipelineConfig changed = config;
    changed.cores = cores;
    changes.push_back(what_if(counted(cores, "CPU core"), changed));
  }
  changes.push_back(what_if("CPU clock +25 %", with_cpu_speed(config, 1.25)));
  PipelineConfig faster = config;
  faster.compute_s /= 1.25;
  changes.push_back(what_if("compute 25 % faster", faster));
  sort_changes(changes);
  return changes;
}

void sort_changes(std::vector<WhatIf>& changes) {
  sort_stably(changes, [](const WhatIf& a, const WhatIf& b) {
    return a.later.time_s < b.later.time_s * (1 - 1e-9);
  });
}

}  // namespace ridgewatt::pipeline
