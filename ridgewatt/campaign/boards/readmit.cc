#include <algorithm>
#include <ctime>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/follow.h"
#include "ridgewatt/campaign/identity.h"

namespace ridgewatt::campaign {
namespace {

void give_tasks_again(Plan& plan, const std::vector<std::string>& hosts) {
  if (plan.jobs.empty()) return;
  const auto executor = executor_of(plan);
  for (auto& job : plan.jobs) {
    const auto erased =
        std::erase_if(job.avoid, [&](const std::string& host) { return contains(hosts, host); });
    if (erased == 0) continue;
    try {  // a job that has ended cannot be changed and need not be
      executor->set_aside(job, job.avoid);
    } catch (const IoError&) {
    }
  }
}

}  // namespace

void readmit_board(const std::string& path, const std::string& serial) {
  const PlanLock lock(path);
  Plan plan = read_plan(path);
  store::Store store(plan.store, store::Database::Access::kReadOnly);
  const Fleet fleet = fleet_of(plan, filled_slots(plan, store), records_of(plan, store), {});
  readmit(plan, fleet, serial, std::time(nullptr));
  for (const auto& board : fleet.boards) {
    if (board.serial == serial) give_tasks_again(plan, board.hosts);
  }
  write_plan(plan, path);
}

BoardsLook look_at_boards(const Plan& plan) {
  BoardsLook look;
  std::vector<EngineNode> nodes;
  if (!plan.executor.empty()) {
    std::vector<std::string> kinds;
    for (const auto& kind : plan.boards) kinds.push_back(kind.name);
    try {
      nodes = executor_of(plan)->nodes(kinds);
    } catch (const IoError& error) {
      look.engine_fault = error.what();
    } catch (const NotFoundError& error) {
      look.engine_fault = error.what();
    }
  }
  store::Store store(plan.store, store::Database::Access::kReadOnly);
  look.boards = board_reports(plan, store, std::move(nodes), std::time(nullptr));
  return look;
}

}  // namespace ridgewatt::campaign
