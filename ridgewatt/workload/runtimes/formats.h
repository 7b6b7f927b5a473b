// Adds the copies of an engine between memory layouts and number widths. Convolution kernels need
// channels-last layout, or channels packed in vectors; the engine's inputs and outputs are linear
// and FP32.
#pragma once

#include "ridgewatt/workload/runtimes/runtime_kernels.h"
#include "ridgewatt/workload/runtimes/value_graph.h"

namespace ridgewatt::workload {

// Adds copies according to TensorRT's layer lists (see tensorrt.cc, [engines]):
// * A convolution reads and writes channels-last (in INT8: 32 adjacent channels). In FP32 and INT8,
//   the first convolution reads and writes planes instead.
// * Pooling, resizing and pointwise kernels keep the layout of their input.
// * Matrix products and other work on rows read linear tensors, unless the image is one pixel.
// * One copy per tensor and layout is made, before the first kernel that needs it.
// * A copy narrows an FP32 input of the engine, unless a quantization reads it. A copy widens an
//   output to FP32, unless an INT8 kernel writes it.
void add_format_copies(const ValueGraph& graph, RuntimeKernels& lowered);

// Adds the copies of a runtime whose convolutions read and write blocks of 16 channels (ONNX
// Runtime's NCHWc): into blocks before a convolution, and out of blocks before a kernel that cannot
// use them.
void add_block_copies(const ValueGraph& graph, RuntimeKernels& lowered);

}  // namespace ridgewatt::workload
