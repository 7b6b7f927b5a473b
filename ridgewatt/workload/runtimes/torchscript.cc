// TorchScript: a traced and frozen graph that PyTorch's interpreter runs.
//
// Source: [jit] PyTorch documentation, torch.jit.freeze and torch.jit.optimize_for_inference:
// freezing folds BatchNormalization into convolutions. Operations that the exporter expanded are
// one operator in PyTorch. Groups of pointwise operators are not fused: the fuser of the profiling
// executor needs static shapes after a warm-up and is not modelled.
#include "ridgewatt/workload/runtimes/activations.h"
#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/idioms.h"

namespace ridgewatt::workload {
namespace {

constexpr Idiom kJitIdioms[] = {
    {"LayerNormalization", OpClass::kNormalization, idioms::kLayerNorm},
    {"Attention", OpClass::kAttention, idioms::kAttention, kInAll, true},
};

constexpr Link kJitFolded[] = {{.ops = "BatchNormalization", .repeats = true}};
constexpr Link kJitLinear[] = {{.ops = "Add"}};

constexpr Chain kJitChains[] = {
    {.name = "convolution",
     .head = "Conv|ConvTranspose",
     .links = kJitFolded,
     .source = "[jit] fold_frozen_conv_bn"},
    {.name = "linear layer",
     .head = "Gemm|MatMul",
     .when = When::kWeights,
     .links = kJitLinear,
     .source = "aten::linear adds its bias in the product"},
};

constexpr RuntimeRules kTorchscript{.idioms = kJitIdioms,
                                    .activations = activations::kByTorchscript,
                                    .chains = kJitChains,
                                    .parts = "Split|Slice",
                                    .transposes = Transposes::kBeforeProducts};

}  // namespace

const RuntimeRules& torchscript_rules() {
  return kTorchscript;
}

}  // namespace ridgewatt::workload
