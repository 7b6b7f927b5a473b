// Tests that a twin has a rate for every precision or reports that it has none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/deployed_workload.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::twin {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Eager PyTorch has no 8-bit products on the GPU.
constexpr workload::Precision kAllPrecisions[] = {
    workload::Precision::kFp32, workload::Precision::kFp16, workload::Precision::kBf16,
    workload::Precision::kMixed};

bool has_rate(const Board& board, workload::Precision precision) {
  return supports(board, workload::arithmetic_of(precision));
}

// Calls check(name, board, estimators by precision) for every model and board.
using Estimators = std::map<workload::Precision, Estimator>;
void for_all(bool training,
             const std::function<void(const std::string&, const Board&, Estimators&)>& check) {
  std::map<std::string, Board> boards;
  for (const auto& name : list_boards()) boards.emplace(name, load_board(name));
  for (const workload::ZooEntry& entry : workload::zoo()) {
    const workload::DeployedWorkload eager("zoo:" + std::string(entry.name));
    std::map<workload::Precision, std::shared_ptr<const workload::WorkloadCost>> costs;
    for (const workload::Precision precision : kAllPrecisions) {
      const auto kind = training ? WorkloadKind::kTraining : WorkloadKind::kInference;
      costs[precision] = eager.with({kind, precision}).at(16);
    }
    const bool quantized = costs.begin()->second->work_int_op() > 0;
    for (const auto& [name, board] : boards) {
      if (quantized && !supports(board, Arithmetic::kInt8)) continue;  // rejected, see below
      const Twin twin = load_twin(board);
      Estimators estimators;
      for (const auto& [precision, cost] : costs) {
        if (has_rate(board, precision)) estimators.emplace(precision, Estimator(twin, cost));
      }
      check(std::string(entry.name) + " on " + name, board, estimators);
    }
  }
}

// label: slow
TEST(Precision, MixedTrainingLiesBetweenItsArithmeticAndFp32) {
  for_all(true, [](const std::string& what, const Board& board, Estimators& at) {
    const TimePower fp32 = at.at(workload::Precision::kFp32)({}).timed();
    const TimePower mixed = at.at(workload::Precision::kMixed)({}).timed();
    const TimePower fp16 = at.at(workload::Precision::kFp16)({}).timed();
    // On cards, launches take nearly all of the time of the smallest networks, and mixed precision
    // does not save launches.
    const double tolerance = board.discrete_gpu ? 1e-3 : 1e-9;
    EXPECT_LE(mixed.time_s, fp32.time_s * (1 + tolerance)) << what;
    EXPECT_GE(mixed.time_s, fp16.time_s * (1 - 1e-9)) << what;
    // Mixed precision is slower than FP16 by at most the traffic of the master weights.
    const Estimator& estimator = at.at(workload::Precision::kMixed);
    const double extra =
        estimator.cost().traffic_bytes() - at.at(workload::Precision::kFp16).cost().traffic_bytes();
    const double extra_s =
        extra * estimator.twin()[TwinParam::kVectorTraffic] / estimator.bandwidth({});
    // Launches and kernels of similar length delay each other by up to the fourth root of 2.
    EXPECT_LE(mixed.time_s, fp16.time_s + 1.19 * extra_s) << what;
    if (const auto bf16 = at.find(workload::Precision::kBf16); bf16 != at.end()) {
      EXPECT_GE(mixed.time_s, bf16->second({}).median_s * (1 - 1e-9)) << what;
    }
  });
}

// label: slow
TEST(Precision, NarrowerInferenceIsNeverSlower) {
  for_all(false, [](const std::string& what, const Board&, Estimators& at) {
    const double fp32 = at.at(workload::Precision::kFp32)({}).period_s;
    const double fp16 = at.at(workload::Precision::kFp16)({}).period_s;
    EXPECT_LE(fp16, fp32 * (1 + 1e-9)) << what;
    EXPECT_LE(at.at(workload::Precision::kMixed)({}).period_s, fp16 * (1 + 1e-9)) << what;
  });
}

