// Findings for boards that a user names.
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/evaluate/board_findings.h"

namespace ridgewatt::evaluate {
namespace {

// Twins by board name. A board that the user names, possibly a file, replaces the one of that name.
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

std::vector<Finding> findings_of(const std::vector<std::string>& boards) {
  std::vector<Finding> findings;
  for (const auto& finding : board_findings()) {
    bool wanted = boards.empty();
    for (const auto& board : boards) wanted = wanted || concerns(finding, board);
    if (wanted) findings.push_back(finding);
  }
  if (findings.empty())
    throw NotFoundError("no published findings are known for this board", boards.front(),
                        "omit --board to compare the findings of all boards");
  return findings;
}

}  // namespace

std::vector<FindingVerdict> judge_boards(const std::vector<std::string>& boards) {
  TwinsOfBoards twins(boards);
  return judge_board_findings(
      findings_of(twins.names()),
      [&](const std::string& name) -> const twin::Twin& { return twins(name); });
}

}  // namespace ridgewatt::evaluate
