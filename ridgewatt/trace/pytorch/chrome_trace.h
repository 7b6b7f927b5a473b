// Reads the Chrome trace of PyTorch's profiler (torch.profiler, export_chrome_trace): operators,
// the kernels that they launched, and the calls that launched the kernels.
#pragma once

#include <string>

#include "ridgewatt/trace/layer_trace.h"
#include "ridgewatt/trace/text/element_reader.h"

namespace ridgewatt::trace {

LayerTrace read_chrome_trace(ElementReader& reader, const std::string& name,
                             const TraceOptions& options);

}  // namespace ridgewatt::trace
