// ONNX Runtime's CUDA execution provider at its highest level of graph optimization.
//
// Source: [ort] ONNX Runtime, documentation "Graph Optimizations in ONNX Runtime": basic (constant
// folding; convolution with BatchNormalization, Mul, Add; MatMul with Add) and extended fusions
// (Gelu, BiasGelu, QuickGelu, LayerNormalization, SkipLayerNormalization, Attention) of the CUDA
// provider.
#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/idioms.h"

namespace ridgewatt::workload {
namespace {

constexpr Idiom kOrtIdioms[] = {
    {"LayerNormalization", OpClass::kNormalization, idioms::kLayerNorm},
    {"SimplifiedLayerNormalization", OpClass::kNormalization, idioms::kRmsNorm},
    {"SimplifiedLayerNormalization", OpClass::kNormalization, idioms::kRmsNormReciprocal},
    {"Gelu", OpClass::kElementwise, idioms::kGelu},
    {"Gelu", OpClass::kElementwise, idioms::kGeluHalfFirst},
    {"Gelu", OpClass::kElementwise, idioms::kGeluFactorLast},
    {"FastGelu", OpClass::kElementwise, idioms::kTanhGelu},
    {"FastGelu", OpClass::kElementwise, idioms::kTanhGeluLate},
    {"QuickGelu", OpClass::kElementwise, idioms::kSilu},
    {"QuickGelu", OpClass::kElementwise, idioms::kQuickGelu},
    {"Attention", OpClass::kAttention, idioms::kAttention, kInAll, true},
};

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

constexpr RuntimeRules kOnnxRuntime{
    .idioms = kOrtIdioms, .chains = kOrtChains, .transposes = Transposes::kIntoAttention};

}  // namespace

const RuntimeRules& onnxruntime_rules() {
  return kOnnxRuntime;
}

}  // namespace ridgewatt::workload
