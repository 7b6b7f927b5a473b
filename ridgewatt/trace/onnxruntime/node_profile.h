// The profile that ONNX Runtime writes (session option enable_profiling): an array of Chrome events
// with the time of each node in each run.
#pragma once

#include <string>

#include "ridgewatt/trace/layer_trace.h"
#include "ridgewatt/trace/text/element_reader.h"

namespace ridgewatt::trace {

// A layer for each node, in order of execution. Its time per run is the median over the runs: the
// first ones allocate, and other programs disturb some. Nodes with a body (If, Loop, Scan) are left
// out, because the nodes of their bodies are layers themselves. InputError where no node ran on the
// CPU provider: of others the events are the calls that launch kernels.
LayerTrace read_node_profile(ElementReader& reader, const std::string& name,
                             const TraceOptions& options);

}  // namespace ridgewatt::trace
