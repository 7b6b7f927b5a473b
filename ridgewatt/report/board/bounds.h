// Bounds of sampling errors. A bound that is not finite is unknown.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "ridgewatt/base/sentence.h"

namespace ridgewatt::report {

// "error at most 0.31 J", with `behind` " J"
inline std::string bound_text(double bound, const std::string& behind = {}) {
  return std::isfinite(bound) ? sentence("error at most {:.2g}{}", bound, behind)
                              : "error unknown: too few power samples";
}

}  // namespace ridgewatt::report
