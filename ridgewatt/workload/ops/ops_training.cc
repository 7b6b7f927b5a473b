// Optimizers and gradients: domain ai.onnx.preview.training.
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

constexpr std::string_view kTraining = "ai.onnx.preview.training";

// The inputs are R, T, then n parameters, n gradients and n of each state. The outputs are the n
// new parameters and the new states. `states`: number of state tensors per parameter.
template <std::size_t states>
void optimizer(InferContext& c) {
  const std::size_t tensors = c.input_count() > 2 ? c.input_count() - 2 : 0;
  if (tensors == 0 || tensors % (2 + states) != 0)
    c.fail("the number of inputs does not fit the optimizer's tensors per parameter");
  const std::size_t count = tensors / (2 + states);
  for (std::size_t i = 0; i < c.output_count(); ++i) {
    // Gradients, the second group of inputs, have no output.
    const std::size_t from = 2 + (i < count ? i : i + count);
    if (from < c.input_count()) c.set(i, c.dtype(from), c.input(from).shape);
  }
}

// One gradient for each tensor that "xs" names. These tensors are the first inputs.
void gradient(InferContext& c) {
  for (std::size_t i = 0; i < c.output_count() && i < c.input_count(); ++i) {
    c.set(i, c.dtype(i), c.input(i).shape);
  }
}

constexpr OpEntry kTrainingOps[] = {
    {.name = "Adagrad", .domain = kTraining, .shape = optimizer<1>},
    {.name = "Adam", .domain = kTraining, .shape = optimizer<2>},
    {.name = "Momentum", .domain = kTraining, .shape = optimizer<1>},
    {.name = "Gradient", .domain = kTraining, .shape = gradient},
};

}  // namespace

std::span<const OpEntry> training_ops() {
  return kTrainingOps;
}

}  // namespace ridgewatt::workload
