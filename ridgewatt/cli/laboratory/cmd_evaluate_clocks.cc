// ridgewatt evaluate clocks: how close a few measured GPU clocks come to the one of least energy.
#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/evaluate/score_tables.h"
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
  std::vector<evaluate::ScoredClocks> scores;
  for (const auto& path : options.sweeps) {
    const std::size_t before = scores.size();
    for (const auto& sweep : read_sweeps(path)) {
      const Sweep used =
          options.keep_outliers ? average_repeats(sweep) : leave_out_flagged(context, sweep, path);
      for (const auto& score : predict::score_clock_search(used, options.count)) {
        scores.push_back({sweep.workload + " " + sweep.kind, score,
                          100 * score.excess <= options.tolerance_pct});
      }
    }
    if (scores.size() == before) {
      throw InputError("no three rows that differ in the GPU clock only", path);
    }
  }
  print(context, evaluate::clock_table(scores));
}

}  // namespace

void add_evaluate_clocks(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "clocks",
      "Search the GPU clock of least energy by few measurements in each group of a sweep",
      "ridgewatt evaluate clocks --sweep inception_v1_triton.csv --count 5");
  auto options = std::make_shared<EvaluateClocksCommand>();
  const OptionAdder add(*command);
  add.input("--sweep", options->sweeps, "Sweep CSV with several GPU clocks, repeatable")
      ->allow_extra_args(false)
      ->required();
  add.number("--count", options->count, count().within(1, 1000), "Clocks measured");
  add.number("--tolerance", options->tolerance_pct, percent(),
             "Excess energy that counts as within, %");
  add.flag("--keep-outliers", options->keep_outliers, "Use rows that the quality check flags");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
