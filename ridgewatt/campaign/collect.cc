#include "ridgewatt/campaign/collect.h"

#include <map>
#include <utility>

#include "ridgewatt/campaign/identity.h"

namespace ridgewatt::campaign {

std::vector<BoardRows> rows_of(const Plan& plan, store::Store& store) {
  filled_slots(plan, store);  // throws UsageError if the store has another plan with this name
  const Superseded superseded(plan);
  std::vector<BoardRows> result;
  for (const auto& series : store.all_series()) {
    const bool of_plan =
        series.workload == plan.profile.series.workload && series.kind == plan.profile.series.kind;
    if (!of_plan) continue;
    std::map<std::string, BoardRows> kinds;
    for (auto& record : store.points(store.find_series(series).value())) {
      const auto parts = parts_of_slot(record.slot);
      if (!parts || parts->campaign != plan.name || superseded.has(*parts)) continue;
      // A copy of the plan that was made without the reruns.
      if (record.superseded) continue;
      auto& rows = kinds[parts->kind];
      rows.records.push_back(std::move(record));
    }
    for (auto& [kind, rows] : kinds) {
      rows.kind = kind;
      rows.serial = series.serial;
      rows.series = series;
      result.push_back(std::move(rows));
    }
  }
  return result;
}

std::vector<BoardsOfKind> boards_of(const std::vector<BoardRows>& rows) {
  std::map<std::pair<std::string, Provenance>, BoardsOfKind> kinds;
  for (const auto& board : rows) {
    auto& kind = kinds[{board.kind, board.series.provenance}];
    kind.kind_of_board = board.kind;
    kind.workload = board.series.workload;
    kind.kind = board.series.kind;
    kind.provenance = board.series.provenance;
    kind.boards.push_back({board.serial, {}});
    for (const auto& record : board.records) {
      kind.boards.back().observations.push_back(record.observation);
      kind.boards.back().flags.push_back(record.flags);
    }
  }
  std::vector<BoardsOfKind> result;
  for (auto& [key, kind] : kinds) result.push_back(std::move(kind));
  return result;
}

}  // namespace ridgewatt::campaign
