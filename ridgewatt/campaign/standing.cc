#include "ridgewatt/campaign/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ridgewatt/base/plural.h"
#include "ridgewatt/base/statistics.h"

namespace ridgewatt::campaign {
namespace {

constexpr std::size_t kNewest = 20;
// A board counts as resting if no point arrives within the time of this number of points.
constexpr double kRestingPoints = 10;
constexpr double kRestingS = 600;

bool waits_or_runs(TaskPhase phase) {
  return phase == TaskPhase::kQueued || phase == TaskPhase::kRunning || phase == TaskPhase::kHeld;
}

using TaskKey = std::pair<std::string, int>;  // kind and number

std::map<TaskKey, TaskState> newest_states(const std::vector<TaskState>& states) {
  std::map<TaskKey, TaskState> newest;
  for (const auto& state : states) {
    auto& kept = newest[{state.board_kind, state.task}];
    if (kept.job.empty() || waits_or_runs(state.phase) || !waits_or_runs(kept.phase)) kept = state;
  }
  return newest;
}

struct BoardTimes {
  BoardStanding standing;
  std::vector<std::int64_t> begun_unix_s;
};

std::optional<double> rate_per_h(std::vector<std::int64_t> begun_unix_s) {
  std::sort(begun_unix_s.begin(), begun_unix_s.end());
  const std::size_t count = std::min(begun_unix_s.size(), kNewest);
  if (count < 2) return std::nullopt;
  const auto elapsed_s =
      static_cast<double>(begun_unix_s.back() - begun_unix_s[begun_unix_s.size() - count]);
  if (elapsed_s <= 0) return std::nullopt;
  return 3600 * static_cast<double>(count - 1) / elapsed_s;
}

std::vector<BoardStanding> boards_of(const Plan& plan,
                                     const std::vector<store::FilledSlot>& filled) {
  std::map<std::pair<std::string, std::string>, BoardTimes> boards;
  const Superseded superseded(plan);
  for (const auto& slot : filled) {
    const auto parts = parts_of_slot(slot.slot);
    if (!parts || parts->campaign != plan.name || superseded.has(*parts)) continue;
    auto& board = boards[{parts->kind, slot.series.serial}];
    (parts->serial.empty() ? board.standing.points : board.standing.calibration) += 1;
    board.standing.newest_unix_s = std::max(board.standing.newest_unix_s, slot.started_unix_s);
    board.begun_unix_s.push_back(slot.started_unix_s);
  }
  std::vector<BoardStanding> result;
  for (auto& [key, board] : boards) {
    board.standing.kind = key.first;
    board.standing.serial = key.second;
    board.standing.points_per_h = rate_per_h(board.begun_unix_s);
    result.push_back(board.standing);
  }
  return result;
}

void mark_stragglers(std::vector<BoardStanding>& boards) {
  std::map<std::string, std::vector<double>> rates;
  for (const auto& board : boards) {
    if (board.points_per_h) rates[board.kind].push_back(*board.points_per_h);
  }
  for (auto& board : boards) {
    const auto& of_kind = rates[board.kind];
    board.straggler =
        board.points_per_h && of_kind.size() > 1 && *board.points_per_h < 0.5 * median(of_kind);
  }
}

void count_boards(const std::vector<BoardStanding>& boards, std::size_t calibration,
                  std::int64_t now_unix_s, KindStanding& kind) {
  for (const auto& board : boards) {
    if (board.kind != kind.name) continue;
    ++kind.boards;
    kind.calibrated += board.calibration >= calibration ? 1 : 0;
    const bool resting = is_resting(board, now_unix_s);
    kind.silent += resting && !board.set_aside ? 1 : 0;
    if (!resting && !board.set_aside) kind.points_per_s += board.points_per_h.value_or(0) / 3600;
  }
}

void add_failures_and_energy(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                             const Fleet& fleet, KindStanding& kind) {
  const std::string prefix = slot_of(plan.name, kind.name, "");
  for (const auto& slot : filled)
    kind.energy_j += slot.slot.starts_with(prefix) ? slot.energy_j : 0;
  for (const auto& failure : fleet.failures) {
    kind.failures += failure.slot.starts_with(prefix) ? 1 : 0;
  }
}

// Estimates the time from the current rate of the boards. Calibration runs first, so it is done or
// hardly contributes.
std::optional<double> eta_s(const KindStanding& kind) {
  if (kind.points_per_s <= 0) return std::nullopt;
  return static_cast<double>(kind.planned - kind.done) / kind.points_per_s;
}

// Filled slots by name, as pointers into `filled`.
using SlotIndex = std::unordered_map<std::string_view, const store::FilledSlot*>;

SlotIndex index_of(const std::vector<store::FilledSlot>& filled) {
  SlotIndex index;
  index.reserve(filled.size());
  for (const auto& slot : filled) index[slot.slot] = &slot;
  return index;
}

std::vector<Task> missing_in(const SlotIndex& index, const Plan& plan, const BoardKind& kind) {
  std::vector<Task> missing;
  for (auto& task : tasks_of(kind)) {
    std::erase_if(task.points, [&](const PlannedPoint& point) {
      return index.contains(slot_of(plan.name, kind.name, point.slot_label()));
    });
    if (!task.points.empty()) missing.push_back(std::move(task));
  }
  return missing;
}

// Predicted time until every board has measured its missing calibration points. A board without any
// point still has to measure them all.
double calibration_left_s(const Plan& plan, const BoardKind& planned, const SlotIndex& index,
                          const std::vector<BoardStanding>& boards) {
  const auto left_s = [&](const std::string& serial) {
    double sum_s = 0;
    for (const auto& point : planned.calibration) {
      const auto slot = calibration_slot(plan.name, planned.name, point.slot_label(), serial);
      sum_s += index.contains(slot) ? 0 : point.predicted_s;
    }
    return sum_s;
  };
  int known = 0;
  double longest_s = 0;
  for (const auto& board : boards) {
    if (board.kind != planned.name) continue;
    ++known;
    longest_s = std::max(longest_s, left_s(board.serial));
  }
  return known < planned.boards ? std::max(longest_s, left_s("")) : longest_s;
}

// Predicted time of the missing points, as predicted_cost() computes it; 0: unknown.
double predicted_left_s(const Plan& plan, const BoardKind& planned,
                        const std::vector<Task>& missing, const SlotIndex& index,
                        const std::vector<BoardStanding>& boards) {
  double sum_s = 0;
  for (const auto& task : missing) {
    for (const auto& point : task.points) {
      if (point.predicted_s <= 0) return 0;
      sum_s += point.predicted_s;
    }
  }
  if (sum_s == 0) return 0;
  return calibration_left_s(plan, planned, index, boards) + sum_s / planned.boards;
}

void count_tasks(const std::vector<Task>& missing, const std::map<TaskKey, TaskState>& states,
                 KindStanding& kind, std::vector<TaskFault>& faults) {
  for (const auto& task : missing) {
    const auto found = states.find({kind.name, task.number});
    if (found == states.end()) continue;
    const TaskState& state = found->second;
    kind.queued += state.phase == TaskPhase::kQueued ? 1 : 0;
    kind.running += state.phase == TaskPhase::kRunning ? 1 : 0;
    kind.held += state.phase == TaskPhase::kHeld ? 1 : 0;
    kind.failed += state.phase == TaskPhase::kFailed ? 1 : 0;
    if (state.phase != TaskPhase::kHeld && state.phase != TaskPhase::kFailed) continue;
    faults.push_back({kind.name, state.job, task.number, state.phase == TaskPhase::kHeld,
                      state.node, state.why, task.points.size()});
  }
}

void mark_set_aside(const Fleet& fleet, std::vector<BoardStanding>& boards) {
  std::set<std::pair<std::string_view, std::string_view>> aside;
  for (const auto& health : fleet.boards) {
    if (health.set_aside) aside.insert({health.kind, health.serial});
  }
  for (auto& board : boards) board.set_aside = aside.contains({board.kind, board.serial});
}

// Counts flagged points, and points that wait to be measured again.
void count_doubts(const Plan& plan, const BoardKind& planned, const SlotIndex& index,
                  KindStanding& kind) {
  for (const auto& point : planned.points) {
    const auto found = index.find(slot_of(plan.name, planned.name, point.slot_label()));
    if (found != index.end()) kind.flagged += found->second->flags.empty() ? 0 : 1;
    if (found == index.end() && point.rerun > 0) ++kind.to_rerun;
  }
}

// Leaves `kind.blocked` empty if a task runs or may still run.
void set_blocked(const Plan& plan, const std::vector<TaskState>& states, const Fleet& fleet,
                 KindStanding& kind) {
  if (kind.done == kind.planned) return;
  kind.blocked = why_none_runs(fleet, kind.name);
  if (!kind.blocked.empty() || kind.queued + kind.running + kind.held > 0) return;
  const auto of_kind = [&](const auto& one) { return one.board_kind == kind.name; };
  if (std::ranges::any_of(states, of_kind)) {
    kind.blocked = "no task is queued or running";
  } else if (!plan.executor.empty() && std::ranges::none_of(plan.jobs, of_kind)) {
    kind.blocked =
        "no task is submitted, or all are cancelled (`ridgewatt campaign resume` submits them)";
  }
  kind.without_task = !kind.blocked.empty();
}

}  // namespace

std::string missing_text(const Standing& standing) {
  const std::size_t missing = standing.planned - standing.done;
  return fmt::format("{} of {} {} missing", missing, counted(standing.planned, "point"),
                     missing == 1 ? "is" : "are");
}

bool is_resting(const BoardStanding& board, std::int64_t now_unix_s) {
  const auto silent_s = static_cast<double>(now_unix_s - board.newest_unix_s);
  const double points_s =
      board.points_per_h ? kRestingPoints * 3600 / *board.points_per_h : kRestingS;
  return silent_s >= std::max(kRestingS, points_s);
}

std::vector<Task> missing_tasks(const Plan& plan, const BoardKind& kind,
                                const std::vector<store::FilledSlot>& filled) {
  return missing_in(index_of(filled), plan, kind);
}

Standing standing_of(const Plan& plan, const std::vector<store::FilledSlot>& filled,
                     const std::vector<TaskState>& states, std::int64_t now_unix_s,
                     const Fleet& fleet) {
  Standing standing;
  standing.boards = boards_of(plan, filled);
  mark_stragglers(standing.boards);
  mark_set_aside(fleet, standing.boards);
  standing.points = point_faults(plan, filled, fleet.failures);
  const auto newest = newest_states(states);
  const SlotIndex index = index_of(filled);
  for (const auto& planned : plan.boards) {
    KindStanding kind;
    kind.name = planned.name;
    kind.planned = planned.points.size();
    const auto missing = missing_in(index, plan, planned);
    std::size_t lacking = 0;
    for (const auto& task : missing) lacking += task.points.size();
    kind.done = kind.planned - lacking;
    count_boards(standing.boards, planned.calibration.size(), now_unix_s, kind);
    add_failures_and_energy(plan, filled, fleet, kind);
    for (const auto& board : fleet.boards) {
      kind.set_aside += board.kind == kind.name && board.set_aside ? 1 : 0;
    }
    count_tasks(missing, newest, kind, standing.faults);
    count_doubts(plan, planned, index, kind);
    set_blocked(plan, states, fleet, kind);
    if (kind.blocked.empty()) {
      kind.eta_s = lacking == 0 ? 0 : eta_s(kind);
    }
    const double predicted_s = predicted_left_s(plan, planned, missing, index, standing.boards);
    if (!kind.eta_s && predicted_s > 0 && kind.blocked.empty()) kind.eta_s = predicted_s;
    standing.planned += kind.planned;
    standing.done += kind.done;
    standing.kinds.push_back(kind);
  }
  standing.eta_s = 0;
  for (const auto& kind : standing.kinds) {
    if (!kind.eta_s) standing.eta_s.reset();
    if (standing.eta_s) standing.eta_s = std::max(*standing.eta_s, *kind.eta_s);
  }
  return standing;
}

}  // namespace ridgewatt::campaign
