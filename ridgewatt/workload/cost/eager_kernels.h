// From operators to the kernels that an eager framework launches.
//
// PyTorch eager runs one operator at a time, unfused. But exporters spell out what it runs as one
// kernel (x sigmoid(x) is SiLU, nine operators are a layer normalization), and launches are what a
// small minibatch consists of: the spelled-out forms are joined again here.
#pragma once

#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Joins, in a cost counted with unfused traffic: SiLU, HardSwish, GELU (erf), LayerNormalization
// and RMS normalization spelled out, forward and backward. A joined kernel has the work of all,
// reads what the first reads, writes what the last writes, and is launched once.
WorkloadCost eager_kernels(const WorkloadCost& unfused);

}  // namespace ridgewatt::workload
