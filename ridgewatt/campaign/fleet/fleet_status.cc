#include "ridgewatt/campaign/fleet_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/fleet/prometheus.h"
#include "ridgewatt/campaign/fleet/store_view.h"
#include "ridgewatt/device/board_names.h"

namespace ridgewatt::campaign {
namespace {

// The boards that Prometheus knows, read with several queries.
class ScrapedBoards {
 public:
  explicit ScrapedBoards(const FleetOptions& options)
      : server_(options.prometheus),
        window_(fmt::format("[{:.0f}s]", options.window_s)),
        day_(fmt::format("[{:.0f}s]", options.day_s)) {}

  // A target that was never scraped also gets a row.
  void add_targets(const std::string& path) {
    for (const auto& [instance, labels] : read_targets(path)) take_labels(at(instance), labels);
  }

  std::vector<BoardStatus> read(double now_unix_s) {
    read_who();
    read_last_seen(now_unix_s);
    each("rate(hw_energy_joules_total" + window_ + ")", &BoardStatus::power_w);
    each("increase(hw_energy_joules_total" + day_ + ")", &BoardStatus::energy_j);
    each("max by (instance) (hw_temperature_celsius)", &BoardStatus::temperature_c);
    each("increase(ridgewatt_throttle_events_total" + day_ + ")", &BoardStatus::throttle_events);
    for (const auto& series : server_.query("hw_power_watts")) {
      BoardStatus& board = at(series.label("instance"));
      if (std::isnan(board.power_w)) board.power_w = series.value;  // too new for a rate
    }
    for (const auto& series : server_.query("ridgewatt_mode_info")) {
      at(series.label("instance")).mode = series.label("mode");
      at(series.label("instance")).preset = series.label("preset");
    }
    for (const auto& series : server_.query("max by (instance) (ridgewatt_throttling_active)")) {
      at(series.label("instance")).throttled_known = true;
      at(series.label("instance")).throttled = series.value > 0;
    }
    std::vector<BoardStatus> result;
    for (auto& [instance, board] : boards_) result.push_back(std::move(board));
    return result;
  }

 private:
  BoardStatus& at(const std::string& instance) {
    BoardStatus& board = boards_[instance];
    board.name = instance;
    if (!board.up) board.up = false;
    return board;
  }

  static void take_labels(BoardStatus& board, const Labels& labels) {
    const auto take = [&](const char* name, std::string& target) {
      const auto found = labels.find(name);
      if (found != labels.end() && !found->second.empty()) target = found->second;
    };
    take("fleet", board.fleet);
    take("serial", board.serial);
    take("workload", board.workload);
    take("board", board.kind);
    take("exported_board", board.kind);  // name if the target has its own label `board`
    const auto origin = labels.find("provenance");
    const bool fake = origin != labels.end() && origin->second == "fake";
    if (fake && !fake_name(board.kind)) board.kind.insert(0, kFakePrefix);
  }

  // Reads the boards that were scraped within a day, including those that are gone.
  void read_who() {
    for (const auto& series : server_.query("last_over_time(ridgewatt_board_info" + day_ + ")")) {
      take_labels(at(series.label("instance")), series.labels);
    }
    for (const auto& series : server_.query("up")) {
      const auto found = boards_.find(series.label("instance"));
      if (found != boards_.end()) found->second.up = series.value > 0;
    }
  }

  void read_last_seen(double now_unix_s) {
    const std::string of_day = day_.substr(1, day_.size() - 2);
    for (const auto& expression :
         {"max_over_time(timestamp(ridgewatt_board_info)[" + of_day + ":1m])",
          std::string("timestamp(ridgewatt_board_info)")}) {
      for (const auto& series : server_.query(expression)) {
        BoardStatus& board = at(series.label("instance"));
        board.last_seen_s = std::fmin(board.last_seen_s, std::max(0.0, now_unix_s - series.value));
      }
    }
  }

  void each(const std::string& expression, double BoardStatus::*field) {
    for (const auto& series : server_.query(expression)) {
      at(series.label("instance")).*field = series.value;
    }
  }

  Prometheus server_;
  std::string window_, day_;
  std::map<std::string, BoardStatus> boards_;
};

// Merges two rows into one if their serial and kind are the same.
void join(std::vector<BoardStatus>& boards, std::vector<BoardStatus> stored) {
  for (auto& held : stored) {
    const auto same = std::find_if(boards.begin(), boards.end(), [&](const BoardStatus& board) {
      return !board.serial.empty() && board.serial == held.serial && board.kind == held.kind;
    });
    if (same == boards.end())
      boards.push_back(std::move(held));
    else
      same->in_store = true;
  }
}

void add_counted(const std::vector<BoardStatus>& boards, std::vector<WorkloadEnergy>& workloads) {
  std::map<std::string, double> joules;
  for (const auto& board : boards) {
    if (!board.workload.empty() && !std::isnan(board.energy_j)) {
      joules[board.workload] += board.energy_j;
    }
  }
  for (const auto& [workload, energy_j] : joules) {
    workloads.push_back({workload, "counters", energy_j});
  }
}

}  // namespace

FleetStatus fleet_status(const FleetOptions& options) {
  if (options.store.empty() && options.prometheus.empty()) {
    throw UsageError("fleet status needs a source of data", "",
                     "give --store, --prometheus or both");
  }
  if (!options.boards.empty() && options.prometheus.empty()) {
    throw UsageError("--boards has no effect without --prometheus", "", "give both");
  }
  const std::int64_t now = options.now_unix_s > 0 ? options.now_unix_s : std::time(nullptr);
  FleetStatus status;
  if (options.prometheus.empty()) {
    status.missing.emplace_back("power, energy, modes and temperatures: no --prometheus");
  } else {
    ScrapedBoards scraped(options);
    if (!options.boards.empty()) scraped.add_targets(options.boards);
    status.boards = scraped.read(static_cast<double>(now));
    if (status.boards.empty())
      status.missing.emplace_back("Prometheus knows no board of ridgewatt");
    add_counted(status.boards, status.workloads);
  }
  if (options.store.empty()) {
    status.missing.emplace_back("drift and better modes: no --store");
    return status;
  }
  const StoreView view(options.store, now - static_cast<std::int64_t>(options.day_s));
  for (const auto& board : status.boards) {
    const auto found = view.dominated(board);
    status.dominated.insert(status.dominated.end(), found.begin(), found.end());
  }
  join(status.boards, view.boards(now));
  status.drifts = view.drifts();
  const auto measured = view.energies();
  status.workloads.insert(status.workloads.end(), measured.begin(), measured.end());
  return status;
}

FleetTotals totals_of(const FleetStatus& status) {
  FleetTotals totals;
  const auto add_known = [](double value, std::optional<double>& sum) {
    if (!std::isnan(value)) sum = sum.value_or(0) + value;
  };
  for (const auto& board : status.boards) {
    ++totals.boards;
    if (board.up) totals.up = totals.up.value_or(0) + (*board.up ? 1 : 0);
    add_known(board.power_w, totals.power_w);
    add_known(board.energy_j, totals.energy_j);
  }
  return totals;
}

}  // namespace ridgewatt::campaign
