// Tests copies into and out of channel blocks, as profiles of ONNX Runtime 1.30 show them.
#include <gtest/gtest.h>

#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/graph_builder.h"
#include "ridgewatt/workload/onnx_reader.h"

namespace ridgewatt::workload {
namespace {

using BlockValue = GraphBuilder::Value;

constexpr GraphBuilder::ConvOptions kWindow{.kernel = 3, .padding = 1};

// Two convolutions of 64 channels with the operators of `between` between them.
template <typename Between>
std::vector<std::string> kernels_of(Between between) {
  GraphBuilder g("graph", 17);
  const BlockValue x = g.input("x", {1, 64, 40, 40});
  BlockValue y = g.conv(x, 64, kWindow);
  y = between(g, y);
  y = g.conv(y, 64, kWindow);
  g.output(y, "y", {});
  Model model = load_model_from_memory(g.serialize(), "graph");
  CostOptions options;
  options.runtime = Runtime::kOnnxRuntimeCpu;
  options.precision = Precision::kFp32;
  std::vector<std::string> ops;
  const auto analysis = analyze(model, options);
  for (const KernelCost& kernel : analysis.workload.kernels) ops.push_back(kernel.op);
  return ops;
}

TEST(BlockCopies, ActivationsJoinTheirConvolution) {
  const std::vector<std::string> joined = {"Reformat", "Conv", "Conv", "Reformat"};
  for (const char* op : {"Relu", "Sigmoid", "Tanh", "HardSigmoid", "HardSwish", "LeakyRelu"}) {
    EXPECT_EQ(kernels_of([&](GraphBuilder& g, BlockValue y) { return g.op(op, {y}); }), joined)
        << op;
  }
}

TEST(BlockCopies, OtherOperatorsWorkOnPlanes) {
  const std::vector<std::string> apart = {"Reformat", "Conv", "Reformat", "Erf",
                                          "Reformat", "Conv", "Reformat"};
  EXPECT_EQ(kernels_of([](GraphBuilder& g, BlockValue y) { return g.op("Erf", {y}); }), apart);
}

TEST(BlockCopies, SiluKeepsTheBlocks) {
  EXPECT_EQ(kernels_of([](GraphBuilder& g, BlockValue y) { return g.silu(y); }),
            (std::vector<std::string>{"Reformat", "Conv", "QuickGelu", "Conv", "Reformat"}));
}

}  // namespace
}  // namespace ridgewatt::workload
