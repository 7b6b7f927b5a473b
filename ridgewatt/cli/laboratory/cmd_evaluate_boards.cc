// ridgewatt evaluate boards: whether the twins reproduce what studies found on the boards, and
// their errors on sweeps to which they were not fitted.
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/evaluate/board_scores.h"

namespace ridgewatt::cli {
namespace {

struct EvaluateBoards {
  std::vector<std::string> boards;
  std::vector<std::string> sweeps;
  evaluate::BoardScoreOptions scores;
};

void run(const Context& context, EvaluateBoards& options) {
  options.scores.seed = context.seed;
  const auto judged = evaluate::judge_boards(options.boards);
  print(context, evaluate::board_findings_result(
                     judged, evaluate::score_boards(twin::parse_sweep_specs(options.sweeps),
                                                    options.scores)));
}

}  // namespace

void add_evaluate_boards(CLI::App& evaluate, Context& context) {
  const auto [command, options, add] = define<EvaluateBoards>(
      evaluate, context, "boards",
      "Whether the boards' twins reproduce what studies found on the boards; and errors on sweeps "
      "that the twins were not fitted to",
      "ridgewatt evaluate boards --board nano --sweep nano.csv,device=nano", run);
  add.board("--board", options.boards, "Board or board file to check [all boards]");
  add.repeated("--sweep", options.sweeps,
               "FILE,device=BOARD[,model=M][,runtime=NAME][,workers=N]: sweep to score "
               "on, without and with some of its points");
  add.numbers("--points", options.scores.points, count().within(0, 1e6),
              "Numbers of points of a sweep that the twin is given, drawn at random (0: none)");
  add.number("--draws", options.scores.draws, count().within(1, 1000),
             "Random draws of those points");
}

}  // namespace ridgewatt::cli
