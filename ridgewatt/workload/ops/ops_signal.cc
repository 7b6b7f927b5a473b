// Fourier transforms.
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

// input [batch, signal..., 1 or 2]. The transformed axis has length dft_length, or half of it if
// one-sided. The last axis becomes complex, or real for the inverse of a one-sided spectrum.
void dft(InferContext& c) {
  const Shape* shape = c.shape(0);
  if (shape == nullptr) return c.set(0, c.dtype(0));
  if (shape->size() < 2)
    c.fail("the input must have rank 2 or more, but has " + std::to_string(shape->size()));
  std::optional<std::int64_t> axis = c.node().integer("axis", c.opset() < 20 ? 1 : -2);
  if (c.has_input(2)) axis = c.known_int(2);
  const bool one_sided = c.node().integer("onesided", 0) != 0;
  const bool inverse = c.node().integer("inverse", 0) != 0;
  Shape out = *shape;
  out.back() = one_sided && inverse ? 1 : 2;
  if (!axis) {
    for (std::size_t i = 1; i + 1 < out.size(); ++i) out[i] = kUnknownDim;
    return c.set(0, c.dtype(0), std::move(out));
  }
  std::int64_t& extent = out[c.axis(*axis, out.size())];
  if (c.has_input(1)) {
    extent = c.known_int(1).value_or(kUnknownDim);
  } else if (one_sided && inverse && extent != kUnknownDim) {
    extent = 2 * (extent - 1);
  }
  if (one_sided && !inverse && extent != kUnknownDim) extent = extent / 2 + 1;
  c.set(0, c.dtype(0), std::move(out));
}

// signal [batch, length, 1 or 2]: output [batch, frames, bins, 2].
void stft(InferContext& c) {
  const Shape* signal = c.shape(0);
  const auto step = c.known_int(1);
  std::int64_t frame = kUnknownDim;
  if (c.has_input(3)) {
    frame = c.known_int(3).value_or(kUnknownDim);
  } else if (c.shape(2) != nullptr && c.shape(2)->size() == 1) {
    frame = (*c.shape(2))[0];
  }
  const bool one_sided = c.node().integer("onesided", 1) != 0;
  std::int64_t frames = kUnknownDim;
  if (signal != nullptr && signal->size() >= 2 && (*signal)[1] != kUnknownDim && step &&
      *step > 0 && frame > 0 && frame <= (*signal)[1]) {
    frames = ((*signal)[1] - frame) / *step + 1;
  }
  const std::int64_t bins = frame < 0 ? kUnknownDim : one_sided ? frame / 2 + 1 : frame;
  c.set(0, c.dtype(0),
        Shape{signal != nullptr && !signal->empty() ? (*signal)[0] : kUnknownDim, frames, bins, 2});
}

constexpr OpEntry kSignalOps[] = {
    {.name = "DFT", .shape = dft},
    {.name = "STFT", .shape = stft},
};

}  // namespace

std::span<const OpEntry> signal_ops() {
  return kSignalOps;
}

}  // namespace ridgewatt::workload
