// ridgewatt evaluate clocks: how close a few measured GPU clocks come to the one of least energy.
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"
#include "ridgewatt/predict/clock_search.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateClocksCommand {
  std::vector<std::string> sweeps;
  std::size_t count = 5;
  double tolerance_pct = 1;
  bool keep_outliers = false;
};

void run(const Context& context, const EvaluateClocksCommand& options) {
  report::Table table({{"workload"},
                       {"batch"},
                       {"clocks"},
                       {.name = "answer_gpu_mhz", .digits = report::kNominal},
                       {.name = "best_gpu_mhz", .digits = report::kNominal},
                       {.name = "excess_pct", .digits = 3},
                       {"within"},
                       {.name = "noise_pct", .digits = 3, .rank = 1}});
  for (const auto& path : options.sweeps) {
    const std::size_t before = table.rows().size();
    for (const auto& sweep : read_sweeps(path)) {
      const Sweep used =
          options.keep_outliers ? average_repeats(sweep) : leave_out_flagged(context, sweep, path);
      for (const auto& score : predict::score_clock_search(used, options.count)) {
        table.add_row({sweep.workload + " " + sweep.kind, std::int64_t{score.rest.batch},
                       static_cast<std::int64_t>(score.clocks), mhz_of_hz(score.answer_hz),
                       mhz_of_hz(score.best_hz), 100 * score.excess,
                       std::int64_t{100 * score.excess <= options.tolerance_pct},
                       100 * score.noise});
      }
    }
    if (table.rows().size() == before) {
      throw InputError("no three rows that differ in the GPU clock only", path);
    }
  }
  print(context, table);
}

}  // namespace

void add_evaluate_clocks(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "clocks",
      "Search the GPU clock of least energy by few measurements in each group of a sweep",
      "ridgewatt evaluate clocks --sweep inception_v1_triton.csv --count 5");
  auto options = std::make_shared<EvaluateClocksCommand>();
  input_file(command->add_option("--sweep", options->sweeps,
                                 "Sweep CSV with several GPU clocks, repeatable"))
      ->allow_extra_args(false)
      ->required();
  quantity(command->add_option("--count", options->count, "Clocks measured"),
           count().within(1, 1000))
      ->capture_default_str();
  quantity(command->add_option("--tolerance", options->tolerance_pct,
                               "Excess energy that counts as within, %"),
           percent())
      ->capture_default_str();
  command->add_flag("--keep-outliers", options->keep_outliers,
                    "Use rows that the quality check flags");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
