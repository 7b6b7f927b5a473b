// Sliding windows of convolutions and poolings.
#pragma once

#include <cstdint>
#include <vector>

#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {

// The window attributes of a node, with one entry per spatial axis.
struct SlidingWindow {
  std::vector<std::int64_t> kernel, strides, dilations, pads_begin, pads_end;
  bool same = false;       // auto_pad SAME_UPPER or SAME_LOWER: output = ceil(input / stride)
  bool ceil_mode = false;  // for poolings: round up
  // Extent of the output along a spatial axis; unknown if the extent of the input is unknown.
  std::int64_t output_extent(const OpContext& context, std::size_t axis, std::int64_t input) const;
};

// Reads kernel_shape (or else uses `kernel`), strides, dilations, pads and auto_pad. Throws
// InputError for lists of the wrong length and values out of range.
SlidingWindow read_window(const OpContext& context, std::size_t axes,
                          const std::vector<std::int64_t>& kernel);

}  // namespace ridgewatt::workload
