// Costs of operators that consist of MACs: convolutions, matrix products, recurrent cells,
// attention.
#include <string_view>

#include "ridgewatt/workload/cost/cost_rules.h"
#include "ridgewatt/workload/cost/cost_terms.h"
#include "ridgewatt/workload/infer/attention_lengths.h"

namespace ridgewatt::workload::cost {
namespace {

// A convolution whose weight [out, in / groups, window...] is input `weight`, with an optional
// bias.
OpCost conv_with(const OpContext& op, Terms& t, std::size_t weight, std::size_t bias) {
  const double outputs = outputs_of(op, t);
  const double channels = t("channels", extent(op.input(weight), 1));  // per group
  const double window = t("window", extents_from(op.input(weight), 2));
  const double biased = t("bias", op.has_input(bias) ? 1 : 0);
  const double macs = outputs * channels * window;
  return {macs, 2 * macs + biased * outputs, channels * window};
}

constexpr std::string_view kConvFormula = "2 * outputs * channels * window + bias * outputs";

OpCost conv(const OpContext& op, Terms& t) {
  return conv_with(op, t, 1, op.node().op == "ConvInteger" ? SIZE_MAX : 2);
}

OpCost qlinear_conv(const OpContext& op, Terms& t) {
  return conv_with(op, t, 3, 8);
}

// com.microsoft.FusedConv: also counts its addend and its activation.
OpCost fused_conv(const OpContext& op, Terms& t) {
  OpCost cost = conv_with(op, t, 1, 2);
  const double extra =
      t("extra", (op.has_input(3) ? 1 : 0) + (op.node().text("activation", "").empty() ? 0 : 1));
  cost.flops += extra * elements(op.output(0));
  return cost;
}

// Each input element is multiplied by the window of each output channel of its group.
OpCost conv_transpose(const OpContext& op, Terms& t) {
  const double inputs = inputs_of(op, t);
  const double channels = t("channels", extent(op.input(1), 1));  // outputs per group
  const double window = t("window", extents_from(op.input(1), 2));
  const double outputs = outputs_of(op, t);
  const double biased = t("bias", op.has_input(2) ? 1 : 0);
  const double macs = inputs * channels * window;
  return {macs, 2 * macs + biased * outputs, extent(op.input(0), 1)};
}

// A convolution at interpolated positions. Interpolation takes 8 operations per sample. All output
// channels share the samples.
OpCost deform_conv(const OpContext& op, Terms& t) {
  OpCost cost = conv_with(op, t, 1, 3);
  const double out_channels = extent(op.output(0), 1);
  const double samples = t("samples", elements(op.output(0)) / out_channels *
                                          extent(op.input(0), 1) * extents_from(op.input(1), 2));
  cost.flops += 8 * samples;
  return cost;
}

OpCost product(double macs, double outputs, double depth, double biased) {
  return {macs, 2 * macs + biased * outputs, depth};
}

OpCost gemm(const OpContext& op, Terms& t) {
  const double outputs = outputs_of(op, t);
  const double depth = t("k", extent(op.input(0), op.node().integer("transA", 0) != 0 ? 0 : 1));
  return product(outputs * depth, outputs, depth, t("bias", op.has_input(2) ? 1 : 0));
}

OpCost matmul(const OpContext& op, Terms& t) {
  const double outputs = outputs_of(op, t);
  const double depth = t("k", extent(op.input(0), -1));
  return product(outputs * depth, outputs, depth, 0);
}

// Axis of A that the fused products of ONNX Runtime sum over.
int summed_axis(const Node& node, int rank) {
  const bool transposed = node.integer("transA", 0) != 0;
  if (!transposed || rank < 2) return rank - 1;
  return node.integer("transBatchA", 0) != 0 ? 0 : rank - 2;
}

// A product whose bias is input `bias`, with the fused operations: a scale, an activation.
OpCost fused_product(const OpContext& op, Terms& t, std::size_t bias) {
  const Node& node = op.node();
  const auto& shape = op.input(0).shape;
  const double outputs = outputs_of(op, t);
  const int axis = summed_axis(node, shape ? static_cast<int>(shape->size()) : 0);
  const double depth = t("k", shape ? extent(op.input(0), axis) : kUnknown);
  const double biased = t("bias", op.has_input(bias) ? 1 : 0);
  const std::string_view activation = node.text("activation", "");
  const bool activates = !activation.empty() && activation != "NONE";
  const double extra = t("extra", (node.real("alpha", 1) != 1 ? 1 : 0) + (activates ? 1 : 0));
  return product(outputs * depth, outputs, depth, biased + extra);
}

constexpr std::string_view kFusedProductFormula = "2 * outputs * k + (bias + extra) * outputs";

// A recurrent layer. Each step multiplies the input and the state by the weights of all gates.
// `element_work`: additional operations per element of the state.
OpCost recurrent(const OpContext& op, Terms& t, int gates, int element_work) {
  const bool batch_first = op.node().integer("layout", 0) != 0;
  const double steps = t("steps", extent(op.input(0), batch_first ? 1 : 0));
  const double samples = t("samples", extent(op.input(0), batch_first ? 0 : 1));
  const double directions = t("directions", extent(op.input(2), 0));
  const double hidden = t("hidden", extent(op.input(2), 2));
  const double input = t("width", extent(op.input(1), 2));
  const double biased = t("bias", op.has_input(3) ? 1 : 0);
  const double peepholes = t("peepholes", gates == 4 && op.has_input(7) ? 1 : 0);
  const double cells = steps * samples * directions * hidden;
  const double macs = cells * gates * (input + hidden);
  return {macs, 2 * macs + cells * (gates * biased + element_work + 6 * peepholes), input + hidden};
}

struct AttentionShape {
  double batch, heads, queries, keys, head_size, value_size;
};

// Products QK^T and PV; for each score, a softmax of 7 operations and a scale of 1.
OpCost attention_core(const AttentionShape& a, Terms& t) {
  const double scores =
      t("batch", a.batch) * t("heads", a.heads) * t("queries", a.queries) * t("keys", a.keys);
  const double macs = scores * (t("head_size", a.head_size) + t("value_size", a.value_size));
  return {macs, 2 * macs + 8 * scores, a.head_size};
}

constexpr std::string_view kAttentionFormula =
    "batch * heads * queries * keys * (2 * (head_size + value_size) + 8)";

// Extent of the axis; 0 if the input is not given.
double optional_extent(const OpContext& op, std::size_t input, int axis) {
  return op.has_input(input) ? extent(op.input(input), axis) : 0;
}

// ai.onnx.Attention: Q, K, V as [batch, heads, sequence, size] or [batch, sequence, heads * size].
OpCost attention(const OpContext& op, Terms& t) {
  const Tensor& q = op.input(0);
  const Tensor& k = op.input(1);
  const Tensor& v = op.input(2);
  const bool split = q.shape && q.shape->size() == 4;
  const int sequence = split ? 2 : 1;
  const auto attribute = [&](const char* name) {
    return static_cast<double>(op.node().integer(name, 1));
  };
  AttentionShape a = {};
  a.batch = extent(q, 0);
  a.heads = split ? extent(q, 1) : attribute("q_num_heads");
  a.queries = extent(q, sequence);
  a.keys = extent(k, sequence) + optional_extent(op, 4, 2);
  a.head_size = extent(q, -1) / (split ? 1 : a.heads);
  a.value_size = extent(v, -1) / (split ? 1 : attribute("kv_num_heads"));
  return attention_core(a, t);
}

// At each position, each head updates and reads a state of [head_size, value_size].
OpCost linear_attention(const OpContext& op, Terms& t) {
  const double heads = t("heads", static_cast<double>(op.node().integer("q_num_heads", 1)));
  const double batch = t("batch", extent(op.input(0), 0));
  const double positions = t("positions", extent(op.input(0), 1));
  const double head_size = t("head_size", extent(op.input(0), -1) / heads);
  const double kv_heads = static_cast<double>(op.node().integer("kv_num_heads", 1));
  const double value_size = t("value_size", extent(op.input(2), -1) / kv_heads);
  const double macs = 2 * batch * heads * positions * head_size * value_size;
  return {macs, 2 * macs, head_size};
}

double known_extent(std::int64_t value) {
  return value == kUnknownDim ? kUnknown : static_cast<double>(value);
}

// com.microsoft.Attention includes the projection onto queries, keys and values, with its bias. It
// may include the rotation of queries and keys.
OpCost ms_attention(const OpContext& op, Terms& t) {
  const Node& node = op.node();
  const double heads = static_cast<double>(node.integer("num_heads", 1));
  const double width = extent(op.input(1), 1);
  double query_width = width / 3;
  double value_width = width / 3;
  if (const auto* sizes = node.integers("qkv_hidden_sizes"); sizes && sizes->size() == 3) {
    query_width = static_cast<double>((*sizes)[0]);
    value_width = static_cast<double>((*sizes)[2]);
  }
  AttentionShape a = {};
  a.batch = extent(op.input(0), 0);
  a.heads = heads;
  a.queries = extent(op.input(0), 1);
  a.keys = known_extent(attention_lengths(op).keys);
  a.head_size = query_width / heads;
  a.value_size = value_width / heads;
  OpCost cost = attention_core(a, t);
  const double projection = t("projection", elements(op.input(0)) * width);
  const double tokens = a.batch * a.queries;
  const double biases = t("biases", op.has_input(2) ? tokens * width : 0);
  const bool rotates = node.integer("do_rotary", 0) != 0;
  const double rotated = t("rotated", rotates ? tokens * 2 * query_width : 0);
  cost.macs += projection;
  cost.flops += 2 * projection + biases + 3 * rotated;
  return cost;
}

// Queries, keys and values are already projected.
OpCost multi_head_attention(const OpContext& op, Terms& t) {
  const Tensor& q = op.input(0);
  AttentionShape a = {};
  a.batch = extent(q, 0);
  a.heads = static_cast<double>(op.node().integer("num_heads", 1));
  a.queries = extent(q, 1);
  const bool packed = q.shape && q.shape->size() == 5;  // [B, S, N, 3, H]
  a.head_size = packed ? extent(q, 4) : extent(q, -1) / a.heads;
  a.value_size = extent(op.output(0), -1) / a.heads;
  a.keys = known_extent(attention_lengths(op).keys);
  return attention_core(a, t);
}

// Groups of heads share keys and values. Optional parts: rotation (3 operations per element of
// queries and new keys), a cap on the scores (quotient, hyperbolic tangent and product: 7), and a
// window that limits how far back a token attends.
OpCost group_query_attention(const OpContext& op, Terms& t) {
  const Node& node = op.node();
  AttentionShape a = {};
  a.batch = extent(op.input(0), 0);
  a.heads = static_cast<double>(node.integer("num_heads", 1));
  const double kv_heads = static_cast<double>(node.integer("kv_num_heads", 1));
  a.queries = extent(op.input(0), 1);
  const bool packed = !op.has_input(1);
  a.head_size = extent(op.input(0), 2) / (packed ? a.heads + 2 * kv_heads : a.heads);
  a.value_size = a.head_size;
  a.keys = known_extent(attention_lengths(op).keys);
  const auto window = static_cast<double>(node.integer("local_window_size", -1));
  if (window > 0 && a.keys > window) a.keys = window;
  OpCost cost = attention_core(a, t);
  const bool rotates = node.integer("do_rotary", 0) != 0;
  const double rotated =
      t("rotated", rotates ? a.batch * a.queries * (a.heads + kv_heads) * a.head_size : 0);
  const double capped =
      t("capped", node.real("softcap", 0) > 0 ? a.batch * a.heads * a.queries * a.keys : 0);
  cost.flops += 3 * rotated + 7 * capped;
  return cost;
}

// Gaussian elimination of an n x n matrix.
OpCost determinant(const OpContext& op, Terms& t) {
  const double size = t("n", extent(op.input(0), -1));
  return {.flops = 2.0 / 3 * inputs_of(op, t) * size};
}

}  // namespace

const CostRule kConv = rule(OpClass::kConv, conv, kConvFormula, Fusion::kKernel,
                            contraction_gradients(Saved::kOtherInputs));
const CostRule kQLinearConv = rule(OpClass::kConv, qlinear_conv, kConvFormula);
const CostRule kFusedConv =
    rule(OpClass::kConv, fused_conv, "2 * outputs * channels * window + (bias + extra) * outputs",
         Fusion::kKernel, contraction_gradients(Saved::kOtherInputs));
const CostRule kConvTranspose =
    rule(OpClass::kConv, conv_transpose, "2 * inputs * channels * window + bias * outputs",
         Fusion::kKernel, contraction_gradients(Saved::kOtherInputs));
const CostRule kDeformConv = rule(OpClass::kConv, deform_conv,
                                  "2 * outputs * channels * window + bias * outputs + 8 * samples",
                                  Fusion::kKernel, contraction_gradients(Saved::kInputs));
const CostRule kGemm = rule(OpClass::kGemm, gemm, "2 * outputs * k + bias * outputs",
                            Fusion::kKernel, contraction_gradients(Saved::kOtherInputs));
const CostRule kMatMul = rule(OpClass::kGemm, matmul, "2 * outputs * k", Fusion::kKernel,
                              contraction_gradients(Saved::kOtherInputs));
const CostRule kLstm = rule(
    OpClass::kRecurrent, [](const OpContext& op, Terms& t) { return recurrent(op, t, 4, 26); },
    "steps * samples * directions * hidden * "
    "(2 * 4 * (width + hidden) + 4 * bias + 26 + 6 * peepholes)",
    Fusion::kAlone, contraction_gradients(Saved::kInputs));
const CostRule kGru = rule(
    OpClass::kRecurrent, [](const OpContext& op, Terms& t) { return recurrent(op, t, 3, 18); },
    "steps * samples * directions * hidden * "
    "(2 * 3 * (width + hidden) + 3 * bias + 18)",
    Fusion::kAlone, contraction_gradients(Saved::kInputs));
const CostRule kRnn = rule(
    OpClass::kRecurrent, [](const OpContext& op, Terms& t) { return recurrent(op, t, 1, 5); },
    "steps * samples * directions * hidden * (2 * (width + hidden) + bias + 5)", Fusion::kAlone,
    contraction_gradients(Saved::kInputs));
const CostRule kAttention = rule(OpClass::kAttention, attention, kAttentionFormula, Fusion::kKernel,
                                 contraction_gradients(Saved::kInputs));
const CostRule kLinearAttention = rule(OpClass::kAttention, linear_attention,
                                       "4 * batch * heads * positions * head_size * value_size",
                                       Fusion::kAlone, contraction_gradients(Saved::kInputs));
const CostRule kMsAttention =
    rule(OpClass::kAttention, ms_attention,
         "batch * heads * queries * keys * (2 * (head_size + value_size) + 8) + 2 * projection + "
         "biases + 3 * rotated",
         Fusion::kKernel, contraction_gradients(Saved::kInputs));
const CostRule kMultiHeadAttention =
    rule(OpClass::kAttention, multi_head_attention, kAttentionFormula, Fusion::kKernel,
         contraction_gradients(Saved::kInputs));
const CostRule kGroupQueryAttention =
    rule(OpClass::kAttention, group_query_attention,
         "batch * heads * queries * keys * (2 * (head_size + value_size) + 8) + 3 * rotated + "
         "7 * capped",
         Fusion::kKernel, contraction_gradients(Saved::kInputs));

namespace {

template <std::size_t kBias>
constexpr CostRule fused_product_rule() {
  return rule(
      OpClass::kGemm, [](const OpContext& op, Terms& t) { return fused_product(op, t, kBias); },
      kFusedProductFormula, Fusion::kKernel, contraction_gradients(Saved::kOtherInputs));
}

}  // namespace

const CostRule kFusedMatMul = fused_product_rule<SIZE_MAX>();
const CostRule kFusedGemm = fused_product_rule<2>();
const CostRule kDynamicQuantizeMatMul = fused_product_rule<4>();
const CostRule kMatMulNBits = fused_product_rule<5>();
const CostRule kMatMulIntegerToFloat = fused_product_rule<6>();
const CostRule kDet = rule(OpClass::kOther, determinant, "2 / 3 * inputs * n", Fusion::kKernel,
                           gradients_at_once(3, Saved::kInputs));

}  // namespace ridgewatt::workload::cost
