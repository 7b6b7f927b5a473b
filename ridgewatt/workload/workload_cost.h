// The demand of a workload on a device per minibatch: the work and traffic of each kernel.
// Rooflines and twins use no other data of the workload.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_rows.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/device/runtime.h"
#include "ridgewatt/workload/precision.h"

#pragma GCC visibility push(default)

namespace ridgewatt::workload {

// Groups of operators that reach a similar share of a device's peak.
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

// Kind of multiply-accumulate work in an operator, if any.
enum class Contraction { kNone, kConvolution, kDepthwise, kProduct };

struct OpClassRow {
  OpClass id;
  std::string_view name;
  Contraction contraction;
  int rank;      // the step of a fused kernel with the highest rank is its main work
  bool tiles;    // computes tiles of the result; the pipeline fills and drains for each
  bool weights;  // operands given as Constant nodes are weights
  bool rows;     // works on rows, regardless of the layout of an image
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

// The optimizer decides how many tensors of a parameter's size one update reads and writes: SGD 3
// (parameter, gradient, parameter), with momentum 5, Adam 7.
enum class Optimizer { kSgd, kMomentum, kAdam };
constexpr auto enum_names(Optimizer) {
  return named<Optimizer>(
      {{Optimizer::kSgd, "sgd"}, {Optimizer::kMomentum, "momentum"}, {Optimizer::kAdam, "adam"}});
}

enum class Phase { kForward, kBackward, kOptimizer };

// One kernel: work and traffic of one launched operator, or of several operators after fusion.
struct KernelCost {
  std::string name;  // node name
  std::string op;    // operator type, for example "Conv"
  OpClass op_class = OpClass::kOther;
  Phase phase = Phase::kForward;
  std::size_t node = 0;         // index of the node in the analyzed graph
  double work_flop = 0;         // floating-point operations
  double work_int_op = 0;       // integer operations of quantized operators
  double macs = 0;              // multiply-accumulates, included in the numbers above
  double read_bytes = 0;        // DRAM reads
  double weight_bytes = 0;      // constants, a part of read_bytes
  double write_bytes = 0;       // DRAM writes
  double output_elements = 0;   // number of results: the parallelism of the kernel
  double reduction_length = 0;  // length of the sum (k) of a contraction, else 0
  double output_channels = 0;   // columns of the result (per group); 0: unknown
  double window = 1;      // elements of the filter's window (Kh x Kw) of a convolution or pooling
  double row_length = 0;  // innermost extent of the result; 0: unknown
  bool strided = false;   // a softmax along an axis other than the innermost
  double groups = 1;      // groups of a convolution
  bool blocks = false;    // a convolution on blocks of channels
  int launches = 1;       // number of launches
  // Precision of its multiplications. kStored: that of the workload (WorkloadCost::arithmetic).
  Precision precision = Precision::kStored;
  std::vector<std::uint32_t> steps;  // executed steps of the plan, the main work first
  double traffic_bytes() const { return read_bytes + write_bytes; }
};

// The nodes of one operator whose cost is unknown and counts as 0.
struct Uncounted {
  std::string op;
  std::string domain;  // empty for ai.onnx
  int nodes = 0;
  std::string reason;  // "no rule" or "extents not known"
  double share = 0;    // share of all nodes

  std::string full_name() const { return domain.empty() ? op : domain + "." + op; }
};

// Omissions and assumptions of a cost. Report them with every use of the cost.
struct CostCaveats {
  std::vector<Uncounted> uncounted;
  // Assumed values of extents that were not given.
  std::map<std::string, std::int64_t> assumed_dims;
  std::set<std::string> guessed_dims;  // the part of assumed_dims that the file says nothing about
  std::vector<std::string> open_dims;  // extents that are not known
  std::vector<std::string> assumptions;  // branches, trip counts, lengths of caches

  // Returns one line per omission or assumption.
  std::vector<std::string> lines() const;
};

struct WorkloadCost {
  std::string name;  // name of the model
  WorkloadKind kind = WorkloadKind::kInference;
  int batch = 1;
  Precision precision = Precision::kFp32;  // the actual precision; never kStored
  Runtime runtime = Runtime::kPytorchEager;
  // Precision of floating-point arithmetic. Differs from `precision` if a model stores INT8 weights
  // and computes unquantized operations in floating point.
  Precision arithmetic = Precision::kFp32;
  CostCaveats caveats;
  std::vector<KernelCost> kernels;
  double parameter_count = 0;
  double parameter_bytes = 0;
  double input_bytes = 0;        // graph inputs of one minibatch, which a loader must provide
  double input_elements = 0;     // number of elements in these inputs
  double peak_memory_bytes = 0;  // parameters and the largest live set of activations
  // Size of the unrolled (im2col) input of the largest dense convolution: additional memory of an
  // algorithm with explicit matrix products.
  double workspace_bytes = 0;

  double work_flop() const;
  double work_int_op() const;
  double traffic_bytes() const;
  double launches() const;
  double arithmetic_intensity() const { return work_flop() / traffic_bytes(); }
};

}  // namespace ridgewatt::workload

#pragma GCC visibility pop
