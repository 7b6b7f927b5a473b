// ridgewatt pareto: the modes that no other mode beats, measured or predicted.
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/options/option_rules.h"
#include "ridgewatt/cli/options/predict_options.h"
#include "ridgewatt/cli/options/tune_options.h"
#include "ridgewatt/cli/options/vocabulary.h"

namespace ridgewatt::cli {
namespace {

struct ParetoCommand {
  PredictOptions inputs;
  std::string sweep, x = "time", y = "power";
};

void run(const Context& context, const ParetoCommand& options) {
  const answer::FrontCost x = answer::parse_front_cost(options.x),
                          y = answer::parse_front_cost(options.y);
  const answer::PredictAnswer found =
      options.sweep.empty()
          ? answer::predicted_front(options.inputs.question(context), x, y)
          : answer::measured_front(
                read_trusted_sweep(context, options.sweep, options.inputs.keep_outliers,
                                   options.inputs.workload),
                x, y);
  print_predictions(context, found);
  remark(context, describe(found.origin));
}

void check(const CLI::App& command, const ParetoCommand& options) {
  if (options.sweep.empty()) return;
  refuse_without_effect(command,
                        {"--device", "--model", "--query", "--method", "--reference",
                         "--reference-model", "--interval"},
                        "with --sweep", "its rows are taken as they are");
}

}  // namespace

void add_pareto(CLI::App& app, Context& context) {
  auto* command =
      add_command(app, context, "pareto", "The modes that no other mode beats in both of two costs",
                  "ridgewatt pareto --sweep sweep.csv --x time --y power\n"
                  "  ridgewatt pareto --samples samples.csv --device agx-orin --x time --y energy");
  auto options = std::make_shared<ParetoCommand>();
  options->inputs.add_to(*command, context);
  command->get_option("--samples")->required(false);
  auto* sweep = input_file(
      command->add_option("--sweep", options->sweep, "Front of a measured sweep instead"));
  sweep->excludes(command->get_option("--samples"));
  const auto costs = CLI::IsMember({"time", "power", "energy"});
  command->add_option("--x", options->x, "First cost, per sample")
      ->check(costs)
      ->capture_default_str();
  command->add_option("--y", options->y, "Second cost, per sample")
      ->check(costs)
      ->capture_default_str();
  command->callback([&context, options, command] {
    check(*command, *options);
    if (options->sweep.empty() && options->inputs.samples.empty()) {
      throw CLI::RequiredError("--samples or --sweep");
    }
    run(context, *options);
  });
}

}  // namespace ridgewatt::cli
