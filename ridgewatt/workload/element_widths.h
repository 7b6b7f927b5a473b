// Bits per stored number of a workload. Parameters and activations may differ.
#pragma once

#include "ridgewatt/workload/data_type.h"
#include "ridgewatt/workload/precision.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

struct ElementWidths {
  int parameter_bits = 0;   // of floating-point weights; 0: as in the model file
  int activation_bits = 0;  // of floating-point activations; 0: as in the model file
  // Training also keeps a copy of the parameters and the optimizer's state with this many bits.
  int master_bits = 0;

  // Bits of an element of `type`. Integers (indices and quantized tensors) keep the width of their
  // type.
  int bits(DataType type, bool parameter) const;
};

ElementWidths element_widths(Precision precision, WorkloadKind kind);

// Returns the precision of a floating-point or quantized type; FP32 for any other type.
Precision precision_of(DataType type);

}  // namespace ridgewatt::workload
