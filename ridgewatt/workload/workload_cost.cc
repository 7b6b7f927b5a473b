#include "ridgewatt/workload/workload_cost.h"

namespace ridgewatt {

std::string_view op_class_name(OpClass op_class) {
  switch (op_class) {
    case OpClass::kConv:
      return "convolution";
    case OpClass::kDepthwiseConv:
      return "depthwise convolution";
    case OpClass::kGemm:
      return "matrix product";
    case OpClass::kRecurrent:
      return "recurrent";
    case OpClass::kAttention:
      return "attention";
    case OpClass::kElementwise:
      return "element-wise";
    case OpClass::kNormalization:
      return "normalization";
    case OpClass::kReduction:
      return "reduction";
    case OpClass::kPooling:
      return "pooling";
    case OpClass::kSoftmax:
      return "softmax";
    case OpClass::kDataMovement:
      return "data movement";
    case OpClass::kOptimizer:
      return "optimizer";
    case OpClass::kOther:
      return "other";
  }
  return "";
}

double WorkloadCost::work_flop() const {
  double sum = 0;
  for (const auto& kernel : kernels) sum += kernel.work_flop;
  return sum;
}

double WorkloadCost::work_int_op() const {
  double sum = 0;
  for (const auto& kernel : kernels) sum += kernel.work_int_op;
  return sum;
}

double WorkloadCost::traffic_bytes() const {
  double sum = 0;
  for (const auto& kernel : kernels) sum += kernel.traffic_bytes();
  return sum;
}

double WorkloadCost::launches() const {
  double sum = 0;
  for (const auto& kernel : kernels) sum += kernel.launches;
  return sum;
}

}  // namespace ridgewatt
