// ridgewatt evaluate clocks: how well a few measured GPU clocks find the clock of minimum energy.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/sweep_options.h"

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
    auto sweeps = read_sweeps(path);
    for (auto& sweep : sweeps) {
      sweep =
          options.keep_outliers ? average_repeats(sweep) : leave_out_flagged(context, sweep, path);
    }
    evaluate::add_clock_scores(sweeps, path, options.count, options.tolerance_pct / 100, scores);
  }
  print(context, evaluate::clock_table(scores));
}

}  // namespace

void add_evaluate_clocks(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateClocksCommand>(
      evaluate, context, "clocks",
      "Score searches of the GPU clock of least energy with few measurements, in each group of a "
      "sweep",
      "ridgewatt evaluate clocks --sweep inception_v1_triton.csv --count 5", run);
  add.inputs("--sweep", options.sweeps, "Sweep CSV with several GPU clocks")->required();
  add.number("--count", options.count, count().within(1, 1000), "Number of clocks to measure");
  add.number("--tolerance", options.tolerance_pct, percent(),
             "Excess energy, in %, up to which an answer counts as correct");
  add.keep_outliers(options.keep_outliers);
}

}  // namespace ridgewatt::cli
