// ridgewatt loadbench: a real data loader on real files, timed, and the pipeline model fitted to
// it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/base/progress.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/choice.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/measure/sampler.h"
#include "ridgewatt/pipeline/load_samples.h"
#include "ridgewatt/pipeline/loader.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {
namespace {

// Of the samples when a run begins.
enum class CacheState { kCold, kWarm };
constexpr auto enum_names(CacheState) {
  return named<CacheState>({{CacheState::kCold, "cold"}, {CacheState::kWarm, "warm"}});
}

struct LoadbenchCommand {
  std::string folder;
  std::size_t generate = 0;
  std::size_t sample_bytes = 12288;
  std::vector<int> workers = {0, 1, 2, 4};
  std::vector<CacheState> cache = {CacheState::kCold, CacheState::kWarm};
  int repeats = 1;
  int cores = 0;
  pipeline::LoaderOptions loader;
};

// With its time: whoever measures may read several marks at once.
void mark(const char* descriptor, const char* kind) {
  const std::string line = fmt::format("{} {:.9f}\n", kind, monotonic_s());
  if (::write(std::atoi(descriptor), line.data(), line.size()) < 0) {
    throw IoError("cannot write a mark");
  }
}

// Repeats of every number of workers in turn, so that a drift of the machine meets all of them.
std::vector<pipeline::LoaderRun> run_all(const Context& context, const LoadbenchCommand& options,
                                         CacheState cache) {
  pipeline::LoaderOptions loader = options.loader;
  loader.cold = cache == CacheState::kCold;
  if (const char* descriptor = std::getenv("RIDGEWATT_MARK_FD")) {
    loader.on_fetched = [descriptor] { mark(descriptor, "fetched"); };
    loader.on_minibatch = [descriptor] { mark(descriptor, "minibatch"); };
  }
  if (cache == CacheState::kWarm && pipeline::page_cache_residency(loader.paths).share() < 1) {
    pipeline::LoaderOptions warm_up = options.loader;
    warm_up.workers = 1;
    warm_up.minibatches = 0;
    pipeline::run_loader(warm_up);
  }
  std::vector<pipeline::LoaderRun> runs;
  Progress progress(std::string(name_of(cache)),
                    static_cast<std::size_t>(options.repeats) * options.workers.size(),
                    context.quiet);
  for (int repeat = 0; repeat < options.repeats; ++repeat) {
    for (const int workers : options.workers) {
      progress.update(runs.size(), fmt::format("{} workers", workers));
      loader.workers = workers;
      loader.seed = context.seed + static_cast<std::uint64_t>(repeat);
      runs.push_back(pipeline::run_loader(loader));
    }
  }
  return runs;
}

// The run of median time among those with `workers`; null when there is none.
const pipeline::LoaderRun* median_run(const std::vector<pipeline::LoaderRun>& runs, int workers) {
  std::vector<const pipeline::LoaderRun*> those;
  for (const auto& run : runs) {
    if (run.workers == workers) those.push_back(&run);
  }
  if (those.empty()) return nullptr;
  std::sort(those.begin(), those.end(),
            [](const auto* a, const auto* b) { return a->time_s < b->time_s; });
  return those[(those.size() - 1) / 2];
}

void add_rows(report::Table& table, const std::vector<pipeline::LoaderRun>& runs,
              const LoadbenchCommand& options, CacheState cache) {
  const pipeline::LoaderRun* without = median_run(runs, 0);
  const pipeline::LoaderRun* with_one = median_run(runs, 1);
  for (const int workers : options.workers) {
    const pipeline::LoaderRun& run = *median_run(runs, workers);
    const double files = static_cast<double>(run.minibatches.size()) * options.loader.batch /
                         static_cast<double>(options.loader.paths.size());
    std::vector<report::Cell> row = {std::string(name_of(cache)),
                                     std::int64_t{workers},
                                     run.time_s,
                                     run.stall_s,
                                     run.compute_s,
                                     run.mean.fetch_s * 1e3,
                                     run.fetch_cpu_s * 1e3,
                                     run.mean.preprocess_s * 1e3,
                                     run.mean.hand_over_s * 1e3,
                                     run.mean.compute_s * 1e3,
                                     run.io.storage_read_bytes / 1e6,
                                     100 * run.before.share(),
                                     100 * run.after.share(),
                                     100 * files};
    if (without != nullptr && with_one != nullptr) {
      const pipeline::EpochCost predicted =
          pipeline::LoaderFit(*without, *with_one, options.cores).predict(workers);
      const double predicted_s = predicted.start_s + predicted.time_s;  // end to end, as measured
      row.insert(row.end(),
                 {predicted_s, 100 * (predicted_s / run.time_s - 1),
                  workers <= 1 ? "fitted" : "predicted", std::string(name_of(predicted.bound))});
    } else {
      row.insert(row.end(), {report::Cell(), report::Cell(), "measured", report::Cell()});
    }
    table.add_row(std::move(row));
  }
}

void run(const Context& context, LoadbenchCommand& options) {
  if (options.generate > 0) {
    pipeline::generate_samples(options.folder, options.generate, options.sample_bytes,
                               context.seed);
  }
  options.loader.paths = pipeline::list_samples(options.folder);
  if (options.cores == 0) options.cores = available_threads();
  report::Table table({{"cache"},
                       {"workers"},
                       {"time_s", "time (s)"},
                       {"stall_s", "stall (s)"},
                       {"compute_s", "compute (s)"},
                       {.name = "fetch_ms", .rank = 3},
                       {.name = "fetch_cpu_ms", .heading = "fetch on CPU (ms)", .rank = 4},
                       {.name = "preprocess_ms", .rank = 3},
                       {.name = "hand_over_ms", .heading = "hand-over (ms)", .rank = 3},
                       {.name = "compute_ms", .rank = 3},
                       {.name = "storage_mb", .rank = 5},
                       {.name = "resident_before_pct", .rank = 6},
                       {.name = "resident_after_pct", .rank = 6},
                       {.name = "read_pct", .heading = "files read (%)", .rank = 7},
                       {.name = "model_s", .rank = 1},
                       {.name = "model_error_pct", .heading = "off by (%)", .digits = 3, .rank = 1},
                       {.name = "use", .rank = 2},
                       {"binds"}});
  for (const CacheState cache : options.cache) {
    add_rows(table, run_all(context, options, cache), options, cache);
  }
  if (context.json()) {
    return print(context, Json{{"provenance", name_of(Provenance::kMeasured)},
                               {"samples", options.loader.paths.size()},
                               {"cores", options.cores},
                               {"runs", table.to_json()}});
  }
  print(context, table);
}

}  // namespace

