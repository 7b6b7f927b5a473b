// Helpers for the cost rules, internal to the module. Unknown extents are NaN.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>

#include "ridgewatt/workload/cost_rule.h"
#include "ridgewatt/workload/infer/op_registry.h"

namespace ridgewatt::workload::cost {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

inline double elements(const Tensor& tensor) {
  const auto count = tensor.element_count();
  return count ? static_cast<double>(*count) : kUnknown;
}

// Extent of an axis; a negative axis counts from the end. NaN if the extent or the rank is unknown.
double extent(const Tensor& tensor, int axis);

// Product of the extents from axis `first` on.
double extents_from(const Tensor& tensor, std::size_t first);

inline double inputs_of(const OpContext& op, Terms& t) {
  return t("inputs", elements(op.input(0)));
}
inline double outputs_of(const OpContext& op, Terms& t) {
  return t("outputs", elements(op.output(0)));
}

// Costs of kOperations per output element, and per element of the first input.
template <int kOperations>
OpCost per_output(const OpContext& op, Terms& t) {
  return {.flops = kOperations * outputs_of(op, t)};
}
template <int kOperations>
OpCost per_input(const OpContext& op, Terms& t) {
  return {.flops = kOperations * inputs_of(op, t)};
}
inline OpCost no_operations(const OpContext&, Terms&) {
  return {};
}

// The part of a rule about the backward pass. See CostRule for the members.
struct Backward {
  Gradient gradient = Gradient::kNone;
  double flops = 0;
  Saved saved = Saved::kNothing;
};
constexpr Backward passed_gradient() {
  return {.gradient = Gradient::kPass};
}
// `flops` per output element, for every input.
constexpr Backward gradient_per_input(double flops, Saved saved = Saved::kNothing) {
  return {Gradient::kPerInput, flops, saved};
}
// `flops` per element of the first input, for all gradients together.
constexpr Backward gradients_at_once(double flops, Saved saved = Saved::kNothing) {
  return {Gradient::kOnce, flops, saved};
}
constexpr Backward contraction_gradients(Saved saved) {
  return {.gradient = Gradient::kContraction, .saved = saved};
}

using Forward = OpCost (*)(const OpContext&, Terms&);
constexpr CostRule rule(OpClass op_class, Forward forward, std::string_view formula,
                        Fusion fusion = Fusion::kKernel, Backward backward = {}) {
  return {.op_class = op_class,
          .forward = forward,
          .formula = formula,
          .fusion = fusion,
          .gradient = backward.gradient,
          .gradient_flops = backward.flops,
          .saved = backward.saved};
}
constexpr CostRule pointwise(Forward forward, std::string_view formula, Backward backward = {}) {
  return rule(OpClass::kElementwise, forward, formula, Fusion::kPointwise, backward);
}

// For example, "5 * outputs", with a trailing 0.
template <int kOperations>
inline constexpr auto kPerOutputFormula = [] {
  static_assert(kOperations > 1 && kOperations < 100);
  constexpr std::string_view kTimes = " * outputs";
  std::array<char, kTimes.size() + 3> text{};
  char* end = text.data();
  if (kOperations >= 10) *end++ = static_cast<char>('0' + kOperations / 10);
  *end++ = static_cast<char>('0' + kOperations % 10);
  for (const char c : kTimes) *end++ = c;
  return text;
}();
// A pointwise rule with kOperations per output element.
template <int kOperations>
constexpr CostRule per_element(Backward backward = {}) {
  if constexpr (kOperations == 1) {
    return pointwise(per_output<1>, "outputs", backward);
  } else {
    return pointwise(per_output<kOperations>, kPerOutputFormula<kOperations>.data(), backward);
  }
}

}  // namespace ridgewatt::workload::cost
