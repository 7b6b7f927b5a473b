// Merges the points of several boards into one sweep of their kind, with the differences between
// boards removed.
//
//   for (const auto& kind : boards_by_kind(store, {})) {
//     const MergedSweep merged = merge_boards(kind);
//     write_file_atomically("merged.csv", write_merged_csv({merged}));
//   }
//
// Every row is that of the mean board (campaign/board_effects.h). Repeats, of one or several
// boards, become their median.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/campaign/board_effects.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::campaign {

// The boards of a kind and their points of one workload measured in one way.
struct BoardsOfKind {
  std::string kind_of_board;  // "agx-orin", "fake:agx-orin"
  std::string workload, kind;
  Provenance provenance = Provenance::kMeasured;
  std::vector<BoardPoints> boards;
};
// The content of a store by kind; a board without a known serial is called "unknown". The board of
// the filter is the name of the kind.
std::vector<BoardsOfKind> boards_by_kind(store::Store& store, const store::SeriesFilter& filter);

// The origin of a row and the error of its correction.
struct MergedOrigin {
  std::vector<std::string> boards;  // serials, in the order of the store
  CorrectionError error;            // of the correction, common to all rows of these boards
};

struct MergedSweep {
  Sweep sweep;
  std::vector<MergedOrigin> origins;  // one per row
  BoardEffects effects;
  std::vector<std::string> uncorrected;  // boards with unknown effects: their rows are unchanged
};

// `effects` false: the rows as measured, for comparison.
MergedSweep merge_boards(const BoardsOfKind& kind, bool take_effects_out = true,
                         const EffectOptions& options = {});

// The boards of each kind in a store that pass the filter, merged. UsageError without such points;
// `location` is the name of the store in the message.
std::vector<MergedSweep> merged_by_kind(store::Store& store, const store::SeriesFilter& filter,
                                        const std::string& location);
UsageError no_such_points(const std::string& location);

// Sweep CSV with additional columns at the end: boards (serials, separated by blanks), and the
// deviation in percent that the correction adds to time and power.
std::string write_merged_csv(const std::vector<MergedSweep>& merged);

}  // namespace ridgewatt::campaign
