// Points of several boards as one sweep of their kind, with what the boards differ by taken out.
//
//   for (const auto& kind : boards_by_kind(store, {})) {
//     const MergedSweep merged = merge_boards(kind);
//     write_file_atomically("merged.csv", write_merged_csv({merged}));
//   }
//
// Every row is that of the mean board (campaign/board_effects.h). Repeats, of one board or of
// several, become their median.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ridgewatt/campaign/board_effects.h"
#include "ridgewatt/store/store.h"
#include "ridgewatt/sweep/sweep.h"

namespace ridgewatt::campaign {

// The boards of a kind and what they measured of one workload in one way.
struct BoardsOfKind {
  std::string kind_of_board;  // "agx-orin", "fake:agx-orin"
  std::string workload, kind;
  Provenance provenance = Provenance::kMeasured;
  std::vector<BoardPoints> boards;
};
// What a store holds, kind by kind; a board whose serial is not known is called "unknown". The
// filter's board is the kind's name.
std::vector<BoardsOfKind> boards_by_kind(store::Store& store, const store::SeriesFilter& filter);

// Where a row comes from and what taking the effects out cost.
struct MergedOrigin {
  std::vector<std::string> boards;  // serials, in the order of the store
  CorrectionError error;            // of the correction, common to all rows of these boards
};

struct MergedSweep {
  Sweep sweep;
  std::vector<MergedOrigin> origins;  // one per row
  BoardEffects effects;
  std::vector<std::string> uncorrected;  // boards whose effect is not known: rows as they are
};

// `effects` false: the rows as they were measured, for comparison.
MergedSweep merge_boards(const BoardsOfKind& kind, bool take_effects_out = true,
                         const EffectOptions& options = {});

// Sweep CSV with columns of its own at the end: boards (serials, separated by blanks), and the
// deviation in percent that the correction adds to time and power.
std::string write_merged_csv(const std::vector<MergedSweep>& merged);

}  // namespace ridgewatt::campaign
