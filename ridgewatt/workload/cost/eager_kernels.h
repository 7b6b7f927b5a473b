// Combines operators into the kernels that PyTorch launches in eager mode.
//
// PyTorch in eager mode runs one operator at a time, unfused. Exporters, however, expand operations
// that it runs as one kernel: x sigmoid(x) is SiLU, and a layer normalization becomes nine
// operators. Launches dominate the time of small minibatches, so the expanded forms are combined
// again.
#pragma once

#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Combines expanded activations, LayerNormalization and RMS normalization, forward and backward.
// `unfused` must have unfused traffic. A combined kernel has the work of all parts, reads the input
// of the first, writes the output of the last, and is launched once.
WorkloadCost eager_kernels(const WorkloadCost& unfused);

// Throws NotSupportedError: training is modelled only in eager mode on a GPU.
[[noreturn]] void refuse_training(Runtime runtime);

}  // namespace ridgewatt::workload
