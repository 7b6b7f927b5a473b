// The number of keys that an attention operator of ONNX Runtime uses.
#pragma once

#include <cstdint>

#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {

struct AttentionLengths {
  std::int64_t keys = 0;     // past and new tokens as one quantity; kUnknownDim: unknown
  std::int64_t present = 0;  // of the updated cache
  // The cache has space for more than it holds, and the used part is unknown: all of it was
  // counted.
  bool whole_cache = false;
};

// Of the domain com.microsoft: Attention, MultiHeadAttention, GroupQueryAttention,
// DecoderMaskedSelfAttention, DecoderMaskedMultiHeadAttention.
AttentionLengths attention_lengths(const OpContext& op);

}  // namespace ridgewatt::workload
