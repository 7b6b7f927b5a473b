// The rules by which a runtime turns steps of a plan into kernels, as one table per runtime.
//
//   const RuntimeRules& rules = runtime_rules(Runtime::kTensorRt);
//
// Rules are applied in this order. Idioms combine expanded operations into the original operator.
// Chains define the steps that join a kernel after its head. The links of a chain are tried in
// order, each at most once unless it repeats. The other fields of RuntimeRules define the treatment
// of transpositions, slices and concatenations. Operators are named as in ONNX and separated by
// "|". "@pointwise" and "@rows" mean all operators of these fusion classes (cost_rule.h). Each rule
// names its source.
#pragma once

#include <span>
#include <string_view>

#include "ridgewatt/device/runtime.h"
#include "ridgewatt/workload/kernel_fusion.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Bit mask of the arithmetic widths for which a rule holds.
inline constexpr unsigned kIn32 = 1;
inline constexpr unsigned kIn16 = 2;
inline constexpr unsigned kIn8 = 4;
inline constexpr unsigned kInAll = kIn32 | kIn16 | kIn8;

// Operand of an idiom's node: one of these constants, or the index of an earlier node.
inline constexpr int kInput = -1;     // the input of the idiom
inline constexpr int kConstant = -2;  // a value known before the first run
inline constexpr int kTensor = -3;    // any tensor
inline constexpr int kAbsent = -4;

struct IdiomNode {
  std::string_view ops;
  int first = kAbsent;
  int second = kAbsent;  // the operands of Add and Mul may be exchanged
  bool optional = false;
};

struct Idiom {
  std::string_view name;  // the original operator
  OpClass op_class = OpClass::kOther;
  std::span<const IdiomNode> nodes;
  unsigned widths = kInAll;
  bool equal_heads = false;  // keys and values must have equal widths
};

// Operands that a link may read in addition to the result of the kernel.
enum class Reads {
  kConstants,
  kTensor,  // a tensor of the result's size (a residual)
  kAny,
};

struct Link {
  std::string_view ops;
  Reads reads = Reads::kConstants;
  bool repeats = false;
  bool no_wide_residual = false;  // joins only if the kernel adds no floating-point residual
  bool leads_on = false;  // joins only if its result is used by the next link and nowhere else
};

// Condition for the head of a chain.
enum class When {
  kAlways,
  kFewChannels,  // the convolution reads an image: at most four channels
  kDepthwise,    // a convolution with few channels per group
  kSibling,      // another convolution of the same form reads the same tensor
  kWeights,      // a product with constants
  kActivations,  // a product of two computed tensors
  kTokens,       // the result is not an image
};

struct Chain {
  std::string_view name;
  std::string_view head;
  When when = When::kAlways;
  unsigned widths = kInAll;
  std::span<const Link> links = {};
  bool writes_parts = false;  // may write into a part of a larger tensor
  bool shares = false;        // other kernels may also read intermediate results
  bool reals = false;         // only if the head does not compute with 8-bit integers
  std::string_view source = {};
};

// Treatment of transpositions.
enum class Transposes {
  kKernels,
  kViews,         // consumers read with strides
  kIntoProducts,  // views next to products, convolutions and attention; else kernels
  kIntoAttention,
  kBeforeProducts,  // views where only products read them
};

// Treatment of concatenations.
enum class Concats {
  kKernels,
  kInPlace,        // producers write their parts in place; one copy for each other part
  kFromPointwise,  // pointwise producers write in place; one kernel copies all other parts
};

struct RuntimeRules {
  std::span<const Idiom> idioms = {};
  unsigned activations = 0;            // mask of the activations that it recognizes: activations.h
  std::span<const Chain> chains = {};  // the first one that matches a head is used
  std::string_view parts = {};  // operators whose result is a part of their input, read in place
  Transposes transposes = Transposes::kKernels;
  Concats concats = Concats::kKernels;
  // Convolutions of the same form on the same tensor become one kernel.
  bool joins_siblings = false;
  bool joins_quantizations = false;  // quantizations of one tensor with the same scale become one
  bool reads_narrow = false;         // kernels dequantize their inputs
  // Kernels need specific layouts, and inputs and outputs are FP32 (formats.h).
  bool formats = false;
  bool blocks = false;  // convolutions read and write blocks of 16 channels
  // Operators of kernels whose time is modelled; empty: all.
  std::string_view modelled = {};
};

const RuntimeRules& runtime_rules(Runtime runtime);
// Throws NotSupportedError if the time of a kernel in `runtime` is not modelled.
void refuse_unmodelled(const WorkloadCost& cost, Runtime runtime);

}  // namespace ridgewatt::workload
