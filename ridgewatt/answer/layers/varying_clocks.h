// Modes under a power limit or a governor have no roof, because their clocks vary.
#pragma once

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/mode_text.h"

namespace ridgewatt::answer {

inline UsageError varying_clocks(const PowerMode& mode) {
  return UsageError(
      "the roof of a mode with a power limit or a governor is not known, because its clocks vary",
      mode_text(mode),
      "give maxn or clocks; `ridgewatt estimate` prints the clocks at which such a mode settles");
}

}  // namespace ridgewatt::answer
