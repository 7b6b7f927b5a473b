// Nsight Systems' SQLite export. Tables are there only where they were used, and columns differ
// between versions: what is asked for is looked up first.
#pragma once

#include <string>

#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {

LayerTrace read_nsight(const std::string& path, const TraceOptions& options);

}  // namespace ridgewatt::trace
