// Bytes between memory and processor in the forward pass: the reads and writes of every kernel
// under one of three models, and the peak memory use.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ridgewatt/base/enum_names.h"
#include "ridgewatt/workload/element_widths.h"
#include "ridgewatt/workload/execution_plan.h"
#include "ridgewatt/workload/kernel_fusion.h"

namespace ridgewatt::workload {

enum class TrafficModel {
  kUnfused,  // every operator reads all its inputs and writes all its outputs: upper bound
  kFused,    // every kernel after fusion reads distinct inputs once and writes its outputs once
  kIdeal,    // weights, graph inputs and graph outputs once each: lower bound
};
constexpr auto enum_names(TrafficModel) {
  return named<TrafficModel>({{TrafficModel::kUnfused, "unfused"},
                              {TrafficModel::kFused, "fused"},
                              {TrafficModel::kIdeal, "ideal"}});
}

// Sizes of tensors in a given precision.
class TensorSizes {
 public:
  TensorSizes(const ExecutionPlan& plan, const ElementWidths& precision)
      : plan_(&plan), precision_(&precision) {}
  // `bits` overrides the precision of single tensors. Indexed by the root of their storage; 0: no
  // override.
  TensorSizes(const ExecutionPlan& plan, const ElementWidths& precision,
              const std::vector<std::uint8_t>& bits)
      : plan_(&plan), precision_(&precision), bits_(&bits) {}
  // Returns 0 if an extent is unknown. Nodes with such tensors are reported separately.
  double bytes(TensorId id) const;
  // Bytes of the gradient of a tensor. The gradient of a fake-quantized integer is a real number.
  double gradient_bytes(TensorId id) const;
  double elements(TensorId id) const;

 private:
  const ExecutionPlan* plan_;
  const ElementWidths* precision_;
  const std::vector<std::uint8_t>* bits_ = nullptr;
};

// A tensor that one of a kernel's steps reads from or writes to memory.
struct Access {
  TensorId tensor = kNoTensor;  // root of the storage
  int step = 0;
  double bytes = 0;
};

struct KernelTraffic {
  std::vector<Access> reads;
  std::vector<Access> writes;
};

struct TrafficOptions {
  TrafficModel model = TrafficModel::kFused;
  // For kFused: a tensor is not read again if at most this many bytes were accessed since it was
  // written. 0: no cache.
  double cache_bytes = 0;
  // Tensors that are written to memory even if no later kernel of the forward pass reads them.
  std::vector<TensorId> kept = {};
};

// Returns one entry per kernel, with the bytes of one execution.
std::vector<KernelTraffic> forward_traffic(const ExecutionPlan& plan, const Kernels& kernels,
                                           const TensorSizes& sizes, const TrafficOptions& options);

// Returns the largest total size of the activations that are alive at the same time, in the order
// of the kernels.
double largest_live_set(const ExecutionPlan& plan, const std::vector<KernelTraffic>& traffic,
                        const TensorSizes& sizes);

// Returns the constant that a kernel reads from memory: the tensor before a dequantization that the
// kernel performs itself, or else the tensor `id`.
TensorId stored_constant(const ExecutionPlan& plan, TensorId id);

}  // namespace ridgewatt::workload
