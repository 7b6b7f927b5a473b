// Sliding windows of convolutions and poolings.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {

// The attributes of one node, one entry a spatial axis.
struct SlidingWindow {
  std::vector<std::int64_t> kernel, strides, dilations, pads_begin, pads_end;
  bool same = false;       // auto_pad SAME_UPPER or SAME_LOWER: output = ceil(input / stride)
  bool ceil_mode = false;  // poolings: round up
  // Extent of the output along a spatial axis; unknown when the input's is.
  std::int64_t output_extent(const OpContext& context, std::size_t axis, std::int64_t input) const;
};

// Reads kernel_shape (else `kernel`), strides, dilations, pads and auto_pad; fails on lists of the
// wrong length and on values that are not positive.
SlidingWindow read_window(const OpContext& context, std::size_t axes,
                          const std::vector<std::int64_t>& kernel);

}  // namespace ridgewatt::workload
