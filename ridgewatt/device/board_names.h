// The names of the embedded boards as people write them.
#pragma once

#include "ridgewatt/base/suggest.h"

namespace ridgewatt {

// What load_board() understands without a path: names, those of boards with another BSP than the
// default ("orin-nano-8gb@super"), and other words for both ("orin-nano-super").
const NameSet& board_names();

// The processor of this machine, which load_board() knows once `ridgewatt calibrate --device local`
// has measured it.
inline constexpr char kLocalBoard[] = "local";
// Its board file: $XDG_DATA_HOME/ridgewatt/local.toml (~/.local/share/..). Empty: no folder is
// known.
std::string local_board_path();
bool has_local_board();

}  // namespace ridgewatt
