// How many keys an attention operator of ONNX Runtime looks back on.
#pragma once

#include <cstdint>

#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {

struct AttentionLengths {
  std::int64_t keys = 0;     // past and new tokens, one quantity; kUnknownDim: not known
  std::int64_t present = 0;  // of the cache that is handed on
  // A cache with room for more than it holds, of which nobody says how much that is: all of it was
  // counted.
  bool whole_cache = false;
};

// Of the domain com.microsoft: Attention, MultiHeadAttention, GroupQueryAttention,
// DecoderMaskedSelfAttention, DecoderMaskedMultiHeadAttention.
AttentionLengths attention_lengths(const OpContext& op);

}  // namespace ridgewatt::workload
