#include "ridgewatt/workload/ops/sliding_window.h"

#include <algorithm>

namespace ridgewatt::workload {
namespace {

// Maximum value of a window's attribute.
constexpr std::int64_t kLargest = std::int64_t{1} << 24;

std::vector<std::int64_t> read_list(const OpContext& context, std::string_view name,
                                    std::size_t count, std::int64_t fallback, std::int64_t least) {
  const auto* given = context.node().integers(name);
  if (given == nullptr || given->empty()) return std::vector<std::int64_t>(count, fallback);
  if (given->size() != count)
    context.fail(std::string(name) + " must have one value per spatial axis (pads: two values)");
  for (const std::int64_t value : *given) {
    if (value < least || value > kLargest) {
      context.fail(std::string(name) + " has the invalid value " + std::to_string(value));
    }
  }
  return *given;
}

}  // namespace

SlidingWindow read_window(const OpContext& context, std::size_t axes,
                          const std::vector<std::int64_t>& kernel) {
  SlidingWindow window;
  window.kernel = kernel.empty() || context.node().find("kernel_shape") != nullptr
                      ? read_list(context, "kernel_shape", axes, kUnknownDim, 1)
                      : kernel;
  if (window.kernel.size() != axes)
    context.fail("kernel_shape must have one value per spatial axis");
  window.strides = read_list(context, "strides", axes, 1, 1);
  window.dilations = read_list(context, "dilations", axes, 1, 1);
  const auto pads = read_list(context, "pads", 2 * axes, 0, -kLargest);
  window.pads_begin.assign(pads.begin(), pads.begin() + static_cast<std::ptrdiff_t>(axes));
  window.pads_end.assign(pads.begin() + static_cast<std::ptrdiff_t>(axes), pads.end());
  const std::string_view auto_pad = context.node().text("auto_pad", "NOTSET");
  window.same = auto_pad == "SAME_UPPER" || auto_pad == "SAME_LOWER";
  if (auto_pad == "VALID") {
    std::fill(window.pads_begin.begin(), window.pads_begin.end(), 0);
    std::fill(window.pads_end.begin(), window.pads_end.end(), 0);
  }
  window.ceil_mode = context.node().integer("ceil_mode", 0) != 0;
  return window;
}

std::int64_t SlidingWindow::output_extent(const OpContext& context, std::size_t axis,
                                          std::int64_t input) const {
  if (input == kUnknownDim) return kUnknownDim;
  const std::int64_t stride = strides[axis];
  if (same) return (input + stride - 1) / stride;
  if (kernel[axis] == kUnknownDim) return kUnknownDim;
  const std::int64_t span = (kernel[axis] - 1) * dilations[axis] + 1;
  const std::int64_t padded = input + pads_begin[axis] + pads_end[axis];
  if (padded < span) {
    context.fail("a kernel window of " + std::to_string(span) + " does not fit into " +
                 std::to_string(padded) + " elements");
  }
  std::int64_t extent = (padded - span) / stride + 1;
  if (ceil_mode && (padded - span) % stride != 0) {
    // A window that would start in the padding at the end is omitted.
    if (extent * stride < input + pads_begin[axis]) ++extent;
  }
  return extent;
}

}  // namespace ridgewatt::workload
