// ridgewatt evaluate board-effects: how well differences between boards are found and corrected.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateBoardEffectsCommand {
  std::vector<std::string> sweeps;
  evaluate::RecoveryOptions recovery;
  evaluate::MergeOptions merge;
};

report::Table merge_table(const EvaluateBoardEffectsCommand& options) {
  std::vector<evaluate::MergeScore> scores;
  for (const auto& path : options.sweeps) {
    for (const auto& sweep : read_sweeps(path)) {
      scores.push_back(evaluate::score_merged(sweep, options.merge));
    }
  }
  return evaluate::merge_table(scores);
}

void run(const Context& context, EvaluateBoardEffectsCommand& options) {
  options.merge.seed = options.recovery.seed = context.seed;
  options.recovery.boards = options.merge.boards;
  print(context,
        options.sweeps.empty() ? evaluate::recovery_table(options.recovery) : merge_table(options));
}

}  // namespace

void add_evaluate_board_effects(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateBoardEffectsCommand>(
      evaluate, context, "board-effects", "Score how well differences between boards are found",
      "ridgewatt evaluate board-effects\n"
      "  ridgewatt evaluate board-effects --sweep resnet18.csv --points 50",
      run);
  add.inputs("--sweep", options.sweeps,
             "Sweep CSV whose rows are distributed to simulated boards with known differences, to "
             "score predictions [simulated campaigns, to check the intervals]");
  add.number("--boards", options.merge.boards, count().within(2, 1000), "Number of boards");
  add.number("--points", options.merge.points, count().within(8, 1e6),
             "Number of points of a sweep to predict from, at most a third of it");
  add.number("--calibration", options.merge.calibration, count().within(1, 1000),
             "Number of these points that every board measures");
  add.number("--runs", options.merge.runs, count().within(1, 1e4),
             "Number of runs with each sweep");
  add.number("--simulations", options.recovery.runs, count().within(1, 1e6), "Simulated campaigns");
}

}  // namespace ridgewatt::cli
