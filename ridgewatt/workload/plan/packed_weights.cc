// Weights that are quantized in blocks.
#include <algorithm>
#include <string_view>

#include "ridgewatt/workload/execution_plan.h"

namespace ridgewatt::workload {
namespace {

// Operators that read weights in blocks, with the inputs for weights and scales. Zero points are
// the input after the scales.
struct PackedWeight {
  std::string_view op;
  std::size_t weight, scales;
  bool own_type;  // the type of the weights has as many bits as a weight
};
constexpr PackedWeight kPackedWeights[] = {{"MatMulNBits", 1, 2, false},
                                           {"MatMulBnb4", 1, 2, false},
                                           {"GatherBlockQuantized", 0, 2, false},
                                           {"DequantizeLinear", 0, 1, true}};

// Null if the node reads no weights in blocks.
const PackedWeight* packed_weight(const Node& node) {
  for (const PackedWeight& row : kPackedWeights) {
    if (row.op != node.op || node.inputs.size() <= row.scales) continue;
    const bool blocks = !row.own_type || node.integer("block_size", 0) > 0;
    return blocks && node.inputs[row.weight] != kNoTensor ? &row : nullptr;
  }
  return nullptr;
}

}  // namespace

double packed_values(const ExecutionPlan& plan, const Step& step, TensorId weight) {
  const PackedWeight* row = packed_weight(*step.node);
  if (row == nullptr || row->own_type || step.node->inputs[row->weight] != weight) return 1;
  const std::int64_t bits = step.node->integer("bits", 4);
  const double stored = data_type_bits(plan.tensor(weight).dtype);
  return bits > 0 ? std::max(stored / static_cast<double>(bits), 1.0) : 1;
}

std::vector<TensorId> scales_of(const ExecutionPlan& plan, const Step& step) {
  std::vector<TensorId> scales;
  const PackedWeight* row = packed_weight(*step.node);
  const auto& inputs = step.node->inputs;
  if (row == nullptr || !plan.is_constant(inputs[row->weight])) return scales;
  for (std::size_t i = row->scales; i < std::min(row->scales + 2, inputs.size()); ++i) {
    if (inputs[i] != kNoTensor && plan.is_constant(inputs[i])) scales.push_back(inputs[i]);
  }
  return scales;
}

}  // namespace ridgewatt::workload
