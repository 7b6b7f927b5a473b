// torch.compile with the Inductor back end in its default mode.
//
// Source: [inductor] Ansel et al., "PyTorch 2: Faster Machine Learning Through Dynamic Python
// Bytecode Transformation and Graph Compilation" (ASPLOS 2024), section 4: pointwise operators,
// reductions and views become Triton kernels, which are fused if they share data. Convolutions and
// products remain library kernels. The producers of a concatenation's inputs write its result.
#include "ridgewatt/workload/runtimes/fusion_rules.h"
#include "ridgewatt/workload/runtimes/idioms.h"

namespace ridgewatt::workload {
namespace {

constexpr Idiom kInductorIdioms[] = {
    {"Attention", OpClass::kAttention, idioms::kAttention, kInAll, true},
};

constexpr Link kFolded[] = {{.ops = "BatchNormalization", .repeats = true}};
constexpr Link kAddmm[] = {{.ops = "Add"}};
constexpr Link kTriton[] = {{.ops = "@pointwise|@rows", .reads = Reads::kAny, .repeats = true}};

constexpr Chain kInductorChains[] = {
    {.name = "convolution",
     .head = "Conv|ConvTranspose",
     .links = kFolded,
     .source = "kernel of cuDNN; the normalization is folded before, as exporters do"},
    {.name = "product with weights",
     .head = "Gemm|MatMul",
     .when = When::kWeights,
     .links = kAddmm,
     .source = "addmm of cuBLAS"},
    {.name = "pointwise and rows",
     .head = "@pointwise|@rows|Gather",
     .links = kTriton,
     .writes_parts = true,
     .shares = true,
     .source = "[inductor]"},
};

constexpr RuntimeRules kTorchCompile{.idioms = kInductorIdioms,
                                     .chains = kInductorChains,
                                     .parts = "Split|Slice",
                                     .transposes = Transposes::kViews,
                                     .concats = Concats::kFromPointwise};

}  // namespace

const RuntimeRules& torch_compile_rules() {
  return kTorchCompile;
}

}  // namespace ridgewatt::workload
