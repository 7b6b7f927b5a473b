// Reads the profile written by `trtexec --exportProfile`: {"count": runs}, then one row per layer.
#pragma once

#include "ridgewatt/trace/layer_trace.h"
#include "ridgewatt/trace/text/element_reader.h"

namespace ridgewatt::trace {

LayerTrace read_engine_profile(ElementReader& reader, const std::string& name,
                               const TraceOptions& options);

}  // namespace ridgewatt::trace
