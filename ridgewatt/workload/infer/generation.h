// Recognizes operators that generate text with a decoder in their body: BeamSearch, GreedySearch,
// Sampling and WhisperBeamSearch of the domain com.microsoft.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

bool generates_text(const Node& node);

}  // namespace ridgewatt::workload
