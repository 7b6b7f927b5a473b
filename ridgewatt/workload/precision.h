// In how many bits a workload computes. Parameters and activations may differ.
#pragma once

#include <string>
#include <string_view>

#include "ridgewatt/workload/graph.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt {

struct ElementWidths {
  std::string name = "stored";
  int parameter_bits = 0;   // of floating-point weights; 0: as the model stores them
  int activation_bits = 0;  // of floating-point activations; 0: as the model stores them
  // Training keeps a copy of the parameters and the optimizer's state in this many bits besides.
  int master_bits = 0;

  // Bits of an element of `type`. Integers keep their type: indices and quantized tensors.
  int bits(DataType type, bool parameter) const;
};

// "stored", "fp32", "fp16", "bf16", "int8" or "mixed". Mixed is what is common for the kind of
// workload: INT8 weights and FP16 activations for inference; FP16 with FP32 master weights and
// optimizer state for training (Micikevicius et al., 2018). Throws UsageError.
ElementWidths parse_precision(std::string_view name, WorkloadKind kind);

// The precision that "stored" means for this model: the type of most of its parameters.
std::string stored_precision_name(DataType parameters);

}  // namespace ridgewatt
