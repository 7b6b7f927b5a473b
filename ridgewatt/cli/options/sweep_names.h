// What --workload takes where a file holds several sweeps.
#pragma once

namespace ridgewatt::cli {

// By workload, board or both, as far as it takes to name one (choose_sweep, sweep/sweep.h). Rows of
// a twin also have a name with /RUNTIME behind the board.
inline constexpr const char* kSweepNames = "NAME[:KIND[:PROVENANCE]][@BOARD], or @BOARD";

}  // namespace ridgewatt::cli
