#include "ridgewatt/campaign/fleet/store_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/device/mode_text.h"

namespace ridgewatt::campaign {
namespace {

constexpr double kSameClock = 0.005;
// A mode is better if neither quantity is worse and one is better by at least this share. Smaller
// differences are noise.
constexpr double kClearlyBetter = 0.02;

struct TimesAndPowers {
  std::vector<double> times_s, powers_w;
  void add(const Observation& row) {
    times_s.push_back(row.time_s);
    powers_w.push_back(row.power_w);
  }
};

// Rows are comparable if workload, batch, mode and kind of board are the same.
using PointKey = std::tuple<std::string, std::string, std::string, int, PowerMode>;

PointKey key_of(const store::Series& series, const OperatingPoint& point) {
  return {series.board, series.workload, series.kind, point.batch, point.mode};
}

}  // namespace

bool same_clocks(const PowerMode& a, const PowerMode& b) {
  return std::all_of(kKnobs.begin(), kKnobs.end(), [&](Knob knob) {
    return !a.has(knob) || !b.has(knob) || std::abs(a.get(knob) / b.get(knob) - 1) <= kSameClock;
  });
}

StoreView::StoreView(const std::string& location, std::int64_t since_unix_s)
    : since_unix_s_(since_unix_s) {
  store::Store store(location, store::Database::Access::kReadOnly);
  for (const auto& series : store.all_series()) {
    const auto number = store.find_series(series);
    if (number) held_.push_back({series, store.points(*number)});
  }
}

std::vector<BoardStatus> StoreView::boards(std::int64_t now_unix_s) const {
  std::map<std::pair<std::string, std::string>, BoardStatus> found;
  for (const auto& held : held_) {
    BoardStatus& board = found[{held.series.board, held.series.serial}];
    board.kind = held.series.board;
    board.serial = held.series.serial;
    board.name = board.serial.empty() ? board.kind : board.serial;
    board.in_store = true;
    for (const auto& point : held.points) {
      if (point.started_unix_s <= 0) continue;  // an imported point has no time
      const auto ago_s = static_cast<double>(now_unix_s - point.started_unix_s);
      board.last_seen_s = std::fmin(board.last_seen_s, ago_s);
    }
  }
  std::vector<BoardStatus> result;
  for (auto& [key, board] : found) result.push_back(std::move(board));
  return result;
}

std::vector<BoardDrift> StoreView::drifts() const {
  // The rows of a point before this day, and the rows of each board within it.
  struct Known {
    std::map<std::string, TimesAndPowers> today_by_serial;
    TimesAndPowers before;
  };
  std::map<PointKey, Known> known;
  for (const auto& held : held_) {
    for (const auto& point : held.points) {
      if (point.superseded) continue;
      Known& at = known[key_of(held.series, point.observation.point)];
      if (point.started_unix_s >= since_unix_s_)
        at.today_by_serial[held.series.serial].add(point.observation);
      else
        at.before.add(point.observation);
    }
  }
  std::map<std::tuple<std::string, std::string, std::string, std::string>, TimesAndPowers> ratios;
  for (const auto& [key, at] : known) {
    for (const auto& [serial, today] : at.today_by_serial) {
      TimesAndPowers expected = at.before;
      for (const auto& [other, theirs] : at.today_by_serial) {
        if (other == serial) continue;
        for (std::size_t i = 0; i < theirs.times_s.size(); ++i) {
          expected.times_s.push_back(theirs.times_s[i]);
          expected.powers_w.push_back(theirs.powers_w[i]);
        }
      }
      if (expected.times_s.empty()) continue;
      auto& ratio = ratios[{std::get<0>(key), serial, std::get<1>(key), std::get<2>(key)}];
      ratio.times_s.push_back(median(today.times_s) / median(expected.times_s));
      ratio.powers_w.push_back(median(today.powers_w) / median(expected.powers_w));
    }
  }
  std::vector<BoardDrift> drifts;
  for (const auto& [key, ratio] : ratios) {
    const auto& [kind, serial, workload, work_kind] = key;
    drifts.push_back({kind, serial, workload, work_kind, ratio.times_s.size(),
                      median(ratio.times_s) - 1, median(ratio.powers_w) - 1});
  }
  return drifts;
}

std::vector<WorkloadEnergy> StoreView::energies() const {
  std::map<std::string, double> joules;
  for (const auto& held : held_) {
    for (const auto& point : held.points) {
      if (point.started_unix_s < since_unix_s_ || !(point.energy_j > 0)) continue;
      joules[held.series.workload + " " + held.series.kind] += point.energy_j;
    }
  }
  std::vector<WorkloadEnergy> result;
  for (const auto& [workload, energy_j] : joules)
    result.push_back({workload, "measured", energy_j});
  return result;
}

std::vector<DominatedMode> StoreView::dominated(const BoardStatus& board) const {
  std::optional<PowerMode> present;
  try {
    present = parse_mode_text(board.mode);
  } catch (const UsageError&) {
    return {};  // Prometheus has no mode, or the mode comes from another program
  }
  std::map<std::tuple<std::string, std::string, int>, std::map<PowerMode, TimesAndPowers>> modes;
  for (const auto& held : held_) {
    if (held.series.board != board.kind) continue;
    if (!board.workload.empty() && held.series.workload != board.workload) continue;
    for (const auto& point : held.points) {
      if (point.superseded) continue;
      const OperatingPoint& at = point.observation.point;
      modes[{held.series.workload, held.series.kind, at.batch}][at.mode].add(point.observation);
    }
  }
  std::vector<DominatedMode> result;
  for (const auto& [work, by_mode] : modes) {
    const auto now = std::find_if(by_mode.begin(), by_mode.end(), [&](const auto& one) {
      return same_clocks(one.first, *present);
    });
    if (now == by_mode.end()) continue;
    const double time_s = median(now->second.times_s), power_w = median(now->second.powers_w);
    std::optional<DominatedMode> best;
    double least = 1;
    for (const auto& [mode, costs] : by_mode) {
      const double time = median(costs.times_s) / time_s, power = median(costs.powers_w) / power_w;
      const bool better = time <= 1 && power <= 1 && std::min(time, power) < 1 - kClearlyBetter;
      if (!better || time * power >= least) continue;
      least = time * power;
      const auto& [workload, work_kind, batch] = work;
      best = DominatedMode{board.name, board.kind,      workload, work_kind, batch,
                           board.mode, mode_text(mode), time - 1, power - 1};
    }
    if (best) result.push_back(*best);
  }
  return result;
}

}  // namespace ridgewatt::campaign
