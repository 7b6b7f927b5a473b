// Operators of ONNX Runtime (domain com.microsoft), which its optimizer and quantizer write.
#include <algorithm>

#include "ridgewatt/workload/infer/attention_lengths.h"
#include "ridgewatt/workload/infer/infer_context.h"
#include "ridgewatt/workload/ops/matmul_shape.h"

namespace ridgewatt::workload {
namespace {

constexpr std::string_view kMs = "com.microsoft";

// Makes rows and columns the last two axes, as matmul requires. "trans" swaps the last two axes.
// "transBatch" moves the first axis to the second-last position, after the batch axes.
std::optional<Shape> operand_shape(std::optional<Shape> shape, bool transpose, bool batch) {
  if (!shape || shape->size() < 2) return shape;
  if (batch) std::rotate(shape->begin(), shape->begin() + 1, shape->end() - 1);
  if (transpose) std::swap(shape->back(), (*shape)[shape->size() - 2]);
  return shape;
}

void fused_matmul(InferContext& c) {
  const auto flag = [&](const char* name) { return c.node().integer(name, 0) != 0; };
  const auto a = operand_shape(c.input(0).shape, flag("transA"), flag("transBatchA"));
  const auto b = operand_shape(c.input(1).shape, flag("transB"), flag("transBatchB"));
  c.set(0, c.dtype(0), matmul_shape(c, a ? &*a : nullptr, b ? &*b : nullptr));
}

// A [..., K] by packed weights [N, K / block, ...].
void matmul_n_bits(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  // MatMulBnb4 can also multiply by the transposed weights.
  const char* columns = c.node().integer("transB", 1) != 0 ? "N" : "K";
  if (shape && !shape->empty()) shape->back() = c.node().integer(columns, kUnknownDim);
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

// As fused_gemm(), with 8-bit numbers. An attribute states the type of the result.
void gemm_float8(InferContext& c) {
  fused_gemm(c);
  const auto type = data_type_from_number(c.node().integer("dtype", 1));
  if (c.has_output(0)) c.set(0, type.value_or(DataType::kFloat), c.output(0).shape);
}

// (A, scale, zero) (B, scale, zero) C (scale, zero). Integers if the result has a zero point.
void quantized_gemm(InferContext& c) {
  const bool swap_a = c.node().integer("transA", 0) != 0;
  const bool swap_b = c.node().integer("transB", 0) != 0;
  c.set(0, c.has_input(8) ? c.dtype(8) : DataType::kFloat,
        Shape{extent_of(c.shape(0), swap_a ? 1 : 0), extent_of(c.shape(3), swap_b ? 0 : 1)});
}

// input [N, L, D], weights [D, hidden + hidden + hidden v]: [N, L, hidden v], present
// [2, N, heads, P + L, head].
void packed_attention(InferContext& c) {
  const Shape* x = c.shape(0);
  const std::int64_t weights = extent_of(c.shape(1), 1);
  std::int64_t hidden = weights == kUnknownDim ? kUnknownDim : weights / 3;
  if (const auto* sizes = c.node().integers("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    hidden = (*sizes)[2];
  }
  c.set(0, c.dtype(0), Shape{extent_of(x, 0), extent_of(x, 1), hidden});
  const std::int64_t heads = c.node().integer("num_heads", kUnknownDim);
  const std::int64_t head = hidden == kUnknownDim || heads < 1 ? kUnknownDim : hidden / heads;
  c.set(1, c.dtype(0), Shape{2, extent_of(x, 0), heads, attention_lengths(c).present, head});
}

// query [N, L, hidden], key [N, S, hidden], value [N, S, hidden v]. Keys and values that are
// already projected are [N, heads, S, head].
void multi_head_attention(InferContext& c) {
  const Shape* q = c.shape(0);
  const Shape* v = c.shape(2);
  const std::int64_t heads = c.node().integer("num_heads", kUnknownDim);
  std::int64_t hidden = v != nullptr && v->size() == 3 ? (*v)[2] : extent_of(q, 2);
  if (q != nullptr && q->size() == 5) {  // packed [N, L, heads, 3, head]
    hidden = multiply_extents((*q)[2], (*q)[4]);
  } else if (v != nullptr && v->size() == 4) {
    hidden = multiply_extents((*v)[1], (*v)[3]);
  }
  c.set(0, c.dtype(0), Shape{extent_of(q, 0), extent_of(q, 1), hidden});
  const std::int64_t head = hidden == kUnknownDim || heads < 1 ? kUnknownDim : hidden / heads;
  const Shape present = {extent_of(q, 0), heads, attention_lengths(c).present, head};
  c.set(1, c.dtype(0), present);
  c.set(2, c.dtype(0), present);
}

// query [N, L, heads x head] (or packed, followed by key and value), past [N, kv, P, head]. The
// present cache has the length of past and new tokens together, or of the cache's buffer.
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
  const AttentionLengths lengths = attention_lengths(c);
  Shape present = {extent_of(q, 0), kv_heads, lengths.present, head};
  // A quantized cache packs two 4-bit numbers into a byte.
  if (const Shape* past = c.shape(3); past != nullptr && past->size() == 4) present[3] = (*past)[3];
  const DataType cache = c.has_input(3) ? c.dtype(3) : c.dtype(0);
  c.set(1, cache, present);
  c.set(2, cache, present);
  c.set(3, c.dtype(0), Shape{extent_of(q, 0), heads, extent_of(q, 1), lengths.keys});
}

// Y, mean, inverse deviation, and the sum that was normalized.
void skip_normalization(InferContext& c) {
  same_as_input(c);
  std::optional<Shape> statistics = c.input(0).shape;
  if (statistics && !statistics->empty()) statistics->back() = 1;
  c.set(1, DataType::kFloat, statistics);
  c.set(2, DataType::kFloat, statistics);
  c.set(3, c.dtype(0), c.input(0).shape);
}

// Y and the inverse deviation.
void simplified_normalization(InferContext& c) {
  same_as_input(c);
  std::optional<Shape> statistics = c.input(0).shape;
  if (statistics && !statistics->empty()) statistics->back() = 1;
  c.set(1, DataType::kFloat, std::move(statistics));
}

// Y and the sum that was normalized.
void skip_group_norm(InferContext& c) {
  same_as_input(c);
  c.set(1, c.dtype(0), c.input(0).shape);
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

// The inputs are (A, scale, zero) (B, scale, zero) (scale, zero).
void qlinear_binary(InferContext& c) {
  c.set(0, c.dtype(0), broadcast(c, c.shape(0), c.shape(3)));
}

void qlinear_global_pool(InferContext& c) {
  std::optional<Shape> shape = c.input(0).shape;
  const std::size_t first = c.node().integer("channels_last", 0) != 0 ? 1 : 2;
  for (std::size_t i = first; shape && i + first < shape->size() + 2; ++i) (*shape)[i] = 1;
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
    if (shape->size() != out->size()) c.fail("the inputs have different ranks");
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

constexpr OpEntry microsoft(std::string_view name, OpRule shape) {
  return {.name = name, .domain = kMs, .shape = shape};
}

constexpr OpEntry kMicrosoftOps[] = {
    microsoft("Attention", packed_attention),
    microsoft("MultiHeadAttention", multi_head_attention),
    microsoft("GroupQueryAttention", group_query_attention),
    microsoft("DecoderMaskedSelfAttention", packed_attention),
    microsoft("DecoderMaskedMultiHeadAttention", multi_head_attention),
    microsoft("BiasGelu", same_as_input),
    microsoft("FastGelu", same_as_input),
    microsoft("Gelu", same_as_input),
    microsoft("QuickGelu", same_as_input),
    microsoft("BiasSplitGelu", bias_split_gelu),
    microsoft("BiasAdd", same_as_input),
    microsoft("RotaryEmbedding", same_as_input),
    microsoft("FusedMatMul", fused_matmul),
    microsoft("TransposeMatMul", fused_matmul),
    microsoft("FusedGemm", fused_gemm),
    microsoft("GemmFloat8", gemm_float8),
    microsoft("QGemm", quantized_gemm),
    microsoft("MoE", same_as_input),
    microsoft("QMoE", same_as_input),
    microsoft("MatMulNBits", matmul_n_bits),
    microsoft("MatMulBnb4", matmul_n_bits),
    microsoft("MatMulIntegerToFloat", matmul_integer_to_float),
    microsoft("DynamicQuantizeMatMul", dynamic_quantize_matmul),
    microsoft("SkipLayerNormalization", skip_normalization),
    microsoft("SkipSimplifiedLayerNormalization", skip_normalization),
    microsoft("EmbedLayerNormalization", embed_normalization),
    microsoft("SimplifiedLayerNormalization", simplified_normalization),
    microsoft("GroupNorm", same_as_input),
    microsoft("SkipGroupNorm", skip_group_norm),
    microsoft("QLinearAdd", qlinear_binary),
    microsoft("QLinearMul", qlinear_binary),
    microsoft("QLinearLeakyRelu", same_as_input),
    microsoft("QLinearSigmoid", same_as_input),
    microsoft("QLinearSoftmax", same_as_input),
    microsoft("QLinearGlobalAveragePool", qlinear_global_pool),
    microsoft("QLinearConcat", qlinear_concat),
    microsoft("GatherBlockQuantized", gather_block_quantized),
};

}  // namespace

std::span<const OpEntry> microsoft_ops() {
  return kMicrosoftOps;
}

}  // namespace ridgewatt::workload
