// Merges the points of several boards of one kind into one sweep, with the differences between the
// boards removed.
//
//   for (const auto& kind : boards_by_kind(store, {})) {
//     const MergedSweep merged = merge_boards(kind);
//     write_file_atomically("merged.csv", write_merged_csv({merged}));
//   }
//
// Each row has the values that the mean board would measure (campaign/board_effects.h). Repeated
// measurements of a point, by one or several boards, are replaced by their median.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/board_effects.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::campaign {

// Boards of one kind and their points of one workload with the same provenance.
struct BoardsOfKind {
  std::string kind_of_board;  // "agx-orin", "fake:agx-orin"
  std::string workload, kind;
  Provenance provenance = Provenance::kMeasured;
  std::vector<BoardPoints> boards;
};
// Returns the valid points in a store that pass the filter, grouped by kind of board, workload and
// provenance. A board without a serial number is named "unknown". SeriesFilter::board is the name
// of the kind.
std::vector<BoardsOfKind> boards_by_kind(store::Store& store, const store::SeriesFilter& filter);

// The boards that measured a row, and the error of its correction.
struct MergedOrigin {
  std::vector<std::string> boards;  // serial numbers, in the order of the store
  CorrectionError error;            // the same for all rows of these boards
};

struct MergedSweep {
  Sweep sweep;
  std::vector<MergedOrigin> origins;  // by row of `sweep`
  BoardEffects effects;
  // Boards with unknown effects; their rows are not corrected.
  std::vector<std::string> uncorrected;
};

// Merges the boards of a kind. `take_effects_out` = false: leaves the rows as measured, for
// comparison.
MergedSweep merge_boards(const BoardsOfKind& kind, bool take_effects_out = true,
                         const EffectOptions& options = {});

// Merges the points in a store that pass the filter, for each kind of board. Throws UsageError if
// there are no such points. `location` is the name of the store for the message.
std::vector<MergedSweep> merged_by_kind(store::Store& store, const store::SeriesFilter& filter,
                                        const std::string& location);
UsageError no_such_points(const std::string& location);

// Returns a sweep CSV with additional columns: boards (serial numbers separated by blanks), and the
// standard deviation in percent that the correction adds to time and to power.
std::string write_merged_csv(const std::vector<MergedSweep>& merged);

}  // namespace ridgewatt::campaign
