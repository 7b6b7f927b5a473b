// ridgewatt evaluate choices: which few of some modes predict the others best.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/sweep_options.h"
#include "ridgewatt/evaluate/score_tables.h"
#include "ridgewatt/predict/factory.h"
#include "ridgewatt/sweep/points.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateChoices {
  std::string sweep, workload, modes;
  bool keep_outliers = false;
  evaluate::ChoiceOptions choice;
};

void run(const Context& context, const EvaluateChoices& options) {
  const Sweep sweep =
      read_trusted_sweep(context, options.sweep, options.keep_outliers, options.workload);
  std::vector<PowerMode> modes;
  for (const auto& point : read_points(options.modes)) modes.push_back(point.mode);
  evaluate::ChoiceOptions choice = options.choice;
  choice.seed = context.seed;
  print(context, evaluate::choices_result(modes, evaluate::score_choices(sweep, modes, choice)));
}

}  // namespace

void add_evaluate_choices(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateChoices>(
      evaluate, context, "choices",
      "Learn from every choice of a few among some modes, score it on the others and on the sweep",
      "ridgewatt evaluate choices --sweep resnet18.csv --modes ten.csv --count 4 --top 5", run);
  add.input("--sweep", options.sweep, "Sweep CSV that is scored")->required();
  add.text("--workload", options.workload, std::string("Which sweep of the file: ") + kSweepNames);
  add.input("--modes", options.modes, "CSV of the modes to choose among, each a row of the sweep")
      ->required();
  add.number("--count", options.choice.count, count().within(1, 100), "Modes chosen");
  add.one_of("--method", options.choice.method, {predict::predictor_methods()},
             "Predictor, as of predict");
  add.threads(options.choice.threads);
  add.keep_outliers(options.keep_outliers);
}

}  // namespace ridgewatt::cli
