// ridgewatt evaluate thermal: errors of thermal constants and throttling times on simulated boards.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"

namespace ridgewatt::cli {
namespace {

void run(const Context& context, evaluate::ThermalScoreOptions& options) {
  options.seed = context.seed;
  print(context, evaluate::thermal_scores_result(evaluate::score_thermal_cases(options)));
}

}  // namespace

void add_evaluate_thermal(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<evaluate::ThermalScoreOptions>(
      evaluate, context, "thermal",
      "Score fitted thermal constants and throttling times on simulated boards, whose true values "
      "are known",
      "ridgewatt evaluate thermal --boards 200 --seed 2", run);
  add.number("--boards", options.boards, count().within(1, 100000), "Simulated boards");
}

}  // namespace ridgewatt::cli
