// Determines the number of keys that an attention operator of ONNX Runtime uses.
#pragma once

#include <cstdint>

#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload {

struct AttentionLengths {
  std::int64_t keys = 0;     // past and new tokens together; kUnknownDim: unknown
  std::int64_t present = 0;  // tokens in the updated cache
  // True if the cache has space for more tokens than it holds and the used part is unknown. The
  // whole cache was then counted.
  bool whole_cache = false;
};

// For operators of the domain com.microsoft: Attention, MultiHeadAttention, GroupQueryAttention,
// DecoderMaskedSelfAttention, DecoderMaskedMultiHeadAttention.
AttentionLengths attention_lengths(const OpContext& op);

}  // namespace ridgewatt::workload
