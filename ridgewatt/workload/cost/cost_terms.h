// What the cost rules have in common: extents as numbers, NaN where they are not known. Inside the
// room only.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "ridgewatt/workload/cost_rule.h"
#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::cost {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

inline double elements(const workload::Tensor& tensor) {
  const auto count = tensor.element_count();
  return count ? static_cast<double>(*count) : kUnknown;
}

// Extent of an axis, counted from the end when negative; NaN when it or the rank is not known.
double extent(const workload::Tensor& tensor, int axis);

// Product of the extents from axis `first` on.
double extents_from(const workload::Tensor& tensor, std::size_t first);

inline double inputs_of(const workload::OpContext& op, workload::Terms& t) {
  return t("inputs", elements(op.input(0)));
}
inline double outputs_of(const workload::OpContext& op, workload::Terms& t) {
  return t("outputs", elements(op.output(0)));
}

// kOperations per output element; per element of the first input.
template <int kOperations>
workload::OpCost per_output(const workload::OpContext& op, workload::Terms& t) {
  return {.flops = kOperations * outputs_of(op, t)};
}
template <int kOperations>
workload::OpCost per_input(const workload::OpContext& op, workload::Terms& t) {
  return {.flops = kOperations * inputs_of(op, t)};
}
inline workload::OpCost no_operations(const workload::OpContext&, workload::Terms&) {
  return {};
}

// What the backward pass costs: a part of a rule.
struct Backward {
  workload::Gradient gradient = workload::Gradient::kNone;
  double flops = 0;
  workload::Saved saved = workload::Saved::kNothing;
};
constexpr Backward passed_gradient() {
  return {.gradient = workload::Gradient::kPass};
}
// `flops` per output element, for every input.
constexpr Backward gradient_per_input(double flops,
                                      workload::Saved saved = workload::Saved::kNothing) {
  return {workload::Gradient::kPerInput, flops, saved};
}
// `flops` per element of the first input, for all inputs together.
constexpr Backward gradients_at_once(double flops,
                                     workload::Saved saved = workload::Saved::kNothing) {
  return {workload::Gradient::kOnce, flops, saved};
}
constexpr Backward contraction_gradients(workload::Saved saved) {
  return {.gradient = workload::Gradient::kContraction, .saved = saved};
}

using Forward = workload::OpCost (*)(const workload::OpContext&, workload::Terms&);
constexpr workload::CostRule rule(workload::OpClass op_class, Forward forward,
                                  std::string_view formula,
                                  workload::Fusion fusion = workload::Fusion::kKernel,
                                  Backward backward = {}) {
  return {.op_class = op_class,
          .forward = forward,
          .formula = formula,
          .fusion = fusion,
          .gradient = backward.gradient,
          .gradient_flops = backward.flops,
          .saved = backward.saved};
}
constexpr workload::CostRule pointwise(Forward forward, std::string_view formula,
                                       Backward backward = {}) {
  return rule(workload::OpClass::kElementwise, forward, formula, workload::Fusion::kPointwise,
              backward);
}

}  // namespace ridgewatt::cost