void add_loadbench(CLI::App& app, Context& context) {
  auto* command = add_command(
      app, context, "loadbench",
      "Load real files with worker processes; fit the pipeline model to it",
      "ridgewatt loadbench /data/samples --generate 20000 --workers 0,1,2,4 --cache cold,warm");
  auto options = std::make_shared<LoadbenchCommand>();
  auto& loader = options->loader;
  loader.minibatches = 200;
  command->add_option("DIR", options->folder, "Folder of samples: files of any kind")->required();
  quantity(command->add_option("--generate", options->generate, "First write N samples into DIR"),
           count().within(1, 1e7));
  quantity(
      command->add_option("--sample-size", options->sample_bytes, "Size of a generated sample"),
      bytes().within(1, 1 << 24).whole())
      ->capture_default_str();
  quantity(command->add_option("--workers", options->workers, "Numbers of workers"),
           count().within(0, 64))
      ->delimiter(',')
      ->capture_default_str();
  listed_choices(*command, "--cache", options->cache,
                 "cold (dropped before each run), warm, or both")
      ->delimiter(',')
      ->capture_default_str();
  quantity(command->add_option("--repeats", options->repeats, "Runs of each; the median is shown"),
           count().within(1, 100))
      ->capture_default_str();
  quantity(command->add_option("--batch", loader.batch, "Samples per minibatch"),
           count().within(1, 1 << 20))
      ->capture_default_str();
  quantity(command->add_option("--minibatches", loader.minibatches, "At most N per run; 0: all"),
           count())
      ->capture_default_str();
  quantity(command->add_option("--prefetch", loader.prefetch, "Minibatches ahead, per worker"),
           count().within(1, 1024))
      ->capture_default_str();
  quantity(command->add_option("--hidden", loader.hidden, "Width of the matrix work"),
           count().within(1, 1 << 16))
      ->capture_default_str();
  command->add_option("--compute", loader.command, "Command for the shell instead of matrix work");
  quantity(command->add_option("--cores", options->cores,
                               "Cores of the model; default: those we may use"),
           count().within(0, 1024));
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
