// The number of runs in a trace.
#pragma once

#include <fmt/format.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/plural.h"
#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {

// Returns `stated`, the number of runs that the trace states, or else options.runs, or 1. Throws
// UsageError if both are given and differ. 0: the trace states none.
inline double runs_of(const TraceOptions& options, double stated) {
  if (stated > 0 && options.runs && *options.runs != stated) {
    throw UsageError(fmt::format("--runs has no effect, because the profile states that it has {}",
                                 counted(static_cast<std::int64_t>(stated), "run")),
                     "", "omit it");
  }
  return stated > 0 ? stated : options.runs.value_or(1);
}

}  // namespace ridgewatt::trace
