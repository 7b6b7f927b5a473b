// ONNX Runtime's CUDA and CPU execution providers at their highest level of graph optimization.
//
// Sources: [ort] ONNX Runtime, documentation "Graph Optimizations in ONNX Runtime": basic fusions
// (constant folding; convolution with BatchNormalization, Mul, Add; MatMul with Add) and extended
// fusions of the CUDA provider (Gelu, BiasGelu, QuickGelu, LayerNormalization,
// SkipLayerNormalization, Attention).
// [profiles] per-node profiles of ONNX Runtime 1.30 on x86-64 with AVX-512. The graphs have two
// convolutions with one operator between them (tools/runtimes).
#include <iterator>

#include "ridgewatt/workload/runtimes/activations.h"
#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/idioms.h"

namespace ridgewatt::workload {
namespace {

constexpr Idiom kOrtIdioms[] = {
    {"LayerNormalization", OpClass::kNormalization, idioms::kLayerNorm},
    {"SimplifiedLayerNormalization", OpClass::kNormalization, idioms::kRmsNorm},
    {"SimplifiedLayerNormalization", OpClass::kNormalization, idioms::kRmsNormReciprocal},
    {"Attention", OpClass::kAttention, idioms::kAttention, kInAll, true},  // CUDA only
};
constexpr std::span<const Idiom> kOrtCpuIdioms(kOrtIdioms, std::size(kOrtIdioms) - 1);

constexpr Link kOrtConvolution[] = {{.ops = "BatchNormalization|Mul|Add", .repeats = true},
                                    {.ops = "Add", .reads = Reads::kTensor, .leads_on = true},
                                    {.ops = "Relu"}};
constexpr Link kOrtProduct[] = {{.ops = "Add"}};
constexpr Link kOrtAdd[] = {{.ops = "Add", .reads = Reads::kTensor},
                            {.ops = "LayerNormalization|SimplifiedLayerNormalization|Gelu"}};

constexpr Chain kOrtChains[] = {
    {.name = "convolution",
     .head = "Conv",
     .links = kOrtConvolution,
     .source = "[ort] folded scales; FusedConv of cuDNN: Conv, Add, Relu"},
    {.name = "product with weights",
     .head = "Gemm|MatMul",
     .when = When::kWeights,
     .links = kOrtProduct,
     .source = "[ort] MatMul and Add are one Gemm"},
    {.name = "skip and normalization",
     .head = "Add",
     .links = kOrtAdd,
     .source = "[ort] SkipLayerNormalization, BiasGelu"},
};

constexpr RuntimeRules kOnnxRuntime{.idioms = kOrtIdioms,
                                    .activations = activations::kByOnnxRuntime,
                                    .chains = kOrtChains,
                                    .transposes = Transposes::kIntoAttention};

constexpr Link kOrtCpuConvolution[] = {{.ops = "BatchNormalization|Mul|Add", .repeats = true},
                                       {.ops = "Add", .reads = Reads::kTensor},
                                       {.ops = activations::kAfterOrtCpuWork}};
constexpr Link kOrtCpuActivation[] = {{.ops = activations::kAfterOrtCpuWork}};
constexpr Link kOrtCpuProduct[] = {{.ops = "Mul|Div"}};
constexpr Link kOrtCpuInteger[] = {
    {.ops = "Cast"}, {.ops = "Mul", .reads = Reads::kAny}, {.ops = "Add"}};
constexpr Link kOrtCpuBias[] = {{.ops = "Gelu|FastGelu"}};

constexpr Chain kOrtCpuChains[] = {
    {.name = "convolution",
     .head = "Conv",
     .when = When::kWeights,
     .links = kOrtCpuConvolution,
     .reals = true,
     .source = "[profiles] folded scales; a residual and an activation join"},
    {.name = "convolution with weights that are dequantized, product",
     .head = "Conv|Gemm",
     .links = kOrtCpuActivation,
     .reals = true,
     .source = "[profiles] FusedConv, FusedGemm"},
    {.name = "product of activations",
     .head = "MatMul",
     .when = When::kActivations,
     .links = kOrtCpuProduct,
     .reals = true,
     .source = "[profiles] FusedMatMul takes the scale of attention"},
    {.name = "dynamic quantization",
     .head = "MatMulInteger",
     .links = kOrtCpuInteger,
     .source = "[profiles] DynamicQuantizeMatMul returns real numbers"},
    {.name = "bias and activation",
     .head = "Add",
     .links = kOrtCpuBias,
     .source = "[profiles] BiasGelu"},
};

constexpr RuntimeRules kOnnxRuntimeCpu{.idioms = kOrtCpuIdioms,
                                       .activations = activations::kByOnnxRuntime,
                                       .chains = kOrtCpuChains,
                                       .blocks = true};

}  // namespace

const RuntimeRules& onnxruntime_rules() {
  return kOnnxRuntime;
}

const RuntimeRules& onnxruntime_cpu_rules() {
  return kOnnxRuntimeCpu;
}

}  // namespace ridgewatt::workload
