// Work and traffic of an engine's layer from what the engine alone reports.
#pragma once

#include <optional>
#include <string_view>

#include "ridgewatt/answer/layers.h"

namespace ridgewatt::answer {

// Bits of an element in a format: "Channel major FP16 format where ...", "Half", "c10::BFloat16",
// "long int". 0: not known.
int format_bits(std::string_view format);

// Of a convolution: outputs x filter x input channels / groups; as a product where the layer is
// one. Of a pooling: outputs x window, in operations. Nothing: the layer is of another kind, or an
// extent is not known.
std::optional<LayerWork> engine_work(const trace::EngineLayer& layer);
// Inputs, outputs, weights and bias, each once. Nothing: an extent or a width is not known.
std::optional<double> engine_traffic_bytes(const trace::EngineLayer& layer);
// Of the arithmetic: of the first input, in TF32 where the kernel's name says so.
workload::Precision engine_precision(const trace::EngineLayer& layer);
LayerKind engine_kind(const trace::EngineLayer& layer);
// Nothing: the engine does not tell.
std::optional<workload::OpClass> engine_class(const trace::EngineLayer& layer);
// Elements of the first output; nothing where an extent is not known.
std::optional<double> output_elements(const trace::EngineLayer& layer);

}  // namespace ridgewatt::answer
