// Attention and related operators.
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

std::int64_t divide(std::int64_t extent, std::int64_t parts) {
  return extent == kUnknownDim || parts < 1 ? kUnknownDim : extent / parts;
}

// Q [N, heads, L, E] or [N, L, heads x E]; K and V have kv_heads instead; past [N, kv_heads, P, E].
// Outputs: Y like Q with V's head size, present key and value, scores [N, heads, L, P + S].
void attention(InferContext& c) {
  const Shape* q = c.shape(0);
  const Shape* k = c.shape(1);
  const Shape* v = c.shape(2);
  const DataType type = c.dtype(0);
  if (q == nullptr) return c.set(0, type);
  if (q->size() != 3 && q->size() != 4)
    c.fail("input Q must have rank 3 or 4, but has " + std::to_string(q->size()));
  const bool split = q->size() == 4;
  const std::int64_t heads = split ? (*q)[1] : c.node().integer("q_num_heads", kUnknownDim);
  const std::int64_t kv_heads =
      split ? extent_of(k, 1) : c.node().integer("kv_num_heads", kUnknownDim);
  const std::int64_t length = (*q)[split ? 2 : 1];
  const std::int64_t keys = extent_of(k, split ? 2 : 1);
  const std::int64_t key_size = split ? extent_of(k, 3) : divide(extent_of(k, 2), kv_heads);
  const std::int64_t value_size = split ? extent_of(v, 3) : divide(extent_of(v, 2), kv_heads);
  if (split) {
    c.set(0, type, Shape{(*q)[0], heads, length, value_size});
  } else {
    c.set(0, type, Shape{(*q)[0], length, multiply_extents(heads, value_size)});
  }
  const std::int64_t past = c.has_input(4) ? extent_of(c.shape(4), 2) : 0;
  const std::int64_t total = add_extents(past, keys);
  c.set(1, c.dtype(1), Shape{(*q)[0], kv_heads, total, key_size});
  c.set(2, c.dtype(2), Shape{(*q)[0], kv_heads, total, value_size});
  c.set(3, type, Shape{(*q)[0], heads, length, total});
}

// query, key [N, T, heads x K], value [N, T, kv_heads x V]: output [N, T, q_heads x V] and state
// [N, kv_heads, K, V].
void linear_attention(InferContext& c) {
  const Shape* q = c.shape(0);
  const Shape* k = c.shape(1);
  const Shape* v = c.shape(2);
  const std::int64_t heads = c.node().integer("q_num_heads", kUnknownDim);
  const std::int64_t kv_heads = c.node().integer("kv_num_heads", kUnknownDim);
  const std::int64_t key_size = divide(extent_of(k, 2), kv_heads);
  const std::int64_t value_size = divide(extent_of(v, 2), kv_heads);
  c.set(0, c.dtype(0),
        Shape{extent_of(q, 0), extent_of(q, 1), multiply_extents(heads, value_size)});
  const DataType state_type = c.has_input(3) ? c.dtype(3) : c.dtype(0);
  c.set(1, state_type, Shape{extent_of(q, 0), kv_heads, key_size, value_size});
}

// Q [N, heads, L, E], V [N, kv_heads, S, F]. The modifiers are bodies on scalars.
void flex_attention(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  if (shape && shape->size() == 4) shape->back() = extent_of(c.shape(2), 3);
  c.set(0, c.dtype(0), std::move(shape));
  for (Graph& body : c.mutable_node().subgraphs) {
    for (const TensorId input : body.inputs) {
      const auto& declared = c.model().tensors[static_cast<std::size_t>(input)].declared;
      if (declared) c.value(input) = *declared;
    }
    c.run(body);
  }
}

constexpr OpEntry kAttentionOps[] = {
    {.name = "Attention", .shape = attention},
    {.name = "LinearAttention", .shape = linear_attention},
    {.name = "FlexAttention", .domain = "ai.onnx.preview", .shape = flex_attention},
    {.name = "RotaryEmbedding", .shape = same_as_input},
};

}  // namespace

std::span<const OpEntry> attention_ops() {
  return kAttentionOps;
}

}  // namespace ridgewatt::workload
