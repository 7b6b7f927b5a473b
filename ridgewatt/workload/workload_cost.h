// What a workload asks of a device per minibatch: the only thing that the rooflines know of a
// model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/base/workload_kind.h"
#include "ridgewatt/device/runtime.h"
#include "ridgewatt/workload/precision.h"

namespace ridgewatt::workload {

// Operators that reach a like fraction of a device's peak.
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
constexpr auto enum_names(OpClass) {
  return named<OpClass>({{OpClass::kConv, "convolution"},
                         {OpClass::kDepthwiseConv, "depthwise convolution"},
                         {OpClass::kGemm, "matrix product"},
                         {OpClass::kRecurrent, "recurrent"},
                         {OpClass::kAttention, "attention"},
                         {OpClass::kElementwise, "element-wise"},
                         {OpClass::kNormalization, "normalization"},
                         {OpClass::kReduction, "reduction"},
                         {OpClass::kPooling, "pooling"},
                         {OpClass::kSoftmax, "softmax"},
                         {OpClass::kDataMovement, "data movement"},
                         {OpClass::kOptimizer, "optimizer"},
                         {OpClass::kOther, "other"}});
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
  double output_channels = 0;   // columns of its result (of one group), 0 where not known
  double window = 1;  // elements of the filter's window (Kh x Kw) of a convolution or pooling
  int launches = 1;   // kernels launched
  // In which it multiplies; kStored: in the workload's arithmetic.
  Precision precision = Precision::kStored;
  std::vector<std::uint32_t> steps;  // of the plan that it executes, the main work first
  double traffic_bytes() const { return read_bytes + write_bytes; }
};

// Nodes of one operator whose cost is not known, and so counts as nothing.
struct Uncounted {
  std::string op;
  std::string domain;  // empty for ai.onnx
  int nodes = 0;
  std::string reason;  // "no rule" or "extents not known"
  double share = 0;    // of all nodes

  std::string full_name() const { return domain.empty() ? op : domain + "." + op; }
};

// What a cost leaves out and what it rests on: to be said wherever the cost is used.
struct CostCaveats {
  std::vector<Uncounted> uncounted;
  std::map<std::string, std::int64_t> assumed_dims;  // open extents that nobody gave
  std::vector<std::string> open_dims;                // extents that stayed open
  std::vector<std::string> assumptions;              // branches, trip counts, lengths of caches

  // One line for each.
  std::vector<std::string> lines() const;
};

struct WorkloadCost {
  std::string name;  // of the model
  WorkloadKind kind = WorkloadKind::kInference;
  int batch = 1;
  Precision precision = Precision::kFp32;  // never kStored: what that means for the model
  Runtime runtime = Runtime::kPytorchEager;
  // Of floating-point arithmetic. Differs from `precision` where a model stores INT8 weights and
  // computes in floating point what is not quantized.
  Precision arithmetic = Precision::kFp32;
  CostCaveats caveats;
  std::vector<KernelCost> kernels;
  double parameter_count = 0;
  double parameter_bytes = 0;
  double input_bytes = 0;        // graph inputs of one minibatch: what a loader must bring
  double peak_memory_bytes = 0;  // parameters and the largest live set of activations
  // The input of the largest dense convolution, unrolled into a matrix: what an algorithm by
  // explicit products needs beside the tensors.
  double workspace_bytes = 0;

  double work_flop() const;
  double work_int_op() const;
  double traffic_bytes() const;
  double launches() const;
  double arithmetic_intensity() const { return work_flop() / traffic_bytes(); }
};

}  // namespace ridgewatt::workload
