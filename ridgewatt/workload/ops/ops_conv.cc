// Convolutions.
#include <algorithm>

#include "ridgewatt/workload/infer/infer_context.h"
#include "ridgewatt/workload/ops/sliding_window.h"

namespace ridgewatt::workload {
namespace {

// Window of a convolution, or its transpose, of an input with weights [channels, channels,
// kernel...].
SlidingWindow window_of(InferContext& c, const Shape& in, const Shape* weights) {
  if (in.size() < 2)
    c.fail("the input must have rank 2 or more, but has " + std::to_string(in.size()));
  if (weights != nullptr && weights->size() != in.size())
    c.fail("the weights do not have the rank of the input");
  std::vector<std::int64_t> kernel;
  if (weights != nullptr) kernel.assign(weights->begin() + 2, weights->end());
  return read_window(c, in.size() - 2, kernel);
}

// Output shape of a convolution of input `x` with weights `w` [out, in / group, kernel...].
std::optional<Shape> conv_shape(InferContext& c, std::size_t x, std::size_t w,
                                bool channels_last = false) {
  std::optional<Shape> in = c.input(x).shape;
  const Shape* weights = c.shape(w);
  if (!in) return std::nullopt;
  if (channels_last && in->size() > 2) std::rotate(in->begin() + 1, in->end() - 1, in->end());
  const SlidingWindow window = window_of(c, *in, weights);
  const std::size_t axes = in->size() - 2;
  const std::int64_t group = c.node().integer("group", 1);
  if (group < 1) c.fail("the attribute group must be 1 or more, but is " + std::to_string(group));
  if (weights != nullptr) {
    const std::int64_t channels = multiply_extents((*weights)[1], group);
    if (channels != kUnknownDim && (*in)[1] != kUnknownDim && channels != (*in)[1]) {
      c.fail("the weights are for " + std::to_string(channels) + " channels, but the input has " +
             std::to_string((*in)[1]));
    }
  }
  Shape out = {(*in)[0], weights != nullptr ? (*weights)[0] : kUnknownDim};
  for (std::size_t i = 0; i < axes; ++i) out.push_back(window.output_extent(c, i, (*in)[i + 2]));
  if (channels_last && axes > 0) std::rotate(out.begin() + 1, out.begin() + 2, out.end());
  return out;
}

void conv(InferContext& c) {
  c.set(0, c.dtype(0), conv_shape(c, 0, 1));
}
void conv_integer(InferContext& c) {
  c.set(0, DataType::kInt32, conv_shape(c, 0, 1));
}
void qlinear_conv(InferContext& c) {
  c.set(0, c.dtype(7), conv_shape(c, 0, 3, c.node().integer("channels_last", 0) != 0));
}
void nhwc_conv(InferContext& c) {
  c.set(0, c.dtype(0), conv_shape(c, 0, 1, true));
}

void conv_transpose(InferContext& c) {
  const Shape* in = c.shape(0);
  const Shape* weights = c.shape(1);
  if (in == nullptr) return c.set(0, c.dtype(0));
  const SlidingWindow window = window_of(c, *in, weights);
  const std::size_t axes = in->size() - 2;
  const auto* output_shape = c.node().integers("output_shape");
  const auto* output_padding = c.node().integers("output_padding");
  if (output_shape != nullptr && output_shape->size() < axes)
    c.fail("output_shape has fewer values than the input has spatial axes");
  if (output_padding != nullptr && output_padding->size() < axes)
    c.fail("output_padding has fewer values than the input has spatial axes");
  Shape out = {(*in)[0], weights != nullptr
                             ? multiply_extents((*weights)[1], c.node().integer("group", 1))
                             : kUnknownDim};
  for (std::size_t i = 0; i < axes; ++i) {
    if (output_shape != nullptr) {
      out.push_back((*output_shape)[output_shape->size() - axes + i]);
      continue;
    }
    const std::int64_t extent = (*in)[i + 2];
    if (extent == kUnknownDim || window.kernel[i] == kUnknownDim) {
      out.push_back(kUnknownDim);
    } else if (window.same) {
      out.push_back(multiply_extents(extent, window.strides[i]));
    } else {
      const std::int64_t extra = output_padding != nullptr ? (*output_padding)[i] : 0;
      if (extra < 0 || extra > kMaxElements)
        c.fail("a value of output_padding is negative or too large");
      const std::int64_t span = (window.kernel[i] - 1) * window.dilations[i] + 1;
      const std::int64_t size =
          multiply_extents(window.strides[i], extent - 1 < 0 ? 0 : extent - 1) + extra + span -
          window.pads_begin[i] - window.pads_end[i];
      if (size < 0) c.fail("the pads remove more elements than the input has");
      out.push_back(size);
    }
  }
  c.set(0, c.dtype(0), std::move(out));
}

void deform_conv(InferContext& c) {
  c.set(0, c.dtype(0), conv_shape(c, 0, 1));
}

// input [N, C, L...], weight [C, 1, K]: output like the input, state [N, C, K - 1].
void causal_conv(InferContext& c) {
  same_as_input(c);
  const Shape* in = c.shape(0);
  const Shape* weights = c.shape(1);
  std::optional<Shape> state;
  if (in != nullptr && weights != nullptr && in->size() >= 3 && weights->size() >= 3) {
    state = Shape{(*in)[0], (*in)[1]};
    for (std::size_t i = 2; i < weights->size(); ++i) {
      state->push_back((*weights)[i] == kUnknownDim ? kUnknownDim : (*weights)[i] - 1);
    }
  }
  c.set(1, c.dtype(0), std::move(state));
}

constexpr OpEntry kConvOps[] = {
    {.name = "Conv", .shape = conv},
    {.name = "FusedConv", .domain = "com.microsoft", .shape = conv},
    {.name = "NhwcConv", .domain = "com.microsoft", .shape = nhwc_conv},
    {.name = "NhwcFusedConv", .domain = "com.microsoft", .shape = nhwc_conv},
    {.name = "QLinearConv", .domain = "com.microsoft", .shape = qlinear_conv},
    {.name = "ConvTranspose", .shape = conv_transpose},
    {.name = "ConvInteger", .shape = conv_integer},
    {.name = "QLinearConv", .shape = qlinear_conv},
    {.name = "DeformConv", .shape = deform_conv},
    {.name = "CausalConvWithState", .shape = causal_conv},
};

}  // namespace

std::span<const OpEntry> conv_ops() {
  return kConvOps;
}

}  // namespace ridgewatt::workload
