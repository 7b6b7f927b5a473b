// How a runtime turns steps of a plan into kernels, as data: a table per runtime.
//
//   const RuntimeRules& rules = runtime_rules(Runtime::kTensorRt);
//
// Three kinds of rules, applied in this order. Idioms combine expanded operations into the intended
// operator. Chains define what joins a kernel after its head: links in order, each at most once
// unless it repeats. The last fields define the treatment of transpositions, parts and
// concatenations. Operators are named as in ONNX, separated by "|"; "@pointwise" and "@rows" mean
// all operators of these fusion classes of cost_rule.h. Each rule names its source.
#pragma once

#include <span>
#include <string_view>

#include "ridgewatt/device/runtime.h"
#include "ridgewatt/workload/kernel_fusion.h"
#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt::workload {

// Widths of the arithmetic in which a rule holds.
inline constexpr unsigned kIn32 = 1;
inline constexpr unsigned kIn16 = 2;
inline constexpr unsigned kIn8 = 4;
inline constexpr unsigned kInAll = kIn32 | kIn16 | kIn8;

// An operand of a node of an idiom: one of these, or the index of an earlier node.
inline constexpr int kInput = -1;     // the input of the idiom
inline constexpr int kConstant = -2;  // known before the first run
inline constexpr int kTensor = -3;    // any
inline constexpr int kAbsent = -4;

struct IdiomNode {
  std::string_view ops;
  int first = kAbsent;
  int second = kAbsent;  // of Add and Mul the operands may be exchanged
  bool optional = false;
};

struct Idiom {
  std::string_view name;  // the intended operator
  OpClass op_class = OpClass::kOther;
  std::span<const IdiomNode> nodes;
  unsigned widths = kInAll;
  bool equal_heads = false;  // keys and values are equally wide
};

// What a link may read in addition to the kernel's own result.
enum class Reads {
  kConstants,
  kTensor,  // a tensor of the result's size: a residual
  kAny,
};

struct Link {
  std::string_view ops;
  Reads reads = Reads::kConstants;
  bool repeats = false;
  bool no_wide_residual = false;  // joins only if no floating-point residual was added
  bool leads_on = false;  // joins only where its result goes into the next link and nowhere else
};

// The heads of an operator that a chain applies to.
enum class When {
  kAlways,
  kFewChannels,  // the convolution reads an image: at most four channels
  kDepthwise,    // few channels per group
  kSibling,      // another convolution of the same form reads the same tensor
  kWeights,      // a product with constants
  kActivations,  // a product of two results
  kTokens,       // the result is not an image
};

struct Chain {
  std::string_view name;
  std::string_view head;
  When when = When::kAlways;
  unsigned widths = kInAll;
  std::span<const Link> links = {};
  bool writes_parts = false;  // into a part of a larger tensor
  bool shares = false;        // results inside may be read by other kernels, too
  std::string_view source = {};
};

enum class Transposes {
  kKernels,
  kViews,         // consumers read with strides
  kIntoProducts,  // views next to products, convolutions and attention
  kIntoAttention,
};

enum class Concats {
  kKernels,
  kInPlace,        // results are written in place; a copy for each that cannot be
  kFromPointwise,  // results of pointwise kernels are; one kernel copies the others
};

struct RuntimeRules {
  std::span<const Idiom> idioms = {};
  std::span<const Chain> chains = {};  // the first that matches a head is used
  std::string_view parts = {};  // operators whose results are parts of their input, read in place
  Transposes transposes = Transposes::kKernels;
  Concats concats = Concats::kKernels;
  bool joins_siblings = false;       // convolutions of one form on one tensor are one kernel
  bool joins_quantizations = false;  // of one tensor with one scale
  bool reads_narrow = false;         // kernels dequantize what they read
  bool formats = false;              // kernels need specific layouts; bindings are FP32
  bool blocks = false;               // convolutions read and write blocks of 16 channels
};

const RuntimeRules& runtime_rules(Runtime runtime);

const RuntimeRules& tensorrt_rules();
const RuntimeRules& onnxruntime_rules();
const RuntimeRules& onnxruntime_cpu_rules();
const RuntimeRules& torch_compile_rules();
const RuntimeRules& torchscript_rules();

}  // namespace ridgewatt::workload
