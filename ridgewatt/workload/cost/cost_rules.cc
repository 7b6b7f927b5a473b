// Views, copies, element-wise work, rows, windows and reductions.
#include "ridgewatt/workload/cost/cost_rules.h"

#include <algorithm>

#include "ridgewatt/workload/cost/cost_terms.h"

namespace ridgewatt::cost {

double extent(const workload::Tensor& tensor, int axis) {
  if (!tensor.shape) return kUnknown;
  const auto rank = static_cast<int>(tensor.shape->size());
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return kUnknown;
  const auto value = (*tensor.shape)[static_cast<std::size_t>(axis)];
  return value == workload::kUnknownDim ? kUnknown : static_cast<double>(value);
}

double extents_from(const workload::Tensor& tensor, std::size_t first) {
  if (!tensor.shape) return kUnknown;
  double product = 1;
  for (std::size_t axis = first; axis < tensor.shape->size(); ++axis) {
    product *= extent(tensor, static_cast<int>(axis));
  }
  return product;
}

namespace {

constexpr auto kElementwise = workload::OpClass::kElementwise;

// n - 1 operations for n inputs.
workload::OpCost combine_inputs(const workload::OpContext& op, workload::Terms& t) {
  const double others = t("inputs_given", static_cast<double>(op.input_count())) - 1;
  return {.flops = others * outputs_of(op, t)};
}

double window_of(const workload::OpContext& op, workload::Terms& t) {
  const auto* kernel = op.node().integers("kernel_shape");
  double window = kernel != nullptr ? 1 : kUnknown;
  if (kernel != nullptr) {
    for (const auto side : *kernel) window *= static_cast<double>(side);
  }
  return t("window", window);
}

workload::OpCost max_pool(const workload::OpContext& op, workload::Terms& t) {
  return {.flops = outputs_of(op, t) * (window_of(op, t) - 1)};
}

workload::OpCost average_pool(const workload::OpContext& op, workload::Terms& t) {
  return {.flops = outputs_of(op, t) * window_of(op, t)};
}

workload::OpCost lp_pool(const workload::OpContext& op, workload::Terms& t) {
  return {.flops = 2 * outputs_of(op, t) * window_of(op, t)};
}

workload::OpCost lrn(const workload::OpContext& op, workload::Terms& t) {
  const double size = t("size", static_cast<double>(op.node().integer("size", 1)));
  return {.flops = outputs_of(op, t) * (2 * size + 4)};
}

// A sort of n numbers compares n log2(n) pairs.
workload::OpCost sort(const workload::OpContext& op, workload::Terms& t) {
  const double inputs = inputs_of(op, t);
  const auto axis = static_cast<int>(op.node().integer("axis", -1));
  const double length = std::max(1.0, extent(op.input(0), axis));
  return {.flops = inputs * t("compares", std::log2(length))};
}

workload::OpCost skip_norm(const workload::OpContext& op, workload::Terms& t, int norm) {
  const double biases = t("bias", op.has_input(norm == 8 ? 4 : 3) ? 1 : 0);
  return {.flops = outputs_of(op, t) * (norm + 1 + biases)};
}

// A normalization of 8 per element; SiLU is 5, an addend and its bias 1 each.
workload::OpCost ms_group_norm(const workload::OpContext& op, workload::Terms& t) {
  const double activation = t("activation", op.node().integer("activation", 0) != 0 ? 5 : 0);
  const bool skips = op.node().op == "SkipGroupNorm";
  const double addends = t("addends", skips ? 1 + (op.has_input(4) ? 1 : 0) : 0);
  return {.flops = outputs_of(op, t) * (8 + activation + addends)};
}

// `rotary_embedding_dim` elements of each head are rotated, all where it is 0.
workload::OpCost ms_rotary(const workload::OpContext& op, workload::Terms& t) {
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

const workload::CostRule kView = rule(workload::OpClass::kDataMovement, no_operations, "0",
                                      workload::Fusion::kView, passed_gradient());
const workload::CostRule kCopy = rule(workload::OpClass::kDataMovement, no_operations, "0",
                                      workload::Fusion::kKernel, passed_gradient());
const workload::CostRule kCopyPart = {.op_class = workload::OpClass::kDataMovement,
                                      .forward = no_operations,
                                      .formula = "0",
                                      .gradient = workload::Gradient::kPerInput,
                                      .gradient_flops = 1,
                                      .reads_part = true};
const workload::CostRule kCast = rule(workload::OpClass::kDataMovement, no_operations, "0",
                                      workload::Fusion::kPointwise, passed_gradient());
const workload::CostRule kScatter = rule(workload::OpClass::kDataMovement, no_operations, "0",
                                         workload::Fusion::kKernel, passed_gradient());
const workload::CostRule kGenerate = rule(kElementwise, per_output<1>, "outputs");
const workload::CostRule kMetadata =
    rule(workload::OpClass::kOther, no_operations, "0", workload::Fusion::kView);
const workload::CostRule kControl =
    rule(workload::OpClass::kOther, no_operations, "0", workload::Fusion::kAlone);

const workload::CostRule kAdd = pointwise(per_output<1>, "outputs", gradient_per_input(0));
const workload::CostRule kMul =
    pointwise(per_output<1>, "outputs", gradient_per_input(1, workload::Saved::kOtherInputs));
const workload::CostRule kDiv =
    pointwise(per_output<1>, "outputs", gradient_per_input(2, workload::Saved::kInputs));
const workload::CostRule kPow =
    pointwise(per_output<1>, "outputs", gradient_per_input(3, workload::Saved::kInputs));
const workload::CostRule kMinMax = pointwise(combine_inputs, "(inputs_given - 1) * outputs",
                                             gradient_per_input(1, workload::Saved::kInputs));
const workload::CostRule kSum =
    pointwise(combine_inputs, "(inputs_given - 1) * outputs", gradient_per_input(0));
const workload::CostRule kCompare = pointwise(per_output<1>, "outputs");
const workload::CostRule kSelect =
    pointwise(per_output<1>, "outputs", gradient_per_input(1, workload::Saved::kInputs));
const workload::CostRule kRelu =
    pointwise(per_output<1>, "outputs", gradient_per_input(1, workload::Saved::kOutput));
const workload::CostRule kClip =
    pointwise(per_output<2>, "2 * outputs", gradient_per_input(2, workload::Saved::kInputs));
const workload::CostRule kLinear = pointwise(per_output<1>, "outputs", gradient_per_input(1));
const workload::CostRule kFunction =
    pointwise(per_output<1>, "outputs", gradient_per_input(2, workload::Saved::kInputs));
const workload::CostRule kLeakyRelu =
    pointwise(per_output<2>, "2 * outputs", gradient_per_input(2, workload::Saved::kInputs));
const workload::CostRule kSigmoid =
    pointwise(per_output<4>, "4 * outputs", gradient_per_input(3, workload::Saved::kOutput));
const workload::CostRule kHardSigmoid =
    pointwise(per_output<4>, "4 * outputs", gradient_per_input(3, workload::Saved::kInputs));
const workload::CostRule kTanh =
    pointwise(per_output<5>, "5 * outputs", gradient_per_input(3, workload::Saved::kOutput));
const workload::CostRule kHardSwish =
    pointwise(per_output<5>, "5 * outputs", gradient_per_input(5, workload::Saved::kInputs));
const workload::CostRule kSilu =
    pointwise(per_output<5>, "5 * outputs", gradient_per_input(9, workload::Saved::kInputs));
const workload::CostRule kSwiGlu =
    pointwise(per_output<6>, "6 * outputs", gradient_per_input(6, workload::Saved::kInputs));
const workload::CostRule kElu =
    pointwise(per_output<3>, "3 * outputs", gradient_per_input(3, workload::Saved::kOutput));
const workload::CostRule kSelu =
    pointwise(per_output<4>, "4 * outputs", gradient_per_input(4, workload::Saved::kOutput));
const workload::CostRule kSoftplus =
    pointwise(per_output<3>, "3 * outputs", gradient_per_input(5, workload::Saved::kInputs));
const workload::CostRule kSoftsign =
    pointwise(per_output<3>, "3 * outputs", gradient_per_input(5, workload::Saved::kInputs));
const workload::CostRule kMish =
    pointwise(per_output<9>, "9 * outputs", gradient_per_input(14, workload::Saved::kInputs));
const workload::CostRule kErf =
    pointwise(per_output<8>, "8 * outputs", gradient_per_input(4, workload::Saved::kInputs));
const workload::CostRule kGelu =
    pointwise(per_output<14>, "14 * outputs", gradient_per_input(18, workload::Saved::kInputs));
const workload::CostRule kFastGelu =
    pointwise(per_output<13>, "13 * outputs", gradient_per_input(18, workload::Saved::kInputs));
const workload::CostRule kBiasGelu =
    pointwise(per_output<15>, "15 * outputs", gradient_per_input(19, workload::Saved::kInputs));
// Two biases an output, a GELU and a product.
const workload::CostRule kBiasSplitGelu = rule(kElementwise, per_output<17>, "17 * outputs");
const workload::CostRule kDropout = {.op_class = kElementwise,
                                     .forward = no_operations,
                                     .formula = "0",
                                     .fusion = workload::Fusion::kView,
                                     .gradient = workload::Gradient::kPerInput,
                                     .gradient_flops = 1,
                                     .saved = workload::Saved::kOutput,
                                     .training_flops = 2};
const workload::CostRule kQuantize = pointwise(per_output<3>, "3 * outputs", gradient_per_input(0));
const workload::CostRule kDequantize =
    pointwise(per_output<2>, "2 * outputs", gradient_per_input(1));
const workload::CostRule kRotary = pointwise(per_output<3>, "3 * outputs", gradient_per_input(3));

const workload::CostRule kMsRotary =
    pointwise(ms_rotary, "3 * outputs * share", gradient_per_input(3));

const workload::CostRule kSoftmax =
    rule(workload::OpClass::kSoftmax, per_output<7>, "7 * outputs", workload::Fusion::kRowwise,
         gradients_at_once(4, workload::Saved::kOutput));
const workload::CostRule kHardmax =
    rule(workload::OpClass::kSoftmax, per_input<1>, "inputs", workload::Fusion::kRowwise);
const workload::CostRule kBatchNorm = {.op_class = workload::OpClass::kNormalization,
                                       .forward = per_output<2>,
                                       .formula = "2 * outputs",
                                       .fusion = workload::Fusion::kPointwise,
                                       .gradient = workload::Gradient::kOnce,
                                       .gradient_flops = 10,
                                       .saved = workload::Saved::kInputs,
                                       .training_flops = 8};
const workload::CostRule kLayerNorm =
    rule(workload::OpClass::kNormalization, per_output<8>, "8 * outputs",
         workload::Fusion::kRowwise, gradients_at_once(12, workload::Saved::kInputs));
const workload::CostRule kInstanceNorm =
    rule(workload::OpClass::kNormalization, per_output<8>, "8 * outputs", workload::Fusion::kKernel,
         gradients_at_once(12, workload::Saved::kInputs));
const workload::CostRule kMsGroupNorm =
    rule(workload::OpClass::kNormalization, ms_group_norm, "outputs * (8 + activation + addends)",
         workload::Fusion::kKernel, gradients_at_once(12, workload::Saved::kInputs));
const workload::CostRule kRmsNorm =
    rule(workload::OpClass::kNormalization, per_output<5>, "5 * outputs",
         workload::Fusion::kRowwise, gradients_at_once(9, workload::Saved::kInputs));
const workload::CostRule kSkipLayerNorm = rule(
    workload::OpClass::kNormalization,
    [](const workload::OpContext& op, workload::Terms& t) { return skip_norm(op, t, 8); },
    "(9 + bias) * outputs", workload::Fusion::kRowwise,
    gradients_at_once(13, workload::Saved::kInputs));
const workload::CostRule kSkipRmsNorm = rule(
    workload::OpClass::kNormalization,
    [](const workload::OpContext& op, workload::Terms& t) { return skip_norm(op, t, 5); },
    "(6 + bias) * outputs", workload::Fusion::kRowwise,
    gradients_at_once(10, workload::Saved::kInputs));
const workload::CostRule kEmbedLayerNorm =
    rule(workload::OpClass::kNormalization, per_output<10>, "10 * outputs");
const workload::CostRule kLpNorm =
    rule(workload::OpClass::kNormalization, per_output<3>, "3 * outputs",
         workload::Fusion::kRowwise, gradients_at_once(6, workload::Saved::kInputs));
const workload::CostRule kMeanVarianceNorm =
    rule(workload::OpClass::kNormalization, per_output<6>, "6 * outputs", workload::Fusion::kKernel,
         gradients_at_once(9, workload::Saved::kInputs));
const workload::CostRule kLrn =
    rule(workload::OpClass::kNormalization, lrn, "outputs * (2 * size + 4)",
         workload::Fusion::kKernel, gradients_at_once(8, workload::Saved::kInputs));

const workload::CostRule kMaxPool =
    rule(workload::OpClass::kPooling, max_pool, "outputs * (window - 1)", workload::Fusion::kKernel,
         gradient_per_input(1, workload::Saved::kInputs));
const workload::CostRule kAveragePool =
    rule(workload::OpClass::kPooling, average_pool, "outputs * window", workload::Fusion::kKernel,
         gradients_at_once(1));
const workload::CostRule kLpPool =
    rule(workload::OpClass::kPooling, lp_pool, "2 * outputs * window", workload::Fusion::kKernel,
         gradients_at_once(3, workload::Saved::kInputs));
const workload::CostRule kGlobalPool = rule(workload::OpClass::kPooling, per_input<1>, "inputs",
                                            workload::Fusion::kKernel, gradients_at_once(1));

const workload::CostRule kReduce = rule(workload::OpClass::kReduction, per_input<1>, "inputs",
                                        workload::Fusion::kRowwise, gradients_at_once(1));
const workload::CostRule kReduceSquare =
    rule(workload::OpClass::kReduction, per_input<2>, "2 * inputs", workload::Fusion::kRowwise,
         gradients_at_once(2, workload::Saved::kInputs));
const workload::CostRule kArgReduce =
    rule(workload::OpClass::kReduction, per_input<1>, "inputs", workload::Fusion::kRowwise);
const workload::CostRule kScanSum = rule(workload::OpClass::kReduction, per_input<1>, "inputs",
                                         workload::Fusion::kKernel, gradients_at_once(1));
const workload::CostRule kSort = rule(workload::OpClass::kReduction, sort, "inputs * compares",
                                      workload::Fusion::kAlone, passed_gradient());
const workload::CostRule kLoss =
    rule(workload::OpClass::kReduction, per_input<8>, "8 * inputs", workload::Fusion::kKernel,
         gradients_at_once(2, workload::Saved::kInputs));
const workload::CostRule kOptimizer =
    rule(workload::OpClass::kOptimizer, per_input<12>, "12 * inputs", workload::Fusion::kAlone);

}  // namespace ridgewatt::cost
