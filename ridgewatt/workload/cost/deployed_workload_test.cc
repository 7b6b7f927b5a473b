// Tests DeployedWorkload: the cost of a model at any batch, run by an eager framework.
#include "ridgewatt/workload/deployed_workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/workload/graph_builder.h"

namespace ridgewatt::workload {
namespace {

TEST(DeployedWorkload, ABatchIsCountedOnceAlsoByManyThreads) {
  const DeployedWorkload workload("zoo:resnet18");
  std::vector<std::shared_ptr<const WorkloadCost>> costs(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    threads.emplace_back([&, i] { costs[i] = workload.at(i % 2 == 0 ? 4 : 8); });
  }
  for (auto& thread : threads) thread.join();
  for (std::size_t i = 2; i < costs.size(); ++i) EXPECT_EQ(costs[i], costs[i - 2]);
  EXPECT_EQ(costs[0]->batch, 4);
  EXPECT_DOUBLE_EQ(costs[1]->work_flop(), 2 * costs[0]->work_flop());
  EXPECT_EQ(workload.at(0), workload.at(1));
}

TEST(DeployedWorkload, EveryOptionReachesTheCost) {
  const DeployedWorkload inference("zoo:resnet18");
  const DeployedWorkload training = inference.with({.kind = WorkloadKind::kTraining});
  const DeployedWorkload adam =
      inference.with({.kind = WorkloadKind::kTraining, .optimizer = Optimizer::kAdam});
  EXPECT_GT(training.at(4)->work_flop(), 2 * inference.at(4)->work_flop());
  EXPECT_GT(adam.at(4)->traffic_bytes(), training.at(4)->traffic_bytes());  // two moments
  EXPECT_EQ(inference.with({.precision = Precision::kFp16}).at(4)->precision, Precision::kFp16);
  const DeployedWorkload bert("zoo:bert_base"), brief = bert.with({.dims = {{"sequence", 16}}});
  EXPECT_LT(brief.at(1)->work_flop(), bert.at(1)->work_flop());
}

// The cost at half the image side: scaled from the full image, and counted on the small image.
// Each of these is an operator that tools/runtimes/tflite/to_tflite.py refuses to convert.
TEST(DeployedWorkload, TensorFlowLiteHasOnlyTheOperatorsThatWereMeasured) {
  const std::pair<const char*, const char*> known[] = {
      {"zoo:resnext50_32x4d", "a convolution in groups in tflite-cpu is not modelled"},
      {"zoo:resnet18_cifar", "operator InstanceNormalization in tflite-cpu is not modelled"},
      {"zoo:yolov5n", "in tflite-cpu is not modelled"},
      {"zoo:bert_tiny", "in tflite-cpu is not modelled"}};
  for (const auto& [model, reason] : known) {
    try {
      DeployedWorkload(model, {.runtime = Runtime::kTfliteCpu}).at(1);
      ADD_FAILURE() << model;
    } catch (const NotSupportedError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(reason)) << model;
    }
  }
  EXPECT_NO_THROW(DeployedWorkload("zoo:densenet121", {.runtime = Runtime::kTfliteCpu}).at(1));
}

TEST(DeployedWorkload, AScaledImageHasTheTrafficOfASmallerOne) {
  const DeployedWorkload whole("zoo:yolov8n"), half = whole.with({.dims = {{"image", 320}}});
  const WorkloadCost scaled = scale_image(*whole.at(1), 0.25), counted = *half.at(1);
  const auto reads = [](const WorkloadCost& cost) {
    double bytes = 0;
    for (const auto& kernel : cost.kernels) bytes += kernel.read_bytes;
    return bytes;
  };
  double weights = 0;
  for (const auto& kernel : scaled.kernels) {
    weights += kernel.weight_bytes;
    EXPECT_GE(kernel.read_bytes, kernel.weight_bytes) << kernel.name;
  }
  EXPECT_GT(weights, 0.05 * reads(scaled));
  EXPECT_NEAR(reads(scaled) / reads(counted), 1, 0.01);
  EXPECT_NEAR(scaled.work_flop() / counted.work_flop(), 1, 0.01);
}

// A file whose convolutions have biases and which has no normalization may have been folded.
TEST(DeployedWorkload, AFileWithoutNormalizationMayBeFolded) {
  const testing::TemporaryFolder folder;
  const auto remarks = [&](bool bias, bool normalized, Runtime runtime) {
    GraphBuilder g("net", 17);
    GraphBuilder::Value x = g.input("x", {"batch", 3, 32, 32});
    for (int i = 0; i < 6; ++i) {
      x = g.conv(x, 8, {.kernel = 3, .padding = 1, .bias = bias});
      if (normalized) x = g.batch_norm(x);
    }
    g.output(x, "y", {"batch", 8, 32, 32});
    const std::string file = folder.write("net.onnx", g.serialize());
    return DeployedWorkload(file, {.runtime = runtime}).at(1)->caveats.assumptions.size();
  };
  EXPECT_EQ(remarks(true, false, Runtime::kPytorchEager), 1U);
  EXPECT_EQ(remarks(false, false, Runtime::kPytorchEager), 0U);
  EXPECT_EQ(remarks(true, true, Runtime::kPytorchEager), 0U);
  EXPECT_EQ(remarks(true, false, Runtime::kTensorRt), 0U);  // an engine folds them itself
  EXPECT_TRUE(DeployedWorkload("zoo:vgg16").at(1)->caveats.assumptions.empty());
}

TEST(DeployedWorkload, KnownCostsAreAllThatThereIs) {
  WorkloadCost cost;
  cost.batch = 16;
  const DeployedWorkload known({{16, std::make_shared<const WorkloadCost>(cost)}});
  EXPECT_EQ(known.at(16)->batch, 16);
  EXPECT_THROW(known.at(8), UsageError);
  EXPECT_THROW(known.image_side(), UsageError);
  // Its inputs of four extents are keys and values.
  EXPECT_THROW(DeployedWorkload("zoo:llama_small_decode").image_side(), UsageError);
  EXPECT_EQ(DeployedWorkload("zoo:resnet18").image_side(), 224);  // as in torchvision
  EXPECT_EQ(DeployedWorkload("zoo:yolov8n").image_side(), 640);   // as in Ultralytics
  EXPECT_EQ(DeployedWorkload("zoo:yolov8n", {.dims = {{"image", 320}}}).image_side(), 320);
}

}  // namespace
}  // namespace ridgewatt::workload
