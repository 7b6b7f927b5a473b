// Recurrent layers.
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

// X [T, N, I] (or [N, T, I] with layout 1), R [D, gates x H, H]: Y [T, D, N, H], Y_h and Y_c
// [D, N, H]; with layout 1 [N, T, D, H] and [N, D, H].
void recurrent(InferContext& c) {
  const Shape* x = c.shape(0);
  const Shape* r = c.shape(2);
  if (x != nullptr && x->size() != 3)
    c.fail("the input must have rank 3, but has " + std::to_string(x->size()));
  const bool batch_first = c.node().integer("layout", 0) != 0;
  const std::int64_t directions = c.node().text("direction", "forward") == "bidirectional" ? 2 : 1;
  std::int64_t hidden = c.node().integer("hidden_size", kUnknownDim);
  if (hidden == kUnknownDim && r != nullptr && r->size() == 3) hidden = (*r)[2];
  const std::int64_t steps = x != nullptr ? (*x)[batch_first ? 1 : 0] : kUnknownDim;
  const std::int64_t batch = x != nullptr ? (*x)[batch_first ? 0 : 1] : kUnknownDim;
  for (const std::size_t state : {std::size_t{5}, std::size_t{6}}) {
    const Shape* shape = c.shape(state);
    if (shape == nullptr || shape->size() != 3) continue;
    const std::int64_t samples = (*shape)[batch_first ? 0 : 1];
    if (samples != batch && samples != kUnknownDim && batch != kUnknownDim) {
      c.fail("the initial state has " + std::to_string(samples) + " samples, but the input has " +
             std::to_string(batch));
    }
  }
  const DataType type = c.dtype(0);
  if (batch_first) {
    c.set(0, type, Shape{batch, steps, directions, hidden});
    c.set(1, type, Shape{batch, directions, hidden});
    c.set(2, type, Shape{batch, directions, hidden});
  } else {
    c.set(0, type, Shape{steps, directions, batch, hidden});
    c.set(1, type, Shape{directions, batch, hidden});
    c.set(2, type, Shape{directions, batch, hidden});
  }
}

constexpr OpEntry kRecurrentOps[] = {
    {.name = "LSTM", .shape = recurrent},
    {.name = "GRU", .shape = recurrent},
    {.name = "RNN", .shape = recurrent},
};

}  // namespace

std::span<const OpEntry> recurrent_ops() {
  return kRecurrentOps;
}

}  // namespace ridgewatt::workload
