#include "ridgewatt/campaign/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"

namespace ridgewatt::campaign {
namespace {

using BoardKey = std::pair<std::string, std::string>;  // kind and serial

struct BoardRecord {
  BoardHealth health;
  std::int64_t trusted_unix_s = 0;  // start of its last measured point, or time of its readmission
  std::set<std::string> failed_slots;
  std::set<std::string> hosts;
};

using BoardRecords = std::map<BoardKey, BoardRecord>;

void add_failures(const Plan& plan, const std::vector<store::FailedAttempt>& failures,
                  BoardRecords& boards) {
  for (const auto& failure : failures) {
    const auto parts = parts_of_slot(failure.slot);
    if (!parts || parts->campaign != plan.name) continue;
    auto& board = boards[{parts->kind, failure.serial}];
    if (!failure.host.empty()) board.hosts.insert(failure.host);
    auto& health = board.health;
    ++health.failures;
    if (failure.failed_unix_s >= health.last_error_unix_s) {
      health.last_error = failure.reason;
      health.last_error_unix_s = failure.failed_unix_s;
    }
    if (failure.failed_unix_s > board.trusted_unix_s) board.failed_slots.insert(failure.slot);
  }
}

std::set<std::string> slots_of_task(const Plan& plan, const BoardKind& kind, const Task& task) {
  std::set<std::string> slots;
  for (const auto& point : task.points) {
    slots.insert(slot_of(plan.name, kind.name, point.slot_label()));
  }
  return slots;
}

const BoardHealth* board_of(const Fleet& fleet, const std::string& kind,
                            const std::string& serial) {
  for (const auto& board : fleet.boards) {
    if (board.kind == kind && board.serial == serial) return &board;
  }
  return nullptr;
}

const BoardHealth* board_at(const Fleet& fleet, const std::string& kind, const std::string& host) {
  for (const auto& board : fleet.boards) {
    if (board.kind == kind && contains(board.hosts, host)) return &board;
  }
  return nullptr;
}

}  // namespace

CampaignRecords records_of(const Plan& plan, store::Store& store) {
  return {store.failures(plan.name + "/"), store.campaign_boards(plan.name)};
}

Fleet fleet_of(const Plan& plan, const std::vector<store::FilledSlot>& filled,
               const CampaignRecords& records, std::vector<EngineNode> nodes) {
  BoardRecords boards;
  for (const auto& board : records.boards) {
    boards[{board.kind, board.serial}].hosts.insert(board.host);
  }
  for (const auto& slot : filled) {
    const auto parts = parts_of_slot(slot.slot);
    if (!parts || parts->campaign != plan.name) continue;
    auto& trusted_unix_s = boards[{parts->kind, slot.series.serial}].trusted_unix_s;
    trusted_unix_s = std::max(trusted_unix_s, slot.started_unix_s);
  }
  for (auto& [key, board] : boards) {
    const auto found = plan.readmitted.find(key.second);
    if (found == plan.readmitted.end()) continue;
    board.trusted_unix_s = std::max(board.trusted_unix_s, found->second);
  }
  add_failures(plan, records.failures, boards);
  Fleet fleet{{}, records.failures, std::move(nodes)};
  for (auto& [key, board] : boards) {
    auto& health = board.health;
    health.kind = key.first;
    health.serial = key.second;
    health.hosts.assign(board.hosts.begin(), board.hosts.end());
    health.in_a_row = board.failed_slots.size();
    const auto limit = static_cast<std::size_t>(plan.options.set_aside);
    health.set_aside = limit > 0 && health.in_a_row >= limit;
    fleet.boards.push_back(health);
  }
  return fleet;
}

std::string why_set_aside(const BoardHealth& board) {
  return fmt::format("set aside after {} in a row: {}", counted(board.in_a_row, "failed point"),
                     board.last_error);
}

std::vector<std::string> set_aside_hosts(const Fleet& fleet, const std::string& board_kind) {
  std::set<std::string> hosts;
  for (const auto& board : fleet.boards) {
    if (board.kind == board_kind && board.set_aside) {
      hosts.insert(board.hosts.begin(), board.hosts.end());
    }
  }
  return {hosts.begin(), hosts.end()};
}

std::vector<std::string> hosts_to_avoid(const Plan& plan, const Fleet& fleet, const BoardKind& kind,
                                        const Task& task) {
  const auto aside = set_aside_hosts(fleet, kind.name);
  const auto slots = slots_of_task(plan, kind, task);
  std::set<std::string> avoid(aside.begin(), aside.end());
  for (const auto& failure : fleet.failures) {
    if (slots.contains(failure.slot) && !failure.host.empty()) avoid.insert(failure.host);
  }
  const bool another =
      std::any_of(fleet.nodes.begin(), fleet.nodes.end(), [&](const EngineNode& node) {
        return node.board_kind == kind.name && node.usable && !avoid.contains(node.name);
      });
  return another ? std::vector<std::string>(avoid.begin(), avoid.end()) : aside;
}

int excused_attempts(const Plan& plan, const Fleet& fleet, const BoardKind& kind,
                     const Task& task) {
  const auto slots = slots_of_task(plan, kind, task);
  std::map<std::string, int> excused;  // by slot, because a task may fail at several of its points
  for (const auto& failure : fleet.failures) {
    if (!slots.contains(failure.slot)) continue;
    const auto* board = board_of(fleet, kind.name, failure.serial);
    if (board != nullptr && board->set_aside) ++excused[failure.slot];
  }
  int most = 0;
  for (const auto& [slot, count] : excused) most = std::max(most, count);
  return most;
}

bool all_set_aside(const Fleet& fleet, const std::string& board_kind) {
  const auto aside = set_aside_hosts(fleet, board_kind);
  bool any = false;
  for (const auto& node : fleet.nodes) {
    if (node.board_kind != board_kind) continue;
    any = true;
    if (!contains(aside, node.name)) return false;
  }
  return any;
}

std::string why_none_runs(const Fleet& fleet, const std::string& board_kind) {
  std::string why;
  for (const auto& node : fleet.nodes) {
    if (node.board_kind != board_kind) continue;
    const auto* board = board_at(fleet, board_kind, node.name);
    const bool aside = board != nullptr && board->set_aside;
    if (node.usable && !aside) return "";
    why += fmt::format("{}{}: ", why.empty() ? "" : "; ", node.name);
    if (!node.usable) {
      why += node.state + (node.reason.empty() ? "" : " (" + node.reason + ")");
    } else {
      why += why_set_aside(*board);
    }
  }
  return why;
}

std::vector<PointFault> point_faults(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                                     const std::vector<store::FailedAttempt>& failures) {
  std::set<std::string> there;
  for (const auto& slot : filled) there.insert(slot.slot);
  std::map<std::string, std::vector<const store::FailedAttempt*>> of_slot;
  for (const auto& failure : failures) of_slot[failure.slot].push_back(&failure);
  std::vector<PointFault> faults;
  for (const auto& kind : plan.boards) {
    for (const auto& point : kind.points) {
      const std::string slot = slot_of(plan.name, kind.name, point.slot_label());
      const auto found = of_slot.find(slot);
      if (found == of_slot.end() || there.contains(slot)) continue;
      const auto& last = *found->second.back();
      faults.push_back({kind.name, point.slot_label(), last.serial, found->second.size(),
                        last.reason, last.output});
    }
  }
  return faults;
}

void readmit(Plan& plan, const Fleet& fleet, const std::string& serial, std::int64_t now_unix_s) {
  std::string known;
  bool found = false;
  for (const auto& board : fleet.boards) {
    if (!board.set_aside) continue;
    found = found || board.serial == serial;
    known += (known.empty() ? "" : ", ") + board.serial;
  }
  if (!found) {
    throw NotFoundError(fmt::format("no board '{}' is set aside", serial), plan.name,
                        known.empty() ? "all boards get tasks" : "set aside are: " + known);
  }
  plan.readmitted[serial] = now_unix_s;
  plan.attempts_since_unix_s = now_unix_s;
}

}  // namespace ridgewatt::campaign
