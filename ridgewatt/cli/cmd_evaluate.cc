// ridgewatt evaluate: score predictors, strategies and schedules on sweeps.
#include "ridgewatt/cli/commands.h"
#include "ridgewatt/cli/evaluate_commands.h"

namespace ridgewatt::cli {

void add_evaluate(CLI::App& app, Context& context) {
  CLI::App* evaluate = app.add_subcommand("evaluate", "Score methods on measured sweeps");
  evaluate->require_subcommand(1);
  for (const auto add : kEvaluateCommands) add(*evaluate, context);
}

}  // namespace ridgewatt::cli
