// Copies the body of a node, to infer it with other shapes.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// Weights and outer tensors are shared, everything else is new; nodes are named "NAME (SUFFIX)".
Graph clone_body(Model& model, const Graph& body, const std::string& suffix);

// Operators that generate text (BeamSearch, GreedySearch, Sampling) run their decoder on the prompt
// first and then once for each token. If the file has one decoder for both, adds a copy as
// "init_decoder".
void separate_first_decoders(Model& model);

}  // namespace ridgewatt::workload
