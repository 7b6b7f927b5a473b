// ridgewatt evaluate runtimes: errors of estimates for runtimes on public measurements, held out in
// turn.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateRuntimes {
  std::vector<std::string> rows;
  bool parameters = false;
};

void run(const Context& context, const EvaluateRuntimes& command) {
  const auto facts = evaluate::check_runtime_facts();
  if (command.rows.empty()) return print(context, evaluate::runtime_facts_result(facts));
  const auto scores = evaluate::score_runtimes(command.rows, {.quiet = context.quiet});
  print(context, evaluate::runtime_scores_result(scores, facts, command.parameters));
}

}  // namespace

void add_evaluate_runtimes(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateRuntimes>(
      evaluate, context, "runtimes",
      "Score the models of runtimes on public measurements; each row is predicted without its "
      "model, its board or its precision in turn. Without ROWS: only published facts",
      "ridgewatt evaluate runtimes vision.csv", run);
  add.input(
      "ROWS", options.rows,
      "CSV: source, date, board, jetpack, power_mode, runtime, workload, precision, batch, "
      "sequence, metric, value, note; or input, what_is_timed, latency_ms in place of sequence, "
      "metric, value");
  add.flag("--parameters", options.parameters, "Also print the fitted parameters");
}

}  // namespace ridgewatt::cli
