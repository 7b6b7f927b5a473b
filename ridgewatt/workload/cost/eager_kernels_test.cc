// Tests the kernels that PyTorch launches in eager mode.
#include "ridgewatt/workload/cost/eager_kernels.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/deployed_workload.h"
#include "ridgewatt/workload/graph_builder.h"
#include "ridgewatt/workload/onnx_reader.h"

namespace ridgewatt::workload {
namespace {

std::map<std::string, int> operators_of(const WorkloadCost& cost, Phase phase) {
  std::map<std::string, int> counts;
  for (const auto& kernel : cost.kernels) {
    if (kernel.phase == phase) counts[kernel.op] += kernel.launches;
  }
  return counts;
}

TEST(EagerKernels, SpelledOutOperatorsAreJoined) {
  WorkloadCost cost;
  const auto add = [&](const char* op, double elements, Phase phase = Phase::kForward) {
    KernelCost kernel;
    kernel.op = op;
    kernel.phase = phase;
    kernel.output_elements = elements;
    kernel.work_flop = elements;
    kernel.read_bytes = 8 * elements;
    kernel.write_bytes = 4 * elements;
    cost.kernels.push_back(kernel);
  };
  add("Conv", 1000);
  add("Sigmoid", 1000);
  add("Mul", 1000);  // SiLU
  add("HardSigmoid", 10);
  add("Mul", 1000);  // a gate: two kernels
  add("Split", 1000);
  add("Mul", 1000, Phase::kBackward);
  add("Sigmoid", 1000, Phase::kBackward);
  const Model model;
  ExecutionPlan plan;
  plan.model = &model;
  const WorkloadCost eager = eager_kernels(cost, plan);
  ASSERT_EQ(eager.kernels.size(), 6U);  // Conv, SiLU, two of the gate, Split, SiLU backward
  EXPECT_EQ(eager.kernels[1].op, "Silu");
  EXPECT_EQ(eager.kernels[1].launches, 1);
  EXPECT_EQ(eager.kernels[1].work_flop, 2000);
  EXPECT_EQ(eager.kernels[1].traffic_bytes(), 8000);
  EXPECT_EQ(eager.kernels[2].op, "HardSigmoid");
  EXPECT_EQ(eager.kernels[5].phase, Phase::kBackward);
  EXPECT_EQ(eager.kernels[5].work_flop, 2000);
  EXPECT_EQ(eager.kernels[5].traffic_bytes(), 12000);
}

// An encoder layer of BERT in PyTorch 2 (transformers, BertLayer with sdpa): six linear layers,
// attention, GELU, and twice a residual and a normalization. The first kernels are three embeddings
// with two sums and a normalization, and three kernels for the mask; the last ones are those of the
// pooler.
TEST(EagerKernels, AttentionAndLinearLayersAreSingleKernels) {
  const DeployedWorkload bert("zoo:bert_base", {.dims = {{"sequence", 128}}});
  const auto counts = operators_of(*bert.at(2), Phase::kForward);
  const auto of = [&](const char* op) { return counts.contains(op) ? counts.at(op) : 0; };
  EXPECT_EQ(of("Attention"), 12);
  EXPECT_EQ(of("Gelu"), 12);
  EXPECT_EQ(of("Gemm"), 6 * 12 + 1);
  EXPECT_EQ(of("LayerNormalization"), 25);
  EXPECT_EQ(of("Add"), 2 * 12 + 2);
  EXPECT_EQ(of("Softmax") + of("Transpose") + of("MatMul") + of("Div"), 0);
}

TEST(EagerKernels, FusedAttentionKeepsItsWorkButNotItsScores) {
  Model model = load_workload("zoo:bert_base");
  CostOptions options{.batch = 2, .dims = {{"sequence", 128}}};
  options.traffic = TrafficModel::kUnfused;
  const double unfused_flop = workload_cost(model, options).work_flop();
  const double unfused_bytes = workload_cost(model, options).traffic_bytes();
  options.runtime = Runtime::kPytorchEager;
  const WorkloadCost eager = workload_cost(model, options);
  EXPECT_DOUBLE_EQ(eager.work_flop(), unfused_flop);
  const Analysis analysis = analyze(model, options);
  EXPECT_EQ(analysis.kernels, eager.launches());
  EXPECT_DOUBLE_EQ(analysis.bytes(), eager.traffic_bytes());
  // Per layer and sample, the scores are written and read by three operators and the last product.
  const double scores_bytes = 12 * 2 * 12 * 128 * 128 * 4.0;
  EXPECT_LT(eager.traffic_bytes(), unfused_bytes - 7 * scores_bytes);
  for (const auto& kernel : eager.kernels) {
    if (kernel.op != "Attention") continue;
    const double tensor_bytes = 2.0 * 128 * 768 * 4;
    // Queries, keys, values, the mask and the factor of the scores.
    EXPECT_EQ(kernel.read_bytes, 3 * tensor_bytes + 2 * 128 * 4 + 4);
    EXPECT_EQ(kernel.write_bytes, tensor_bytes);
  }
}

TEST(EagerKernels, TheGradientOfAttentionComputesTheScoresAgain) {
  Model model = load_workload("zoo:bert_base");
  CostOptions options{.batch = 2, .dims = {{"sequence", 128}}, .kind = WorkloadKind::kTraining};
  options.traffic = TrafficModel::kUnfused;
  const WorkloadCost unfused = workload_cost(model, options);
  options.runtime = Runtime::kPytorchEager;
  const WorkloadCost eager = workload_cost(model, options);
  const double scores_macs = 12 * 2 * 12 * 128 * 128 * 64.0;
  double unfused_macs = 0, eager_macs = 0;
  for (const auto& kernel : unfused.kernels) unfused_macs += kernel.macs;
  for (const auto& kernel : eager.kernels) eager_macs += kernel.macs;
  EXPECT_NEAR(eager_macs - unfused_macs, scores_macs, 1e-6 * scores_macs);
  const auto counts = operators_of(eager, Phase::kBackward);
  EXPECT_EQ(counts.at("Attention"), 12);
  EXPECT_FALSE(counts.contains("Softmax"));
  EXPECT_FALSE(counts.contains("Transpose"));
}

// The attention of Swin's first stage, whose scores have a table of relative positions per head, or
// with a mask instead.
TEST(EagerKernels, AttentionWithAConstantPerHeadStaysSeparate) {
  const auto operators = [](std::int64_t heads) {
    GraphBuilder g("attention", 17);
    const auto operand = [&](const char* name) {
      return g.transpose(g.input(name, {64, 49, 3, 32}), {0, 2, 1, 3});
    };
    const auto keys = g.transpose(operand("k"), {0, 1, 3, 2});
    const auto scores = g.matmul(operand("q"), keys);
    const std::vector<float> table(static_cast<std::size_t>(heads * 49 * 49), 1);
    const auto sum = g.add(scores, g.constant(table, {1, heads, 49, 49}));
    const auto shares = g.op("Softmax", {sum}, {{"axis", std::int64_t{-1}}});
    const auto result = g.matmul(shares, operand("v"));
    g.output(g.transpose(result, {0, 2, 1, 3}), "y", {64, 49, 3, 32});
    Model model = load_model_from_memory(g.serialize(), "attention");
    return operators_of(workload_cost(model, {.runtime = Runtime::kPytorchEager}), Phase::kForward);
  };
  using Counts = std::map<std::string, int>;
  EXPECT_EQ(operators(1), Counts({{"Attention", 1}}));
  EXPECT_EQ(operators(3), Counts({{"Add", 1}, {"MatMul", 2}, {"Softmax", 1}, {"Transpose", 5}}));
}

// YOLO11's keys are half as wide as its values.
TEST(EagerKernels, AttentionWithUnequalHeadsStaysSeparate) {
  const auto counts = operators_of(*DeployedWorkload("zoo:yolo11n").at(1), Phase::kForward);
  EXPECT_FALSE(counts.contains("Attention"));
  EXPECT_TRUE(counts.contains("Softmax"));
}

}  // namespace
}  // namespace ridgewatt::workload
