// Reads the profile that ONNX Runtime writes (session option enable_profiling): an array of Chrome
// trace events with the time of each node in each run.
#pragma once

#include <string>

#include "ridgewatt/trace/layer_trace.h"
#include "ridgewatt/trace/text/element_reader.h"

namespace ridgewatt::trace {

// Returns one layer per node, in order of execution. The time per run is the median over the runs,
// because the first runs allocate memory and other programs disturb some runs. Nodes with a body
// (If, Loop, Scan) are left out, because the nodes in their bodies are layers themselves. Throws
// InputError if no node ran on the CPU provider, unless options.all_providers is set. For other
// providers, the profile has the times of the calls that launch kernels, not of the kernels.
LayerTrace read_node_profile(ElementReader& reader, const std::string& name,
                             const TraceOptions& options);

}  // namespace ridgewatt::trace
