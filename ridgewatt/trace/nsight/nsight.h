// Reads an SQLite export of Nsight Systems. It contains only the tables that were used in the
// recording, and their columns depend on the version, so the schema is examined first.
#pragma once

#include <string>

#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {

LayerTrace read_nsight(const std::string& path, const TraceOptions& options);

}  // namespace ridgewatt::trace
