// Derives the shapes of a PyTorch operator from its trace entry ("Input Dims", "Input type" and
// "Concrete Inputs"), in the form of an equivalent engine layer.
#pragma once

#include <optional>

#include "ridgewatt/io/json.h"
#include "ridgewatt/trace/engine_layers.h"

namespace ridgewatt::trace {

// Returns empty if the trace was recorded without shapes. A convolution has an output only if the
// trace contains "Concrete Inputs" (stride, padding, dilation).
std::optional<EngineLayer> operator_shape(const std::string& op, const Json& args);

}  // namespace ridgewatt::trace
