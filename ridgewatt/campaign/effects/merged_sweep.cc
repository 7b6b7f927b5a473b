#include "ridgewatt/campaign/merged_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/shell.h"
#include "ridgewatt/sweep/repeats.h"

namespace ridgewatt::campaign {
namespace {

// A row of one board, corrected to what the mean board would have measured.
struct CorrectedRow {
  std::size_t board = 0;
  Observation observation;
  CorrectionError error;
  PointFlags flags;
};

// How much the rows of a board are trusted. A row counts only if no row of the same point has a
// higher rank.
int rank_of(const BoardEffect& board) {
  const bool odd =
      board.time.outlier || board.power.outlier || board.time.unsteady || board.power.unsteady;
  return !board.known ? 0 : odd ? 1 : 2;
}

class Merge {
 public:
  Merge(const BoardsOfKind& kind, bool take_effects_out, const EffectOptions& options)
      : kind_(kind) {
    merged_.effects = board_effects(kind.boards, options);
    if (take_effects_out) {
      for (const auto& aside : merged_.effects.set_aside)
        set_aside_.emplace(aside.board, aside.point);
    }
    for (std::size_t b = 0; b < kind.boards.size(); ++b) add_board(b, take_effects_out);
  }

  MergedSweep run() {
    Sweep& sweep = merged_.sweep;
    sweep.workload = kind_.workload;
    sweep.kind = kind_.kind;
    sweep.board = kind_.kind_of_board;
    sweep.provenance = kind_.provenance;
    for (const auto& point : order_) {
      sweep.observations.push_back(merge(rows_[point]));
      sweep.lines.push_back(sweep.observations.size());
    }
    return std::move(merged_);
  }

 private:
  void add_board(std::size_t b, bool take_effects_out) {
    const auto& board = kind_.boards[b];
    const BoardEffect& effect = merged_.effects.boards[b];
    if (!effect.known && take_effects_out) merged_.uncorrected.push_back(board.board);
    for (std::size_t i = 0; i < board.observations.size(); ++i) {
      const Observation& row = board.observations[i];
      const PointFlags flags = i < board.flags.size() ? board.flags[i] : PointFlags();
      if (set_aside_.contains({board.board, row.point})) continue;
      auto& rows = rows_[row.point];
      if (rows.empty()) order_.push_back(row.point);
      if (take_effects_out) {
        rows.push_back({b, to_mean_board(merged_.effects, effect, row),
                        correction_error(merged_.effects, effect, row), flags});
      } else {
        rows.push_back({b, row, {}, flags});
      }
    }
  }

  Observation merge(const std::vector<CorrectedRow>& rows) {
    int best = 0;
    for (const auto& row : rows) best = std::max(best, rank_of(merged_.effects.boards[row.board]));
    std::vector<Observation> observations;
    std::map<std::size_t, CorrectionError> errors;  // by board
    PointFlags flags;
    for (const auto& row : rows) {
      if (rank_of(merged_.effects.boards[row.board]) < best) continue;
      observations.push_back(row.observation);
      errors[row.board] = row.error;
      flags.add(row.flags);
    }
    merged_.sweep.flags.push_back(flags);
    MergedOrigin origin;
    double time = 0, power = 0;
    for (const auto& [board, error] : errors) {
      origin.boards.push_back(kind_.boards[board].board);
      time += error.time * error.time;
      power += error.power * error.power;
    }
    const auto count = static_cast<double>(errors.size());
    origin.error = {std::sqrt(time) / count, std::sqrt(power) / count};
    merged_.origins.push_back(std::move(origin));
    return median_of_repeats(observations);
  }

  const BoardsOfKind& kind_;
  MergedSweep merged_;
  std::set<std::pair<std::string, OperatingPoint>> set_aside_;
  std::map<OperatingPoint, std::vector<CorrectedRow>> rows_;
  std::vector<OperatingPoint> order_;
};

}  // namespace

std::vector<BoardsOfKind> boards_by_kind(store::Store& store, const store::SeriesFilter& filter) {
  std::vector<BoardsOfKind> kinds;
  for (const auto& series : store.all_series()) {
    if (!filter.fits(series)) continue;
    BoardPoints board{series.serial.empty() ? "unknown" : series.serial, {}};
    for (const auto& point : store.points(store.series(series))) {
      if (point.superseded) continue;
      board.observations.push_back(point.observation);
      board.flags.push_back(point.flags);
    }
    if (board.observations.empty()) continue;
    const auto same = [&](const BoardsOfKind& kind) {
      return std::tie(kind.kind_of_board, kind.workload, kind.kind, kind.provenance) ==
             std::tie(series.board, series.workload, series.kind, series.provenance);
    };
    auto kind = std::find_if(kinds.begin(), kinds.end(), same);
    if (kind == kinds.end()) {
      kinds.push_back({series.board, series.workload, series.kind, series.provenance, {}});
      kind = std::prev(kinds.end());
    }
    kind->boards.push_back(std::move(board));
  }
  return kinds;
}

MergedSweep merge_boards(const BoardsOfKind& kind, bool take_effects_out,
                         const EffectOptions& options) {
  return Merge(kind, take_effects_out, options).run();
}

UsageError no_such_points(const std::string& location) {
  return UsageError("the store has no points that match --workload, --kind and --device", location,
                    "`ridgewatt store list " + shell_quoted(location) + "` prints what it has");
}

std::vector<MergedSweep> merged_by_kind(store::Store& store, const store::SeriesFilter& filter,
                                        const std::string& location) {
  std::vector<MergedSweep> merged;
  for (const auto& kind : boards_by_kind(store, filter)) merged.push_back(merge_boards(kind));
  return merged.empty() ? throw no_such_points(location) : merged;
}

std::string write_merged_csv(const std::vector<MergedSweep>& merged) {
  std::vector<Sweep> sweeps;
  std::vector<MergedOrigin> origins;
  for (const auto& one : merged) {
    sweeps.push_back(one.sweep);
    origins.insert(origins.end(), one.origins.begin(), one.origins.end());
  }
  const CsvTable table = parse_csv(write_sweep_csv(sweeps), "merged sweep");
  const auto line_of = [](const std::vector<std::string>& fields) {
    std::string line;
    for (const auto& field : fields) line += csv_field(field) + ",";
    return line;
  };
  std::string text = line_of(table.header) + "boards,time_correction_pct,power_correction_pct\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::string boards;
    for (const auto& board : origins[r].boards) boards += (boards.empty() ? "" : " ") + board;
    text +=
        line_of(table.rows[r]) + csv_field(boards) +
        fmt::format(",{:.3f},{:.3f}\n", 100 * origins[r].error.time, 100 * origins[r].error.power);
  }
  return text;
}

}  // namespace ridgewatt::campaign
