// TensorFlow Lite with XNNPACK on a processor.
//
// Sources: [convert] tools/runtimes/tflite/to_tflite.py, which folds and fuses as TensorFlow's
// converter does: BatchNormalization is folded into convolutions; convolutions, products with
// weights, sums and products of tensors absorb ReLU and ReLU6 (the option
// fused_activation_function in TensorFlow Lite's schema.fbs). Images have their channels last, so
// there are no blocks of channels.
#include "ridgewatt/workload/runtimes/fusion_rules.h"

namespace ridgewatt::workload {
namespace {

constexpr Link kLiteConvolution[] = {{.ops = "BatchNormalization", .repeats = true},
                                     {.ops = "Relu|Clip"}};
constexpr Link kLiteProduct[] = {{.ops = "Add"}, {.ops = "Relu|Clip"}};
constexpr Link kLitePointwise[] = {{.ops = "Relu|Clip"}};

constexpr Chain kLiteChains[] = {
    {.name = "convolution",
     .head = "Conv",
     .links = kLiteConvolution,
     .source = "[convert] CONV_2D and DEPTHWISE_CONV_2D"},
    {.name = "product with weights",
     .head = "Gemm|MatMul",
     .when = When::kWeights,
     .links = kLiteProduct,
     .source = "[convert] FULLY_CONNECTED"},
    {.name = "pointwise",
     .head = "Add|Sub|Mul|Div|BatchNormalization",
     .links = kLitePointwise,
     .source = "[convert] ADD, SUB, MUL and DIV; a normalization is MUL and ADD"},
};

// [convert] The operators that were measured.
constexpr std::string_view kLiteOperators =
    "Conv|Gemm|MatMul|BatchNormalization|MaxPool|AveragePool|GlobalAveragePool|ReduceMean|Relu|"
    "Clip|Sigmoid|Tanh|HardSwish|HardSigmoid|LeakyRelu|Add|Sub|Mul|Div|Concat|Softmax|Transpose";

constexpr RuntimeRules kTfliteCpu{.chains = kLiteChains, .modelled = kLiteOperators};

}  // namespace

const RuntimeRules& tflite_cpu_rules() {
  return kTfliteCpu;
}

}  // namespace ridgewatt::workload
