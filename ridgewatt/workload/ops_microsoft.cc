// Operators of ONNX Runtime: domain com.microsoft, what its optimiser and quantiser write.
#include "ridgewatt/workload/infer_context.h"
#include "ridgewatt/workload/matmul_shape.h"

namespace ridgewatt {
namespace {

constexpr std::string_view kMs = "com.microsoft";

void fused_matmul(InferContext& c) {
  std::optional<Shape> a = c.input(0).shape;
  std::optional<Shape> b = c.input(1).shape;
  if (a && a->size() > 1 && c.node().integer("transA", 0) != 0) {
    std::swap((*a)[a->size() - 1], (*a)[a->size() - 2]);
  }
  if (b && b->size() > 1 && c.node().integer("transB", 0) != 0) {
    std::swap((*b)[b->size() - 1], (*b)[b->size() - 2]);
  }
  c.set(0, c.dtype(0), matmul_shape(c, a ? &*a : nullptr, b ? &*b : nullptr));
}

// A [..., K] by packed weights [N, K / block, ...].
void matmul_n_bits(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  if (shape && !shape->empty()) shape->back() = c.node().integer("N", kUnknownDim);
  c.set(0, c.dtype(0), std::move(shape));
}

void matmul_integer_to_float(InferContext& c) {
  c.set(0, c.dtype(2), matmul_shape(c, c.shape(0), c.shape(1)));
}
void dynamic_quantize_matmul(InferContext& c) {
  c.set(0, DataType::kFloat, matmul_shape(c, c.shape(0), c.shape(1)));
}

void fused_gemm(InferContext& c) {
  const Shape* a = c.shape(0);
  const Shape* b = c.shape(1);
  c.set(0, c.dtype(0),
        Shape{extent_of(a, c.node().integer("transA", 0) != 0 ? 1 : 0),
              extent_of(b, c.node().integer("transB", 0) != 0 ? 0 : 1)});
}

// (A, scale, zero) (B, scale, zero) C (scale, zero): integers when the result has a zero point.
void quantized_gemm(InferContext& c) {
  const bool swap_a = c.node().integer("transA", 0) != 0;
  const bool swap_b = c.node().integer("transB", 0) != 0;
  c.set(0, c.has_input(8) ? c.dtype(8) : DataType::kFloat,
        Shape{extent_of(c.shape(0), swap_a ? 1 : 0), extent_of(c.shape(3), swap_b ? 0 : 1)});
}

// input [N, L, D], weights [D, 3 x hidden]: [N, L, hidden], present [2, N, heads, P + L, head].
void packed_attention(InferContext& c) {
  const Shape* x = c.shape(0);
  const std::int64_t weights = extent_of(c.shape(1), 1);
  std::int64_t hidden = weights == kUnknownDim ? kUnknownDim : weights / 3;
  if (const auto* sizes = c.node().integers("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    hidden = (*sizes)[2];
  }
  c.set(0, c.dtype(0), Shape{extent_of(x, 0), extent_of(x, 1), hidden});
  const std::int64_t heads = c.node().integer("num_heads", kUnknownDim);
  const std::int64_t past = c.has_input(4) ? extent_of(c.shape(4), 3) : 0;
  const std::int64_t head = hidden == kUnknownDim || heads < 1 ? kUnknownDim : hidden / heads;
  c.set(1, c.dtype(0), Shape{2, extent_of(x, 0), heads, add_extents(past, extent_of(x, 1)), head});
}

// query [N, L, hidden], key [N, S, hidden], value [N, S, hidden v].
void multi_head_attention(InferContext& c) {
  const Shape* q = c.shape(0);
  const Shape* k = c.shape(1);
  const Shape* v = c.shape(2);
  const std::int64_t heads = c.node().integer("num_heads", kUnknownDim);
  std::int64_t length = extent_of(q, 1);
  std::int64_t hidden = v != nullptr && v->size() == 3 ? (*v)[2] : extent_of(q, 2);
  std::int64_t keys = extent_of(k, k != nullptr && k->size() == 4 ? 2 : 1);
  if (q != nullptr && q->size() == 5) {  // packed [N, L, heads, 3, head]
    hidden = multiply_extents((*q)[2], (*q)[4]);
    keys = length;
  } else if (v != nullptr && v->size() == 4) {
    hidden = multiply_extents((*v)[1], (*v)[3]);
  }
  c.set(0, c.dtype(0), Shape{extent_of(q, 0), length, hidden});
  const std::int64_t past = c.has_input(6) ? extent_of(c.shape(6), 2) : 0;
  const std::int64_t head = hidden == kUnknownDim || heads < 1 ? kUnknownDim : hidden / heads;
  const Shape present = {extent_of(q, 0), heads, add_extents(past, keys), head};
  c.set(1, c.dtype(0), present);
  c.set(2, c.dtype(0), present);
}

// query [N, L, heads x head] (or packed with key and value behind it), past [N, kv, P, head]. The
// present cache is as long as past and new tokens together, or the cache's buffer.
void group_query_attention(InferContext& c) {
  const Shape* q = c.shape(0);
  const std::int64_t heads = c.node().integer("num_heads", kUnknownDim);
  const std::int64_t kv_heads = c.node().integer("kv_num_heads", kUnknownDim);
  const bool packed = !c.has_input(1);
  std::int64_t hidden = extent_of(q, 2);
  std::int64_t head = kUnknownDim;
  if (hidden != kUnknownDim && heads > 0 && kv_heads > 0 && heads < (1 << 20) &&
      kv_heads < (1 << 20)) {
    head = hidden / (packed ? heads + 2 * kv_heads : heads);
    if (packed) hidden = multiply_extents(heads, head);
  }
  c.set(0, c.dtype(0), Shape{extent_of(q, 0), extent_of(q, 1), hidden});
  std::int64_t total = c.known_int(6).value_or(kUnknownDim);
  if (total == kUnknownDim) {
    total = add_extents(c.has_input(3) ? extent_of(c.shape(3), 2) : 0, extent_of(q, 1));
  }
  if (total < 0) total = kUnknownDim;
  const Shape present = {extent_of(q, 0), kv_heads, total, head};
  c.set(1, c.dtype(0), present);
  c.set(2, c.dtype(0), present);
}

// Y, mean, inverse deviation, and the sum that was normalised.
void skip_normalization(InferContext& c) {
  same_as_input(c);
  std::optional<Shape> statistics = c.input(0).shape;
  if (statistics && !statistics->empty()) statistics->back() = 1;
  c.set(1, DataType::kFloat, statistics);
  c.set(2, DataType::kFloat, statistics);
  c.set(3, c.dtype(0), c.input(0).shape);
}

// input_ids [N, L], word embeddings [vocabulary, hidden].
void embed_normalization(InferContext& c) {
  const Shape* ids = c.shape(0);
  const Shape* table = c.shape(2);
  const Shape out = {extent_of(ids, 0), extent_of(ids, 1), extent_of(table, 1)};
  c.set(0, c.dtype(2), out);
  c.set(1, DataType::kInt32, Shape{extent_of(ids, 0)});
  c.set(2, c.dtype(2), out);
}

void bias_split_gelu(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  if (shape && !shape->empty() && shape->back() != kUnknownDim) shape->back() /= 2;
  c.set(0, c.dtype(0), std::move(shape));
}

// Inputs come as (A, scale, zero) (B, scale, zero) (scale, zero).
void qlinear_binary(InferContext& c) {
  c.set(0, c.dtype(0), broadcast(c, c.shape(0), c.shape(3)));
}

void qlinear_global_pool(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  for (std::size_t i = 2; shape && i < shape->size(); ++i) (*shape)[i] = 1;
  c.set(0, c.dtype(0), std::move(shape));
}

// Scale and zero point of the output, then triples of tensor, scale and zero point.
void qlinear_concat(InferContext& c) {
  std::optional<Shape> out;
  for (std::size_t i = 2; i < c.input_count(); i += 3) {
    const Shape* shape = c.shape(i);
    if (shape == nullptr) return c.set(0, c.dtype(2));
    if (!out) {
      out = *shape;
      continue;
    }
    if (shape->size() != out->size()) c.fail("inputs of different rank");
    const std::size_t axis = c.axis(c.node().integer("axis", 0), shape->size());
    (*out)[axis] = add_extents((*out)[axis], (*shape)[axis]);
  }
  c.set(0, c.dtype(2), std::move(out));
}

// data [rows, columns packed], indices, scales: rows of real numbers.
void gather_block_quantized(InferContext& c) {
  const Shape* data = c.shape(0);
  const Shape* indices = c.shape(1);
  const DataType type = c.dtype(2);
  if (data == nullptr || indices == nullptr) return c.set(0, type);
  const std::size_t axis = c.axis(c.node().integer("gather_axis", 0), data->size());
  const auto at = static_cast<std::ptrdiff_t>(axis);
  Shape out(data->begin(), data->begin() + at);
  out.insert(out.end(), indices->begin(), indices->end());
  out.insert(out.end(), data->begin() + at + 1, data->end());
  const std::int64_t bits = c.node().integer("bits", 4);
  if (c.dtype(0) == DataType::kUint8 && bits > 0 && bits < 8 && !out.empty()) {
    out.back() = multiply_extents(out.back(), 8 / bits);
  }
  c.set(0, type, std::move(out));
}

#define RIDGEWATT_MS(op, rule) \
  { .name = op, .domain = kMs, .shape = rule }

constexpr OpEntry kMicrosoftOps[] = {
    RIDGEWATT_MS("Attention", packed_attention),
    RIDGEWATT_MS("MultiHeadAttention", multi_head_attention),
    RIDGEWATT_MS("GroupQueryAttention", group_query_attention),
    RIDGEWATT_MS("BiasGelu", same_as_input),
    RIDGEWATT_MS("FastGelu", same_as_input),
    RIDGEWATT_MS("Gelu", same_as_input),
    RIDGEWATT_MS("QuickGelu", same_as_input),
    RIDGEWATT_MS("BiasSplitGelu", bias_split_gelu),
    RIDGEWATT_MS("BiasAdd", same_as_input),
    RIDGEWATT_MS("RotaryEmbedding", same_as_input),
    RIDGEWATT_MS("FusedMatMul", fused_matmul),
    RIDGEWATT_MS("TransposeMatMul", fused_matmul),
    RIDGEWATT_MS("FusedGemm", fused_gemm),
    RIDGEWATT_MS("QGemm", quantized_gemm),
    RIDGEWATT_MS("MoE", same_as_input),
    RIDGEWATT_MS("QMoE", same_as_input),
    RIDGEWATT_MS("MatMulNBits", matmul_n_bits),
    RIDGEWATT_MS("MatMulBnb4", matmul_n_bits),
    RIDGEWATT_MS("MatMulIntegerToFloat", matmul_integer_to_float),
    RIDGEWATT_MS("DynamicQuantizeMatMul", dynamic_quantize_matmul),
    RIDGEWATT_MS("SkipLayerNormalization", skip_normalization),
    RIDGEWATT_MS("SkipSimplifiedLayerNormalization", skip_normalization),
    RIDGEWATT_MS("EmbedLayerNormalization", embed_normalization),
    RIDGEWATT_MS("GroupNorm", same_as_input),
    RIDGEWATT_MS("QLinearAdd", qlinear_binary),
    RIDGEWATT_MS("QLinearMul", qlinear_binary),
    RIDGEWATT_MS("QLinearLeakyRelu", same_as_input),
    RIDGEWATT_MS("QLinearSigmoid", same_as_input),
    RIDGEWATT_MS("QLinearSoftmax", same_as_input),
    RIDGEWATT_MS("QLinearGlobalAveragePool", qlinear_global_pool),
    RIDGEWATT_MS("QLinearConcat", qlinear_concat),
    RIDGEWATT_MS("GatherBlockQuantized", gather_block_quantized),
};

}  // namespace

std::span<const OpEntry> microsoft_ops() {
  return kMicrosoftOps;
}

}  // namespace ridgewatt
