// Costs of operators for images, signals and classical machine learning.
#include <algorithm>

#include "ridgewatt/workload/cost/cost_rules.h"
#include "ridgewatt/workload/cost/cost_terms.h"

namespace ridgewatt::workload::cost {
namespace {

// Samples that an interpolation reads along one axis.
double taps_of(std::string_view mode) {
  if (mode == "linear" || mode == "bilinear") return 2;
  return mode == "cubic" || mode == "bicubic" ? 4 : 0;
}

// Nearest mode is a copy. Linear and cubic modes read 2 or 4 samples along each axis that changes.
OpCost resize(const OpContext& op, Terms& t) {
  const double side = taps_of(op.node().text("mode", "nearest"));
  const Tensor& x = op.input(0);
  const Tensor& y = op.output(0);
  double taps = side > 0 ? 1 : 0;
  if (side > 0 && x.shape && y.shape && x.shape->size() == y.shape->size()) {
    for (std::size_t i = 0; i < x.shape->size(); ++i) {
      if ((*x.shape)[i] != (*y.shape)[i]) taps *= side;
    }
  }
  return {.flops = 2 * t("taps", taps) * outputs_of(op, t)};
}

OpCost grid_sample(const OpContext& op, Terms& t) {
  const double side = taps_of(op.node().text("mode", "linear"));
  const double axes = extent(op.input(1), -1);  // coordinates of a position in the image
  return {.flops = 2 * t("taps", side > 0 ? std::pow(side, axes) : 0) * outputs_of(op, t)};
}

OpCost roi_align(const OpContext& op, Terms& t) {
  const auto ratio = static_cast<double>(op.node().integer("sampling_ratio", 0));
  // 0 lets the operator choose. Detectors are trained with two samples per side.
  const double samples = t("samples", ratio > 0 ? ratio * ratio : 4);
  return {.flops = 8 * samples * outputs_of(op, t)};
}

// Radix-2 transforms of complex numbers: 5 n log2(n) operations each (Van Loan, 1992).
OpCost fourier(const OpContext& op, Terms& t) {
  const double outputs = outputs_of(op, t);
  double length = extent(op.output(0), -2);  // STFT: [batch, frames, bins, 2]
  if (op.node().op == "DFT") {
    const auto axis = static_cast<int>(op.node().integer("axis", 1));
    length = extent(op.input(0), axis);
  }
  return {.flops = 2.5 * outputs * t("stages", std::log2(std::max(2.0, length)))};
}

// Compares each box with all other boxes of its class, with 16 operations per overlap.
OpCost non_max_suppression(const OpContext& op, Terms& t) {
  const double batch = t("batch", extent(op.input(1), 0));
  const double classes = t("classes", extent(op.input(1), 1));
  const double boxes = t("boxes", extent(op.input(1), 2));
  return {.flops = 16 * batch * classes * boxes * boxes / 2};
}

// Comparisons on the path down each tree. The trees are assumed to be balanced.
OpCost trees(const OpContext& op, Terms& t) {
  const auto* nodes = op.node().integers("nodes_featureids");
  const auto* roots = op.node().integers("tree_roots");
  const auto* ids = op.node().integers("nodes_treeids");
  double tree_count = roots != nullptr ? static_cast<double>(roots->size()) : 1;
  if (ids != nullptr && !ids->empty()) {
    tree_count = static_cast<double>(*std::max_element(ids->begin(), ids->end()) + 1);
  }
  const double node_count = nodes != nullptr ? static_cast<double>(nodes->size()) : kUnknown;
  const double depth = t("depth", std::log2(std::max(1.0, node_count / tree_count) + 1));
  return {.flops = t("samples", extent(op.input(0), 0)) * t("trees", tree_count) * depth};
}

OpCost linear_model(const OpContext& op, Terms& t) {
  const double depth = t("k", extent(op.input(0), -1));
  const double outputs = t("targets", extent(op.input(0), 0) * extent(op.output(0), -1));
  return {outputs * depth, 2 * outputs * depth + outputs, depth};
}

}  // namespace

const CostRule kResize = rule(OpClass::kDataMovement, resize, "2 * taps * outputs", Fusion::kKernel,
                              gradients_at_once(1));
const CostRule kGridSample = rule(OpClass::kDataMovement, grid_sample, "2 * taps * outputs",
                                  Fusion::kKernel, gradients_at_once(8, Saved::kInputs));
const CostRule kAffineGrid = rule(OpClass::kElementwise, per_output<6>, "6 * outputs",
                                  Fusion::kKernel, gradient_per_input(6));
const CostRule kRoiAlign = rule(OpClass::kPooling, roi_align, "8 * samples * outputs",
                                Fusion::kKernel, gradient_per_input(16));
const CostRule kRoiPool = rule(OpClass::kPooling, per_output<1>, "outputs");
const CostRule kFourier = rule(OpClass::kOther, fourier, "2.5 * outputs * stages");
const CostRule kMelWeights = rule(OpClass::kElementwise, per_output<4>, "4 * outputs");
const CostRule kNonMaxSuppression = rule(OpClass::kOther, non_max_suppression,
                                         "8 * batch * classes * boxes * boxes", Fusion::kAlone);
const CostRule kTrees = rule(OpClass::kOther, trees, "samples * trees * depth", Fusion::kAlone);
const CostRule kLinearModel = rule(OpClass::kGemm, linear_model, "2 * targets * k + targets");

}  // namespace ridgewatt::workload::cost
