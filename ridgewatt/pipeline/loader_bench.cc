#include "ridgewatt/pipeline/loader_bench.h"

#include <fmt/format.h>

#include <algorithm>

#include "ridgewatt/base/clock.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/io/marks.h"

namespace ridgewatt::pipeline {
namespace {

void warm_up(LoaderOptions loader) {
  if (page_cache_residency(loader.paths).share() >= 1) return;
  loader.workers = 1;
  loader.minibatches = 0;
  run_loader(loader);
}

std::vector<LoaderRun> run_all(const LoaderBench& bench, CacheState cache) {
  LoaderOptions loader = bench.loader;
  if (cache == CacheState::kWarm) warm_up(loader);
  loader.cold = cache == CacheState::kCold;
  loader.on_fetched = [] { write_mark("fetched", monotonic_s()); };
  loader.on_minibatch = [] { write_mark("minibatch", monotonic_s()); };
  std::vector<LoaderRun> runs;
  Progress progress(std::string(name_of(cache)),
                    static_cast<std::size_t>(bench.repeats) * bench.workers.size(), bench.quiet);
  for (int repeat = 0; repeat < bench.repeats; ++repeat) {
    for (const int workers : bench.workers) {
      progress.update(runs.size(), counted(workers, "worker"));
      loader.workers = workers;
      loader.seed = bench.seed + static_cast<std::uint64_t>(repeat);
      runs.push_back(run_loader(loader));
    }
  }
  return runs;
}

// The run with the median time among those with `workers` workers. Null: no such run.
const LoaderRun* median_run(const std::vector<LoaderRun>& runs, int workers) {
  std::vector<const LoaderRun*> those;
  for (const auto& run : runs) {
    if (run.workers == workers) those.push_back(&run);
  }
  if (those.empty()) return nullptr;
  std::sort(those.begin(), those.end(),
            [](const auto* a, const auto* b) { return a->time_s < b->time_s; });
  return those[(those.size() - 1) / 2];
}

}  // namespace

const char* LoaderRow::use() const {
  return !predicted ? "measured" : workers <= 1 ? "fitted" : "predicted";
}

std::vector<LoaderRow> bench_loader(const LoaderBench& bench) {
  std::vector<LoaderRow> rows;
  for (const CacheState cache : bench.cache) {
    const auto runs = run_all(bench, cache);
    const LoaderRun *without = median_run(runs, 0), *with_one = median_run(runs, 1);
    for (const int workers : bench.workers) {
      LoaderRow row{cache, workers, *median_run(runs, workers)};
      row.read_share = static_cast<double>(row.run.minibatches.size()) * bench.loader.batch /
                       static_cast<double>(bench.loader.paths.size());
      if (without != nullptr && with_one != nullptr) {
        row.predicted = LoaderFit(*without, *with_one, bench.cores).predict(workers);
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace ridgewatt::pipeline
