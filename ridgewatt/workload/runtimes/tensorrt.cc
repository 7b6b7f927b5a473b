// TensorRT 8.6 to 10 on GPUs of compute capability 8.0 and later.
//
// Sources: [guide] NVIDIA, TensorRT documentation, "Layer Fusion Catalog" and "Working with
// Quantized Types"; [engines] layer lists that trtexec exports for public engines: ResNet-18 in
// FP32, FP16 and with Q/DQ of the TensorRT repository, YOLO detectors in FP32 and FP16.
#include "ridgewatt/workload/runtimes/activations.h"
#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/idioms.h"

namespace ridgewatt::workload {
namespace {

constexpr Idiom kTensorRtIdioms[] = {
    {"LayerNormalization", OpClass::kNormalization, idioms::kLayerNorm},
    {"RMSNormalization", OpClass::kNormalization, idioms::kRmsNorm},
    {"RMSNormalization", OpClass::kNormalization, idioms::kRmsNormReciprocal},
    // [guide] Multi-head attention is fused in FP16, BF16 and INT8, but not in FP32.
    {"Attention", OpClass::kAttention, idioms::kAttention, kIn16 | kIn8, true},
};

constexpr std::string_view kScales = "BatchNormalization|Mul|Add|Sub|Div";
constexpr std::string_view kClamps = "Relu|Clip";

// [guide] A floating-point residual makes the sum floating point, so it is quantized separately.
// The epilogues of FP32 kernels add a residual and clamp. Those of narrower kernels also compute
// functions.
constexpr Link kPlain[] = {{.ops = kScales, .repeats = true},
                           {.ops = "Add", .reads = Reads::kTensor},
                           {.ops = kClamps},
                           {.ops = "QuantizeLinear", .no_wide_residual = true}};
constexpr Link kRich[] = {{.ops = kScales, .repeats = true},
                          {.ops = activations::kAfterTensorRtConvolution},
                          {.ops = "Add", .reads = Reads::kTensor},
                          {.ops = activations::kAfterTensorRtConvolution},
                          {.ops = "QuantizeLinear", .no_wide_residual = true}};
constexpr Link kClamped[] = {{.ops = kScales, .repeats = true},
                             {.ops = kClamps},
                             {.ops = "QuantizeLinear", .no_wide_residual = true}};
constexpr Link kProduct[] = {{.ops = kScales, .repeats = true},
                             {.ops = activations::kAfterTensorRtProduct},
                             {.ops = "Add", .reads = Reads::kTensor},
                             {.ops = "Relu"},
                             {.ops = "QuantizeLinear", .no_wide_residual = true}};
constexpr Link kScaled[] = {{.ops = "Mul|Div", .repeats = true}};
constexpr Link kPointwise[] = {{.ops = "@pointwise|@rows", .reads = Reads::kAny, .repeats = true}};

constexpr std::string_view kConvolutions = "Conv|ConvTranspose";

constexpr Chain kTensorRtChains[] = {
    {.name = "convolution of an image",
     .head = kConvolutions,
     .when = When::kFewChannels,
     .links = kClamped,
     .writes_parts = true,
     .source = "[engines] the first layer of a YOLO leaves its SiLU to a kernel of its own"},
    {.name = "depthwise convolution",
     .head = kConvolutions,
     .when = When::kDepthwise,
     .links = kClamped,
     .writes_parts = true,
     .source = "[engines] depthwise layers of a YOLO leave their SiLU to a kernel of their own"},
    {.name = "convolutions side by side",
     .head = "Conv",
     .when = When::kSibling,
     .links = kClamped,
     .writes_parts = true,
     .source = "[engines] 'a || b', with Relu where both have it, other functions behind"},
    {.name = "convolution, FP32",
     .head = kConvolutions,
     .widths = kIn32,
     .links = kPlain,
     .writes_parts = true,
     .source = "[guide] convolution with scale, residual, ReLU; [engines] SiLU is apart in FP32"},
    {.name = "convolution, FP16 and INT8",
     .head = kConvolutions,
     .widths = kIn16 | kIn8,
     .links = kRich,
     .writes_parts = true,
     .source = "[engines] Conv + PWN(PWN(PWN(Sigmoid), PWN(Mul)), PWN(Add))"},
    {.name = "product with weights",
     .head = "Gemm|MatMul",
     .when = When::kWeights,
     .links = kProduct,
     .source = "[guide] matrix product with bias and activation"},
    {.name = "product of activations",
     .head = "MatMul",
     .when = When::kActivations,
     .links = kScaled,
     .source = "a factor is the product's alpha"},
    {.name = "pointwise",
     .head = "@pointwise|@rows",
     .links = kPointwise,
     .writes_parts = true,
     .source = "[guide] pointwise fusion; softmax and layer normalization join it in Myelin"},
    {.name = "embeddings and tokens",
     .head = "Concat|Gather",
     .when = When::kTokens,
     .links = kPointwise,
     .source = "[engines] kernels that Myelin generates gather, join and compute at once"},
    {.name = "pooling",
     .head = "MaxPool|AveragePool",
     .writes_parts = true,
     .source = "[engines] the last pooling of a pyramid writes into the concatenation"},
};

constexpr RuntimeRules kTensorRt{.idioms = kTensorRtIdioms,
                                 .activations = activations::kByTensorRt,
                                 .chains = kTensorRtChains,
                                 .parts = "Split|Slice",
                                 .transposes = Transposes::kIntoProducts,
                                 .concats = Concats::kInPlace,
                                 .joins_siblings = true,
                                 .joins_quantizations = true,
                                 .reads_narrow = true,
                                 .formats = true};

}  // namespace

const RuntimeRules& tensorrt_rules() {
  return kTensorRt;
}

}  // namespace ridgewatt::workload
