// Runs the data loader on real files with several numbers of workers and with cold and warm page
// cache, and fits the pipeline model to the runs with 0 and 1 workers.
//
//   LoaderBench bench{.loader = {.paths = list_samples(folder)}};
//   for (const auto& row : bench_loader(bench)) row.run.time_s / row.predicted->start_s;
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/pipeline/loader.h"

namespace ridgewatt::pipeline {

// The state of the page cache with respect to the samples at the start of a run.
enum class CacheState { kCold, kWarm };
constexpr auto enum_names(CacheState) {
  return named<CacheState>({{CacheState::kCold, "cold"}, {CacheState::kWarm, "warm"}});
}

struct LoaderBench {
  // on_fetched and on_minibatch are ignored; the bench writes marks (io/marks.h) instead.
  LoaderOptions loader = {};
  std::vector<int> workers = {0, 1, 2, 4};
  std::vector<CacheState> cache = {CacheState::kCold, CacheState::kWarm};
  int repeats = 1;
  int cores = 0;  // for the pipeline model
  std::uint64_t seed = 1;
  bool quiet = false;
};

struct LoaderRow {
  CacheState cache = CacheState::kCold;
  int workers = 0;
  LoaderRun run;          // the run with the median time
  double read_share = 0;  // minibatches times batch, divided by the number of files
  std::optional<EpochCost> predicted = {};  // empty without runs with 0 and 1 workers
  // End-to-end time, comparable to LoaderRun::time_s. Requires `predicted`.
  double predicted_s() const { return predicted->start_s + predicted->time_s; }
  // "fitted" if the model was fitted to this row, "predicted" if it only predicts it, "measured"
  // without a model.
  const char* use() const;
};

// Runs alternate between the numbers of workers, so that drift affects all of them. Throws the
// errors of run_loader().
std::vector<LoaderRow> bench_loader(const LoaderBench& bench);

}  // namespace ridgewatt::pipeline
