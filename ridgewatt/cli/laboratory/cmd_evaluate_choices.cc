// ridgewatt evaluate choices: which few of some modes predict the others best.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/cli/options/sweep_names.h"
#include "ridgewatt/cli/options/tune_options.h"
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
  auto* command = add_command(
      evaluate, context, "choices",
      "Learn from every choice of a few among some modes, score it on the others and on the sweep",
      "ridgewatt evaluate choices --sweep resnet18.csv --modes ten.csv --count 4 --top 5");
  auto options = std::make_shared<EvaluateChoices>();
  const OptionAdder add(*command);
  add.input("--sweep", options->sweep, "Sweep CSV that is scored")->required();
  add.text("--workload", options->workload, std::string("Which sweep of the file: ") + kSweepNames);
  add.input("--modes", options->modes, "CSV of the modes to choose among, each a row of the sweep")
      ->required();
  add.number("--count", options->choice.count, count().within(1, 100), "Modes chosen");
  name_choice(*command, "--method", options->choice.method, {predict::predictor_methods()},
              "Predictor, as of predict")
      ->capture_default_str();
  add.threads(options->choice.threads);
  add.flag("--keep-outliers", options->keep_outliers, "Use rows that the quality check flags");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