// A product so large that nothing else takes time. Ampere computes FP16 8 times as fast as FP32,
// and INT8 16 times.
TEST(Precision, RatesAreThePeaksOfTheBoard) {
  const Board board = load_board("agx-orin");
  workload::WorkloadCost cost;
  workload::KernelCost product;
  product.op_class = workload::OpClass::kGemm;
  product.work_flop = 1e15;
  product.output_elements = 1e9;
  cost.kernels.push_back(product);
  const auto seconds = [&](workload::Precision precision) {
    cost.precision = cost.arithmetic = precision;
    return Estimator(load_twin(board), cost, RunOptions{4, 0.0})({}).period_s;
  };
  const double fp32 = seconds(workload::Precision::kFp32);
  EXPECT_NEAR(fp32 / seconds(workload::Precision::kFp16), 2048.0 / 256, 0.01);
  EXPECT_NEAR(fp32 / seconds(workload::Precision::kBf16), 2048.0 / 256, 0.01);
  EXPECT_NEAR(fp32 / seconds(workload::Precision::kMixed), 2048.0 / 256, 0.01);
  EXPECT_NEAR(fp32 / seconds(workload::Precision::kInt8), 4096.0 / 256, 0.02);
}

// Only TensorRT has integer kernels for GPUs. The other runtimes also run the conversions, so a
// quantized network is not faster there.
TEST(Precision, QuantizedNetworksComputeInFloatingPointOutsideTensorRt) {
  const workload::DeployedWorkload plain("zoo:resnet18"), quantized("zoo:resnet18_qat");
  const Twin twin = load_twin(load_board("agx-orin"));
  const auto in = [&](const workload::DeployedWorkload& model, Runtime runtime) {
    return model.with({.precision = workload::Precision::kFp32, .runtime = runtime}).at(32);
  };
  for (const Runtime runtime : {Runtime::kPytorchEager, Runtime::kTorchscript,
                                Runtime::kTorchCompile, Runtime::kOnnxRuntime}) {
    const auto cost = in(quantized, runtime);
    for (const auto& kernel : cost->kernels) {
      if (kernel.macs > 0) EXPECT_EQ(kernel.work_int_op, 0) << kernel.name;
    }
    EXPECT_GT(Estimator(twin, cost)({}).period_s, Estimator(twin, in(plain, runtime))({}).period_s)
        << name_of(runtime);
  }
  EXPECT_GT(in(quantized, Runtime::kTensorRt)->work_int_op(), 1e9);
  EXPECT_THROW(
      quantized.with({.precision = workload::Precision::kFp8, .runtime = Runtime::kTensorRt}).at(1),
      NotSupportedError);
}

TEST(Precision, ABoardWithoutTheRateSaysSo) {
  const workload::DeployedWorkload resnet("zoo:resnet18");
  const workload::DeployedWorkload quantized("zoo:resnet18_qat");  // always INT8
  const auto in_tensorrt = quantized.with({.runtime = Runtime::kTensorRt}).at(1);
  EXPECT_THROW(Estimator(load_twin(load_board("nano")), in_tensorrt), NotSupportedError);
  for (const auto& name : list_boards()) {
    const Board board = load_board(name);
    for (const workload::PrecisionRow& row : workload::kPrecisionRows) {
      const workload::Precision precision = row.id;
      if (has_rate(board, precision)) continue;
      try {
        const workload::DeployOptions engine{.precision = precision, .runtime = Runtime::kTensorRt};
        const Estimator estimator(load_twin(board), resnet.with(engine).at(1));
        FAIL() << name << " accepted " << name_of(precision);
      } catch (const NotSupportedError& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr(board.name), HasSubstr(std::string(name_of(precision)))));
      }
    }
  }
}

}  // namespace
}  // namespace ridgewatt::twin
