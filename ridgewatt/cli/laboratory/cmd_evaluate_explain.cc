// ridgewatt evaluate explain: causes found for slow runs on simulated boards with known causes.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateExplainCommand {
  int runs = 1000;
};

void run(const Context& context, const EvaluateExplainCommand& options) {
  print(context, evaluate::explain_scores_result(
                     evaluate::score_explain({.runs = options.runs, .seed = context.seed})));
}

}  // namespace

void add_evaluate_explain(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] =
      define<EvaluateExplainCommand>(evaluate, context, "explain",
                                     "Score the ranking of causes of slow runs, on simulated "
                                     "boards with none, one or two injected causes",
                                     "ridgewatt evaluate explain --runs 1000 --seed 2", run);
  add.number("--runs", options.runs, count().within(5, 1000000), "Simulated runs");
}

}  // namespace ridgewatt::cli
