// What an operator of a PyTorch trace says of its work: "Input Dims", "Input type" and "Concrete
// Inputs" as the layer of an engine that does the same.
#pragma once

#include <optional>

#include "ridgewatt/io/json.h"
#include "ridgewatt/trace/engine_layers.h"

namespace ridgewatt::trace {

// Nothing: the trace was recorded without shapes. Convolutions have an output only where the trace
// has "Concrete Inputs" (stride, padding, dilation).
std::optional<EngineLayer> operator_shape(const std::string& op, const Json& args);

}  // namespace ridgewatt::trace
