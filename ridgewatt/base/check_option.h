// Checks options and formats the message for an invalid one: field, value and constraint, such as
//   "CalibrateOptions::time_scale is 0, but must be positive".
// The check() of an options struct calls require_option() for each field. A function that takes the
// options calls check() first.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

// Throws UsageError unless `good`.
template <class T>
void require_option(bool good, std::string_view field, const T& value,
                    std::string_view constraint) {
  if (!good) throw UsageError(fmt::format("{} is {}, but must be {}", field, value, constraint));
}

}  // namespace ridgewatt
