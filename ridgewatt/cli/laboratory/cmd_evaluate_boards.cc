// ridgewatt evaluate boards: what studies found on the boards, put to their twins, and sweeps that
// those were not fitted to.
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/cli/options/option_adder.h"
#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/evaluate/board_scores.h"
#include "ridgewatt/evaluate/score_tables.h"

namespace ridgewatt::cli {
namespace {

// Twins by the names of boards; a board that was asked for, perhaps from a file, is that one.
class TwinsOfBoards {
 public:
  explicit TwinsOfBoards(const std::vector<std::string>& asked) {
    for (const auto& name : asked) {
      const Board board = load_board(name);
      twins_.insert_or_assign(board.name, twin::load_twin(board));
    }
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, twin] : twins_) names.push_back(name);
    return names;
  }
  const twin::Twin& operator()(const std::string& name) {
    const auto found = twins_.find(name);
    if (found != twins_.end()) return found->second;
    return twins_.emplace(name, twin::load_twin(load_board(name))).first->second;
  }

 private:
  std::map<std::string, twin::Twin> twins_;
};

std::vector<evaluate::Finding> findings_of(const std::vector<std::string>& boards) {
  std::vector<evaluate::Finding> findings;
  for (const auto& finding : evaluate::board_findings()) {
    bool wanted = boards.empty();
    for (const auto& board : boards) wanted = wanted || evaluate::concerns(finding, board);
    if (wanted) findings.push_back(finding);
  }
  if (findings.empty()) throw NotFoundError("no findings of this board are known", boards.front());
  return findings;
}

struct EvaluateBoards {
  std::vector<std::string> boards;
  std::vector<std::string> sweeps;
  evaluate::BoardScoreOptions scores;
};

void run(const Context& context, EvaluateBoards command) {
  TwinsOfBoards twins(command.boards);
  const auto findings = findings_of(twins.names());
  std::vector<twin::SweepSpec> specs;
  for (const auto& sweep : command.sweeps) specs.push_back(twin::parse_sweep_spec(sweep));
  command.scores.seed = context.seed;
  const auto judged = evaluate::judge_board_findings(
      findings, [&](const std::string& name) -> const twin::Twin& { return twins(name); });
  print(context,
        evaluate::board_findings_result(judged, evaluate::score_boards(specs, command.scores)));
}

}  // namespace

void add_evaluate_boards(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "boards",
      "What studies found on the boards, computed from the boards' twins: reproduced or not; and "
      "sweeps that the twins were not fitted to",
      "ridgewatt evaluate boards --board nano --sweep nano.csv,device=nano");
  auto options = std::make_shared<EvaluateBoards>();
  const OptionAdder add(*command);
  add.text("--board", options->boards,
           "Board or board file whose findings are judged; without it all boards");
  add.text("--sweep", options->sweeps,
           "FILE,device=BOARD[,model=M][,runtime=NAME][,workers=N], several times: judged as it is "
           "and with some of its points")
      ->allow_extra_args(false);
  add.numbers("--points", options->scores.points, count().within(0, 1e6),
              "Points of a sweep that are given, at random; 0: none");
  add.number("--draws", options->scores.draws, count().within(1, 1000),
             "Random draws of those points");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace ridgewatt::cli
