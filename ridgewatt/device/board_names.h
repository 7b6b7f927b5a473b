// The names of the embedded boards as people write them.
#pragma once

#include "ridgewatt/base/suggest.h"

namespace ridgewatt {

// What load_board() understands without a path: names, those of boards with another BSP than the
// default ("orin-nano-8gb@super"), and other words for both ("orin-nano-super").
const NameSet& board_names();

}  // namespace ridgewatt
