// The demand of a workload on a device per minibatch: all that rooflines know about a model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/device/runtime.h"
#include "ridgewatt/workload/precision.h"

#pragma GCC visibility push(default)

namespace ridgewatt::workload {

// Operators that reach a similar fraction of a device's peak.
enum class OpClass {
  kConv,           // dense convolution and transposed convolution
  kDepthwiseConv,  // grouped convolution with few channels per group
  kGemm,           // Gemm, MatMul, Einsum contraction
  kRecurrent,      // LSTM, GRU, RNN
  kAttention,      // fused attention
  kElementwise,
  kNormalization,
  kReduction,
  kPooling,
  kSoftmax,
  kDataMovement,  // Transpose, Concat, Gather, Pad, copies
  kOptimizer,     // parameter update of a training step
  kOther,
};

// The multiplying and summing part of an operator, if any.
enum class Contraction { kNone, kConvolution, kDepthwise, kProduct };

struct OpClassRow {
  OpClass id;
  std::string_view name;
  Contraction contraction;
  int rank;      // the part of a fused kernel with the highest rank is its main work
  bool tiles;    // tiles of the result wait while the pipeline of the sum fills and empties
  bool weights;  // operands that are written as Constant nodes are weights
  bool rows;     // works on rows, whatever the layout of an image
};
inline constexpr auto kOpClassRows = enum_rows<OpClassRow>({
    {OpClass::kConv, "convolution", Contraction::kConvolution, 3, true, true, false},
    {OpClass::kDepthwiseConv, "depthwise convolution", Contraction::kDepthwise, 3, false, false,
     false},
    {OpClass::kGemm, "matrix product", Contraction::kProduct, 3, true, true, true},
    {OpClass::kRecurrent, "recurrent", Contraction::kProduct, 3, false, true, true},
    {OpClass::kAttention, "attention", Contraction::kProduct, 3, true, true, true},
    {OpClass::kElementwise, "element-wise", Contraction::kNone, 1, false, false, false},
    {OpClass::kNormalization, "normalization", Contraction::kNone, 2, false, true, false},
    {OpClass::kReduction, "reduction", Contraction::kNone, 2, false, false, false},
    {OpClass::kPooling, "pooling", Contraction::kNone, 2, false, false, false},
    {OpClass::kSoftmax, "softmax", Contraction::kNone, 2, false, false, true},
    {OpClass::kDataMovement, "data movement", Contraction::kNone, 0, false, false, false},
    {OpClass::kOptimizer, "optimizer", Contraction::kNone, 0, false, false, false},
    {OpClass::kOther, "other", Contraction::kNone, 0, false, false, false},
});
constexpr auto enum_names(OpClass) {
  return names_of(kOpClassRows);
}
constexpr Contraction contraction_of(OpClass op_class) {
  return kOpClassRows[op_class].contraction;
}

// Tensors of a parameter's size that one update reads and writes: SGD 3 (parameter, gradient,
// parameter), with momentum 5, Adam 7.
enum class Optimizer { kSgd, kMomentum, kAdam };
constexpr auto enum_names(Optimizer) {
  return named<Optimizer>(
      {{Optimizer::kSgd, "sgd"}, {Optimizer::kMomentum, "momentum"}, {Optimizer::kAdam, "adam"}});
}

enum class Phase { kForward, kBackward, kOptimizer };

// One kernel: the work W and traffic Q of one launched operator (after fusion, where asked).
struct KernelCost {
  std::string name;  // node name
  std::string op;    // operator type, for example "Conv"
  OpClass op_class = OpClass::kOther;
  Phase phase = Phase::kForward;
  std::size_t node = 0;         // index of the node in the analyzed graph
  double work_flop = 0;         // floating-point operations
  double work_int_op = 0;       // integer operations of quantized operators
  double macs = 0;              // multiply-accumulates among them
  double read_bytes = 0;        // DRAM reads
  double weight_bytes = 0;      // of them, of constants
  double write_bytes = 0;       // DRAM writes
  double output_elements = 0;   // how parallel the kernel is
  double reduction_length = 0;  // k of a contraction, 0 otherwise
  double output_channels = 0;   // columns of its result (of one group), 0 if unknown
  double window = 1;      // elements of the filter's window (Kh x Kw) of a convolution or pooling
  double row_length = 0;  // innermost extent of the result, 0 if unknown
  bool strided = false;   // a softmax along another axis than the innermost
  double groups = 1;      // of a convolution
  bool blocks = false;    // a convolution that works on blocks of channels
  int launches = 1;       // kernels launched
  // Precision of its multiplications; kStored: the workload's arithmetic.
  Precision precision = Precision::kStored;
  std::vector<std::uint32_t> steps;  // of the plan that it executes, the main work first
  double traffic_bytes() const { return read_bytes + write_bytes; }
};

// Nodes of one operator whose cost is unknown and counts as 0.
struct Uncounted {
  std::string op;
  std::string domain;  // empty for ai.onnx
  int nodes = 0;
  std::string reason;  // "no rule" or "extents not known"
  double share = 0;    // of all nodes

  std::string full_name() const { return domain.empty() ? op : domain + "." + op; }
};

// Omissions and assumptions of a cost: report them with every use of it.
struct CostCaveats {
  std::vector<Uncounted> uncounted;
  std::map<std::string, std::int64_t> assumed_dims;  // open extents without a given value
  std::vector<std::string> open_dims;                // extents that stayed open
  std::vector<std::string> assumptions;              // branches, trip counts, lengths of caches

  // One line for each.
  std::vector<std::string> lines() const;
};

struct WorkloadCost {
  std::string name;  // of the model
  WorkloadKind kind = WorkloadKind::kInference;
  int batch = 1;
  Precision precision = Precision::kFp32;  // never kStored: the actual precision of the model
  Runtime runtime = Runtime::kPytorchEager;
  // Precision of floating-point arithmetic. It differs from `precision` if a model stores INT8
  // weights and computes unquantized operations in floating point.
  Precision arithmetic = Precision::kFp32;
  CostCaveats caveats;
  std::vector<KernelCost> kernels;
  double parameter_count = 0;
  double parameter_bytes = 0;
  double input_bytes = 0;        // graph inputs of one minibatch: what a loader must bring
  double input_elements = 0;     // of them, numbers
  double peak_memory_bytes = 0;  // parameters and the largest live set of activations
  // The input of the largest dense convolution, unrolled into a matrix: the additional memory of an
  // algorithm by explicit products.
  double workspace_bytes = 0;

  double work_flop() const;
  double work_int_op() const;
  double traffic_bytes() const;
  double launches() const;
  double arithmetic_intensity() const { return work_flop() / traffic_bytes(); }
};

}  // namespace ridgewatt::workload

#pragma GCC visibility pop
