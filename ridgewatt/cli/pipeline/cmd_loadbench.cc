// ridgewatt loadbench: times a real data loader on real files, and fits the pipeline model to it.
#include "ridgewatt/base/parallel.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/pipeline/load_samples.h"
#include "ridgewatt/report/measure_report.h"

namespace ridgewatt::cli {
namespace {

struct LoadbenchCommand {
  std::string folder;
  std::size_t generate = 0, sample_bytes = 12288;
  pipeline::LoaderBench bench;
};

void run(const Context& context, LoadbenchCommand& options) {
  auto& bench = options.bench;
  check_table_options(context, report::loader_result({}, bench));
  if (options.generate > 0) {
    pipeline::generate_samples(options.folder, options.generate, options.sample_bytes,
                               context.seed);
  }
  bench.loader.paths = pipeline::list_samples(options.folder);
  bench.seed = context.seed;
  bench.quiet = context.quiet;
  if (bench.cores == 0) bench.cores = available_threads();
  print(context, report::loader_result(pipeline::bench_loader(bench), bench));
}

}  // namespace

void add_loadbench(CLI::App& app, Context& context) {
  const auto [command, options, add] = define<LoadbenchCommand>(
      app, context, "loadbench",
      "Load real files with worker processes and fit the pipeline model to the times",
      "ridgewatt loadbench /data/samples --generate 20000 --workers 0,1,2,4 --cache cold,warm",
      run);
  auto& loader = options.bench.loader;
  loader.minibatches = 200;
  add.text("DIR", options.folder, "Folder of samples: files of any kind")->required();
  add.optional("--generate", options.generate, count().within(1, 1e7),
               "First write N samples into DIR");
  add.number("--sample-size", options.sample_bytes, bytes().within(1, 1 << 24).whole(),
             "Size of a generated sample");
  add.numbers("--workers", options.bench.workers, count().within(0, 64),
              "Numbers of workers to measure");
  add.choices("--cache", options.bench.cache,
              "State of the page cache: cold (dropped before each run), warm, or both")
      ->delimiter(',');
  add.number("--repeats", options.bench.repeats, count().within(1, 100),
             "Runs of each combination; the median is printed");
  add.number("--batch", loader.batch, count().within(1, 1 << 20), "Samples per minibatch");
  add.number("--minibatches", loader.minibatches, count(),
             "Maximum number of minibatches per run (0: all)");
  add.number("--prefetch", loader.prefetch, count().within(1, 1024),
             "Minibatches that each worker loads ahead");
  add.number("--hidden", loader.hidden, count().within(1, 1 << 16),
             "Width of the matrices of the computation per minibatch");
  add.text("--compute", loader.command,
           "Shell command that computes a minibatch, in place of the matrices");
  add.optional("--cores", options.bench.cores, count().within(0, 1024),
               "CPU cores in the pipeline model; default: the cores that the program may use");
}

}  // namespace ridgewatt::cli
