// Questions that need the power of a board whose twin may not model it.
#pragma once

#include <string>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::answer {

// Throws NotSupportedError with `advice` if the board is a processor without a GPU.
inline void require_power(const twin::Twin& twin, const std::string& board,
                          const std::string& advice) {
  if (twin.cpu) throw NotSupportedError("the power of this board is not modelled", board, advice);
}

}  // namespace ridgewatt::answer
