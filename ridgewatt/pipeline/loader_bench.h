// The loader on real files with several numbers of workers, with cold and warm page cache, and the
// pipeline model fitted to the runs with 0 and 1 workers.
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

// The state of the samples at the start of a run.
enum class CacheState { kCold, kWarm };
constexpr auto enum_names(CacheState) {
  return named<CacheState>({{CacheState::kCold, "cold"}, {CacheState::kWarm, "warm"}});
}

struct LoaderBench {
  LoaderOptions loader = {};  // writes marks if a measurement asks for them (io/marks.h)
  std::vector<int> workers = {0, 1, 2, 4};
  std::vector<CacheState> cache = {CacheState::kCold, CacheState::kWarm};
  int repeats = 1;
  int cores = 0;  // of the model
  std::uint64_t seed = 1;
  bool quiet = false;
};

struct LoaderRow {
  CacheState cache = CacheState::kCold;
  int workers = 0;
  LoaderRun run;                            // of median time
  double read_share = 0;                    // files read / files of the data set
  std::optional<EpochCost> predicted = {};  // empty: no runs with 0 and 1 workers
  // End to end, as measured.
  double predicted_s() const { return predicted->start_s + predicted->time_s; }
  // "fitted", "predicted" or "measured": what the row is to the model.
  const char* use() const;
};

// Repeats alternate between the numbers of workers, so that a drift affects all of them.
// Throws what run_loader throws.
std::vector<LoaderRow> bench_loader(const LoaderBench& bench);

}  // namespace ridgewatt::pipeline
