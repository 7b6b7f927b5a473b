// Normalizations, softmax and losses.
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

// Y, then running or saved mean and variance, with one value per channel.
void batch_normalization(InferContext& c) {
  same_as_input(c);
  std::optional<Shape> channels;
  for (std::size_t i = 1; i < c.input_count() && !channels; ++i) {
    if (c.shape(i) != nullptr) channels = *c.shape(i);
  }
  for (std::size_t i = 1; i < c.output_count(); ++i) {
    const DataType type = c.has_input(i + 2) ? c.dtype(i + 2) : c.dtype(0);
    c.set(i, type, channels);
  }
}

// Y, then mean and inverse deviation with extent 1 on the normalized axes, in the type stash_type.
void layer_normalization(InferContext& c) {
  same_as_input(c);
  std::optional<Shape> statistics = c.input(0).shape;
  if (statistics && !statistics->empty()) {
    const std::size_t axis = c.axis(c.node().integer("axis", -1), statistics->size());
    for (std::size_t i = axis; i < statistics->size(); ++i) (*statistics)[i] = 1;
  }
  const auto type = data_type_from_number(c.node().integer("stash_type", 1));
  if (!type) c.fail("the value of stash_type is unknown");
  c.set(1, *type, statistics);
  c.set(2, *type, statistics);
}

void softmax_cross_entropy(InferContext& c) {
  const bool each = c.node().text("reduction", "mean") == "none";
  c.set(0, c.dtype(0), each ? c.input(1).shape : Shape{});
  c.set(1, c.dtype(0), c.input(0).shape);  // log probabilities
}

void negative_log_likelihood(InferContext& c) {
  const bool each = c.node().text("reduction", "mean") == "none";
  c.set(0, c.dtype(0), each ? c.input(1).shape : Shape{});
}

constexpr OpEntry kNormOps[] = {
    {.name = "BatchNormalization", .shape = batch_normalization},
    {.name = "LayerNormalization", .shape = layer_normalization},
    // Written by ONNX Runtime's optimizer in the standard domain.
    {.name = "SimplifiedLayerNormalization", .shape = layer_normalization},
    {.name = "GroupNormalization", .shape = same_as_input},
    {.name = "InstanceNormalization", .shape = same_as_input},
    {.name = "RMSNormalization", .shape = same_as_input},
    {.name = "MeanVarianceNormalization", .shape = same_as_input},
    {.name = "LpNormalization", .shape = same_as_input},
    {.name = "LRN", .shape = same_as_input},
    {.name = "Softmax", .shape = same_as_input},
    {.name = "LogSoftmax", .shape = same_as_input},
    {.name = "Hardmax", .shape = same_as_input},
    {.name = "SoftmaxCrossEntropyLoss", .shape = softmax_cross_entropy},
    {.name = "NegativeLogLikelihoodLoss", .shape = negative_log_likelihood},
};

}  // namespace

std::span<const OpEntry> norm_ops() {
  return kNormOps;
}

}  // namespace ridgewatt::workload
