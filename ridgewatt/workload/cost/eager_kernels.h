// Combines operators into the kernels that an eager framework launches.
//
// PyTorch eager runs one operator at a time, unfused. But exporters expand operations that it runs
// as one kernel (x sigmoid(x) is SiLU, nine operators are a layer normalization), and launches
// dominate small minibatches: the expanded forms are combined again here.
#pragma once

#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Combines, in a cost with unfused traffic: SiLU, HardSwish, GELU (erf), expanded
// LayerNormalization and RMS normalization, forward and backward. A combined kernel has the work of
// all parts, the input of the first, the output of the last, and one launch.
WorkloadCost eager_kernels(const WorkloadCost& unfused);

}  // namespace ridgewatt::workload
