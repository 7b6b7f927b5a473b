// One message for every bad option: field, value and constraint, as in
//   "CalibrateOptions::time_scale is 0: must be positive".
// The check() of an Options struct calls it once a field; the function that takes the options calls
// check() before anything else.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "ridgewatt/base/error.h"

namespace ridgewatt {

// UsageError unless `good`.
template <class T>
void require_option(bool good, std::string_view field, const T& value,
                    std::string_view constraint) {
  if (!good) throw UsageError(fmt::format("{} is {}: must be {}", field, value, constraint));
}

}  // namespace ridgewatt
