// Costs of views, copies, element-wise work, rows, windows and reductions.
#include "ridgewatt/workload/cost/cost_rules.h"

#include <algorithm>

#include "ridgewatt/workload/cost/cost_terms.h"

namespace ridgewatt::workload::cost {

double extent(const Tensor& tensor, int axis) {
  if (!tensor.shape) return kUnknown;
  const auto rank = static_cast<int>(tensor.shape->size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return kUnknown;
  const auto value = (*tensor.shape)[static_cast<std::size_t>(axis)];
  return value == kUnknownDim ? kUnknown : static_cast<double>(value);
}

double extents_from(const Tensor& tensor, std::size_t first) {
  if (!tensor.shape) return kUnknown;
  double product = 1;
  for (std::size_t axis = first; axis < tensor.shape->size(); ++axis) {
    product *= extent(tensor, static_cast<int>(axis));
  }
  return product;
}

namespace {

constexpr auto kElementwise = OpClass::kElementwise;

// n - 1 operations for n inputs.
OpCost combine_inputs(const OpContext& op, Terms& t) {
  const double others = t("inputs_given", static_cast<double>(op.input_count())) - 1;
  return {.flops = others * outputs_of(op, t)};
}

double window_of(const OpContext& op, Terms& t) {
  const auto* kernel = op.node().integers("kernel_shape");
  double window = kernel != nullptr ? 1 : kUnknown;
  if (kernel != nullptr) {
    for (const auto side : *kernel) window *= static_cast<double>(side);
  }
  return t("window", window);
}

OpCost max_pool(const OpContext& op, Terms& t) {
  return {.flops = outputs_of(op, t) * (window_of(op, t) - 1)};
}

OpCost average_pool(const OpContext& op, Terms& t) {
  return {.flops = outputs_of(op, t) * window_of(op, t)};
}

OpCost lp_pool(const OpContext& op, Terms& t) {
  return {.flops = 2 * outputs_of(op, t) * window_of(op, t)};
}

OpCost lrn(const OpContext& op, Terms& t) {
  const double size = t("size", static_cast<double>(op.node().integer("size", 1)));
  return {.flops = outputs_of(op, t) * (2 * size + 4)};
}

// Sorting n numbers compares n log2(n) pairs.
OpCost sort(const OpContext& op, Terms& t) {
  const double inputs = inputs_of(op, t);
  const auto axis = static_cast<int>(op.node().integer("axis", -1));
  const double length = std::max(1.0, extent(op.input(0), axis));
  return {.flops = inputs * t("compares", std::log2(length))};
}

OpCost skip_norm(const OpContext& op, Terms& t, int norm) {
  const double biases = t("bias", op.has_input(norm == 8 ? 4 : 3) ? 1 : 0);
  return {.flops = outputs_of(op, t) * (norm + 1 + biases)};
}

// A normalization takes 8 operations per element, SiLU takes 5, an addend and its bias 1 each.
OpCost ms_group_norm(const OpContext& op, Terms& t) {
  const double activation = t("activation", op.node().integer("activation", 0) != 0 ? 5 : 0);
  const bool skips = op.node().op == "SkipGroupNorm";
  const double addends = t("addends", skips ? 1 + (op.has_input(4) ? 1 : 0) : 0);
  return {.flops = outputs_of(op, t) * (8 + activation + addends)};
}

// Rotates `rotary_embedding_dim` elements of each head. 0: all elements.
OpCost ms_rotary(const OpContext& op, Terms& t) {
  const auto part = static_cast<double>(op.node().integer("rotary_embedding_dim", 0));
  const auto heads = static_cast<double>(op.node().integer("num_heads", 0));
  const auto& shape = op.input(0).shape;
  const bool split = shape && shape->size() == 4;
  double share = 1;
  if (part > 0 && (split || heads > 0)) {
    share = std::min(1.0, part * (split ? 1 : heads) / extent(op.input(0), -1));
  }
  return {.flops = 3 * outputs_of(op, t) * t("share", share)};
}

}  // namespace

const CostRule kView =
    rule(OpClass::kDataMovement, no_operations, "0", Fusion::kView, passed_gradient());
const CostRule kCopy =
    rule(OpClass::kDataMovement, no_operations, "0", Fusion::kKernel, passed_gradient());
const CostRule kCopyPart = {.op_class = OpClass::kDataMovement,
                            .forward = no_operations,
                            .formula = "0",
                            .gradient = Gradient::kPerInput,
                            .gradient_flops = 1,
                            .reads_part = true};
const CostRule kCast =
    rule(OpClass::kDataMovement, no_operations, "0", Fusion::kPointwise, passed_gradient());
const CostRule kScatter =
    rule(OpClass::kDataMovement, no_operations, "0", Fusion::kKernel, passed_gradient());
const CostRule kGenerate = rule(kElementwise, per_output<1>, "outputs");
const CostRule kMetadata = rule(OpClass::kOther, no_operations, "0", Fusion::kView);
const CostRule kControl = rule(OpClass::kOther, no_operations, "0", Fusion::kAlone);

const CostRule kMinMax = pointwise(combine_inputs, "(inputs_given - 1) * outputs",
                                   gradient_per_input(1, Saved::kInputs));
const CostRule kSum =
    pointwise(combine_inputs, "(inputs_given - 1) * outputs", gradient_per_input(0));
// Per output: two additions of a bias, a GELU and a product.
const CostRule kBiasSplitGelu = rule(kElementwise, per_output<17>, "17 * outputs");
const CostRule kDropout = {.op_class = kElementwise,
                           .forward = no_operations,
                           .formula = "0",
                           .fusion = Fusion::kView,
                           .gradient = Gradient::kPerInput,
                           .gradient_flops = 1,
                           .saved = Saved::kOutput,
                           .training_flops = 2};

const CostRule kMsRotary = pointwise(ms_rotary, "3 * outputs * share", gradient_per_input(3));

const CostRule kSoftmax = rule(OpClass::kSoftmax, per_output<7>, "7 * outputs", Fusion::kRowwise,
                               gradients_at_once(4, Saved::kOutput));
const CostRule kHardmax = rule(OpClass::kSoftmax, per_input<1>, "inputs", Fusion::kRowwise);
const CostRule kBatchNorm = {.op_class = OpClass::kNormalization,
                             .forward = per_output<2>,
                             .formula = "2 * outputs",
                             .fusion = Fusion::kPointwise,
                             .gradient = Gradient::kOnce,
                             .gradient_flops = 10,
                             .saved = Saved::kInputs,
                             .training_flops = 8};
const CostRule kLayerNorm = rule(OpClass::kNormalization, per_output<8>, "8 * outputs",
                                 Fusion::kRowwise, gradients_at_once(12, Saved::kInputs));
const CostRule kInstanceNorm = rule(OpClass::kNormalization, per_output<8>, "8 * outputs",
                                    Fusion::kKernel, gradients_at_once(12, Saved::kInputs));
const CostRule kMsGroupNorm =
    rule(OpClass::kNormalization, ms_group_norm, "outputs * (8 + activation + addends)",
         Fusion::kKernel, gradients_at_once(12, Saved::kInputs));
const CostRule kRmsNorm = rule(OpClass::kNormalization, per_output<5>, "5 * outputs",
                               Fusion::kRowwise, gradients_at_once(9, Saved::kInputs));
const CostRule kSkipLayerNorm = rule(
    OpClass::kNormalization, [](const OpContext& op, Terms& t) { return skip_norm(op, t, 8); },
    "(9 + bias) * outputs", Fusion::kRowwise, gradients_at_once(13, Saved::kInputs));
const CostRule kSkipRmsNorm = rule(
    OpClass::kNormalization, [](const OpContext& op, Terms& t) { return skip_norm(op, t, 5); },
    "(6 + bias) * outputs", Fusion::kRowwise, gradients_at_once(10, Saved::kInputs));
const CostRule kEmbedLayerNorm = rule(OpClass::kNormalization, per_output<10>, "10 * outputs");
const CostRule kLpNorm = rule(OpClass::kNormalization, per_output<3>, "3 * outputs",
                              Fusion::kRowwise, gradients_at_once(6, Saved::kInputs));
const CostRule kMeanVarianceNorm = rule(OpClass::kNormalization, per_output<6>, "6 * outputs",
                                        Fusion::kKernel, gradients_at_once(9, Saved::kInputs));
const CostRule kLrn = rule(OpClass::kNormalization, lrn, "outputs * (2 * size + 4)",
                           Fusion::kKernel, gradients_at_once(8, Saved::kInputs));

const CostRule kMaxPool = rule(OpClass::kPooling, max_pool, "outputs * (window - 1)",
                               Fusion::kKernel, gradient_per_input(1, Saved::kInputs));
const CostRule kAveragePool = rule(OpClass::kPooling, average_pool, "outputs * window",
                                   Fusion::kKernel, gradients_at_once(1));
const CostRule kLpPool = rule(OpClass::kPooling, lp_pool, "2 * outputs * window", Fusion::kKernel,
                              gradients_at_once(3, Saved::kInputs));
const CostRule kGlobalPool =
    rule(OpClass::kPooling, per_input<1>, "inputs", Fusion::kKernel, gradients_at_once(1));

const CostRule kReduce =
    rule(OpClass::kReduction, per_input<1>, "inputs", Fusion::kRowwise, gradients_at_once(1));
const CostRule kReduceSquare = rule(OpClass::kReduction, per_input<2>, "2 * inputs",
                                    Fusion::kRowwise, gradients_at_once(2, Saved::kInputs));
const CostRule kArgReduce = rule(OpClass::kReduction, per_input<1>, "inputs", Fusion::kRowwise);
const CostRule kScanSum =
    rule(OpClass::kReduction, per_input<1>, "inputs", Fusion::kKernel, gradients_at_once(1));
const CostRule kSort =
    rule(OpClass::kReduction, sort, "inputs * compares", Fusion::kAlone, passed_gradient());
const CostRule kLoss = rule(OpClass::kReduction, per_input<8>, "8 * inputs", Fusion::kKernel,
                            gradients_at_once(2, Saved::kInputs));
const CostRule kOptimizer = rule(OpClass::kOptimizer, per_input<12>, "12 * inputs", Fusion::kAlone);

}  // namespace ridgewatt::workload::cost
