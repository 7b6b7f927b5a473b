// ridgewatt evaluate choices: the small selection of modes that best predicts the other modes.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/sweep_options.h"
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
      "Score every choice of a few sample modes from a list, on the other modes and on the whole "
      "sweep",
      "ridgewatt evaluate choices --sweep resnet18.csv --modes ten.csv --count 4 --top 5", run);
  add.input("--sweep", options.sweep, "Sweep CSV to score on")->required();
  add.text("--workload", options.workload, std::string("Which sweep of the file: ") + kSweepNames);
  add.input("--modes", options.modes, "CSV of the modes to choose from; each must be in the sweep")
      ->required();
  add.number("--count", options.choice.count, count().within(1, 100), "Number of modes to choose");
  add.one_of("--method", options.choice.method, {predict::predictor_methods()},
             "Prediction method, as in predict");
  add.threads(options.choice.threads);
  add.keep_outliers(options.keep_outliers);
}

}  // namespace ridgewatt::cli
