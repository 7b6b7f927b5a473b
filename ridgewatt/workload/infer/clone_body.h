// Copies the body of a node, so that it can be inferred with other shapes.
#pragma once

#include "ridgewatt/workload/graph.h"

namespace ridgewatt::workload {

// Copies `body`. Weights and tensors of outer graphs are shared, and everything else is new. Nodes
// are named "NAME (SUFFIX)".
Graph clone_body(Model& model, const Graph& body, const std::string& suffix);

// Operators that generate text (BeamSearch, GreedySearch, Sampling) run their decoder once on the
// prompt and then once per token. If the file has one decoder for both, adds a copy as
// "init_decoder".
void separate_first_decoders(Model& model);

}  // namespace ridgewatt::workload
