// The number of bits in which a workload stores its numbers. Parameters and activations may differ.
#pragma once

#include "ridgewatt/workload/data_type.h"
#include "ridgewatt/workload/precision.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

struct ElementWidths {
  int parameter_bits = 0;   // of floating-point weights; 0: as the model stores them
  int activation_bits = 0;  // of floating-point activations; 0: as the model stores them
  // Training keeps an additional copy of the parameters and the optimizer's state in this many
  // bits.
  int master_bits = 0;

  // Bits of an element of `type`. Integers keep their type: indices and quantized tensors.
  int bits(DataType type, bool parameter) const;
};

ElementWidths element_widths(Precision precision, WorkloadKind kind);

// The precision of a floating-point or quantized type; anything else counts as FP32.
Precision precision_of(DataType type);

}  // namespace ridgewatt::workload
