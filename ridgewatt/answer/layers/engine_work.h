// Work and traffic of an engine's layer, from information of the engine alone.
#pragma once

#include <optional>
#include <string_view>

#include "ridgewatt/answer/layers.h"

namespace ridgewatt::answer {

// Returns the bits per element of a format such as "Channel major FP16 format where ...", "Half",
// "c10::BFloat16" or "long int". 0: unknown.
int format_bits(std::string_view format);

// Returns the work of a layer. A convolution has outputs x filter x input channels / groups
// multiply-accumulates, a matrix product as many as its sums require, and a pooling outputs x
// window operations. Absent for other kinds of layers, or if an extent is unknown.
std::optional<LayerWork> engine_work(const trace::EngineLayer& layer);
// Returns the bytes of inputs, outputs, weights and bias, each once. Absent if an extent or the
// size of an element is unknown.
std::optional<double> engine_traffic_bytes(const trace::EngineLayer& layer);
// Returns the precision of the arithmetic: TF32 if the name of the kernel contains this word,
// otherwise the precision of the first input.
workload::Precision engine_precision(const trace::EngineLayer& layer);
LayerKind engine_kind(const trace::EngineLayer& layer);
// Returns the class of a layer; absent if the engine does not state it.
std::optional<workload::OpClass> engine_class(const trace::EngineLayer& layer);
// Returns the number of elements of the first output; absent if an extent is unknown.
std::optional<double> output_elements(const trace::EngineLayer& layer);

}  // namespace ridgewatt::answer
