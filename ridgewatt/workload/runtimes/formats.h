// Copies between layouts and widths in an engine: convolution kernels need channels last, or packed
// in vectors; inputs and outputs are linear and FP32.
#pragma once

#include "ridgewatt/workload/runtimes/runtime_kernels.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

// According to TensorRT's layer lists (see tensorrt.cc, [engines]):
// * A convolution reads and writes channels last (in INT8: 32 channels side by side), but for the
//   first one in FP32 and INT8, which reads and writes planes.
// * Pooling, resizing and pointwise kernels keep the layout of what they read.
// * Products and all that works on rows read linear tensors, unless the image is one pixel.
// * A copy is made once per tensor and layout, before the first kernel that needs it.
// * A binding in FP32 is narrowed by a copy, unless a quantization reads it, and widened by one,
//   unless an INT8 kernel writes it.
void add_format_copies(const ValueGraph& graph, RuntimeKernels& lowered);

// Copies of a runtime whose convolutions read and write blocks of 16 channels (ONNX Runtime's
// NCHWc): into blocks before a convolution, out of them before what cannot work on blocks.
void add_block_copies(const ValueGraph& graph, RuntimeKernels& lowered);

}  // namespace ridgewatt::workload
