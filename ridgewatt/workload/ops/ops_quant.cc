// Quantization.
#include "ridgewatt/workload/infer/infer_context.h"

namespace ridgewatt::workload {
namespace {

void quantize(InferContext& c) {
  DataType type = DataType::kUint8;
  if (c.has_input(2)) {
    type = c.dtype(2);
  } else if (const auto named = data_type_from_number(c.node().integer("output_dtype", 0));
             named && *named != DataType::kUndefined) {
    type = *named;
  }
  c.set(0, type, c.input(0).shape);
}

void dequantize(InferContext& c) {
  const auto named = data_type_from_number(c.node().integer("output_dtype", 0));
  DataType type = c.opset() < 19 && c.node().domain.empty() ? DataType::kFloat : c.dtype(1);
  if (named && *named != DataType::kUndefined) type = *named;
  c.set(0, type, c.input(0).shape);
}

void dynamic_quantize(InferContext& c) {
  c.set(0, DataType::kUint8, c.input(0).shape);
  c.set(1, DataType::kFloat, Shape{});
  c.set(2, DataType::kUint8, Shape{});
}

constexpr OpEntry kQuantOps[] = {
    {.name = "QuantizeLinear", .shape = quantize},
    {.name = "DequantizeLinear", .shape = dequantize},
    {.name = "DynamicQuantizeLinear", .shape = dynamic_quantize},
    {.name = "QuantizeLinear", .domain = "com.microsoft", .shape = quantize},
    {.name = "DequantizeLinear", .domain = "com.microsoft", .shape = dequantize},
};

}  // namespace

std::span<const OpEntry> quant_ops() {
  return kQuantOps;
}

}  // namespace ridgewatt::workload
