// The boards of a campaign, with everything that the store and the engine know about them.
#include <algorithm>
#include <map>
#include <set>

#include "ridgewatt/base/contains.h"
#include "ridgewatt/campaign/health.h"
#include "ridgewatt/campaign/identity.h"
#include "ridgewatt/campaign/standing.h"

namespace ridgewatt::campaign {
namespace {

constexpr std::string_view kTemperature = "temperature:";

// Counts of a board's flagged points, and its newest point.
struct SlotsOfBoard {
  std::size_t drifted = 0, throttled = 0;
  std::string newest_slot;
  store::Series series;
  std::int64_t newest_unix_s = -1;
};

std::map<std::pair<std::string, std::string>, SlotsOfBoard> points_of_boards(
    const Plan& plan, const std::vector<store::FilledSlot>& filled) {
  std::map<std::pair<std::string, std::string>, SlotsOfBoard> boards;
  const Superseded superseded(plan);
  for (const auto& slot : filled) {
    const auto parts = parts_of_slot(slot.slot);
    if (!parts || parts->campaign != plan.name || superseded.has(*parts)) continue;
    auto& board = boards[{parts->kind, slot.series.serial}];
    board.drifted += slot.flags.has(PointFlag::kDrifted) ? 1 : 0;
    board.throttled += slot.flags.has(PointFlag::kThrottled) ? 1 : 0;
    if (slot.started_unix_s <= board.newest_unix_s) continue;
    board.newest_unix_s = slot.started_unix_s;
    board.newest_slot = slot.slot;
    board.series = slot.series;
  }
  return boards;
}

std::optional<double> temperature_c(const SlotsOfBoard& board, store::Store& store) {
  std::optional<double> highest_c;
  for (const auto& sample : store.samples_of_slot(board.newest_slot)) {
    if (!sample.channel.starts_with(kTemperature)) continue;
    highest_c = std::max(highest_c.value_or(sample.value), sample.value);
  }
  return highest_c;
}

void add_engine(const std::vector<EngineNode>& nodes, const BoardHealth& health,
                BoardReport& report, std::set<std::string>& named) {
  for (const auto& node : nodes) {
    const bool same = node.board_kind == health.kind && contains(health.hosts, node.name);
    if (!same) continue;
    report.host = node.name;
    report.engine_reason = node.reason;
    if (!node.usable && !health.set_aside) report.state = node.state;
    named.insert(node.board_kind + "/" + node.name);
  }
}

}  // namespace

std::vector<BoardReport> board_reports(const Plan& plan, store::Store& store,
                                       std::vector<EngineNode> nodes, std::int64_t now_unix_s) {
  const auto filled = filled_slots(plan, store);
  const Fleet fleet = fleet_of(plan, filled, records_of(plan, store), std::move(nodes));
  const auto standing = standing_of(plan, filled, {}, now_unix_s);
  const auto points = points_of_boards(plan, filled);
  std::set<std::string> named;
  std::vector<BoardReport> reports;
  for (const auto& health : fleet.boards) {
    BoardReport report;
    report.kind = health.kind;
    report.serial = health.serial;
    report.host = health.hosts.empty() ? "" : health.hosts.front();
    report.failures = health.failures;
    report.in_a_row = health.in_a_row;
    report.last_error = health.last_error;
    report.last_error_unix_s = health.last_error_unix_s;
    report.state = health.set_aside ? "set aside" : "new";
    for (const auto& board : standing.boards) {
      if (board.kind != health.kind || board.serial != health.serial) continue;
      report.points = board.points;
      report.points_per_h = board.points_per_h;
      report.newest_unix_s = board.newest_unix_s;
      if (!health.set_aside) report.state = is_resting(board, now_unix_s) ? "silent" : "working";
    }
    if (const auto found = points.find({health.kind, health.serial}); found != points.end()) {
      report.drifted = found->second.drifted;
      report.throttled = found->second.throttled;
      report.temperature_c = temperature_c(found->second, store);
    }
    add_engine(fleet.nodes, health, report, named);
    reports.push_back(std::move(report));
  }
  // Hosts of the engine that belong to no board in the store.
  for (const auto& node : fleet.nodes) {
    if (named.contains(node.board_kind + "/" + node.name)) continue;
    BoardReport report;
    report.kind = node.board_kind;
    report.host = node.name;
    report.state = node.usable ? "new" : node.state;
    report.engine_reason = node.reason;
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace ridgewatt::campaign
