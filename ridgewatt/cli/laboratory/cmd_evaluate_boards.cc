// ridgewatt evaluate boards: what studies found on the boards, put to their twins.
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/cli/laboratory/evaluate_commands.h"
#include "ridgewatt/evaluate/board_findings.h"
#include "ridgewatt/report/calibrate_report.h"
#include "ridgewatt/sweep/provenance.h"

namespace ridgewatt::cli {
namespace {

using Judged = std::vector<evaluate::FindingVerdict>;

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

void print_judged(const Context& context, const Judged& judged) {
  const report::Table counts = report::board_finding_count_table(judged);
  if (context.json()) {
    return print(context, Json{{"provenance", name_of(Provenance::kModelled)},
                               {"boards", counts.to_json()},
                               {"findings", report::board_finding_table(judged).to_json()}});
  }
  print(context, report::board_finding_table(judged));
  if (context.csv()) return;
  std::cout << '\n';
  print_aside(context, counts);
}

void run(const Context& context, const std::vector<std::string>& asked) {
  TwinsOfBoards twins(asked);
  const auto findings = findings_of(twins.names());
  print_judged(context, evaluate::judge_board_findings(
                            findings, [&](const std::string& name) -> const twin::Twin& {
                              return twins(name);
                            }));
}

}  // namespace

void add_evaluate_boards(CLI::App& evaluate, Context& context) {
  auto* command = add_command(
      evaluate, context, "boards",
      "What studies found on the boards, computed from the boards' twins: reproduced or not",
      "ridgewatt evaluate boards --board nano");
  auto boards = std::make_shared<std::vector<std::string>>();
  command->add_option("--board", *boards,
                      "Board or board file whose findings are judged; without it all boards");
  command->callback([&context, boards] { run(context, *boards); });
}

}  // namespace ridgewatt::cli
