// Tests a training step of ResNet-18 at batch 16 (three layers counted by hand) and properties that
// hold for any model.
#include "ridgewatt/workload/training_cost.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::workload {
namespace {

constexpr double kBatch = 16;
constexpr double kFloat = 4;

const KernelCost* find(const WorkloadCost& cost, const std::string& name, Phase phase) {
  const auto found = std::find_if(
      cost.kernels.begin(), cost.kernels.end(),
      [&](const KernelCost& kernel) { return kernel.name == name && kernel.phase == phase; });
  return found == cost.kernels.end() ? nullptr : &*found;
}

class ResNet18Step : public ::testing::Test {
 protected:
  ResNet18Step() : model_(load_workload("zoo:resnet18")) {
    options_.batch = static_cast<std::int64_t>(kBatch);
    inference_ = analyze(model_, options_);
    options_.kind = WorkloadKind::kTraining;
    step_ = analyze(model_, options_);
  }
  const KernelCost& backward(const std::string& name) {
    const KernelCost* kernel = find(step_.workload, name, Phase::kBackward);
    EXPECT_NE(kernel, nullptr) << name;
    static const KernelCost kNone;
    return kernel != nullptr ? *kernel : kNone;
  }

  Model model_;
  CostOptions options_;
  Analysis inference_;
  Analysis step_;
};

// conv1: 7x7, 3 to 64 channels, 224 to 112. The gradient of the image is not needed.
TEST_F(ResNet18Step, FirstConvolutionHasNoDataGradient) {
  const double macs = kBatch * 64 * 112 * 112 * 3 * 49;
  const double image = kBatch * 3 * 224 * 224 * kFloat;
  const double output = kBatch * 64 * 112 * 112 * kFloat;
  const double weight = 64.0 * 3 * 49 * kFloat;
  EXPECT_EQ(find(step_.workload, "Conv_0 (data gradient)", Phase::kBackward), nullptr);
  const KernelCost& kernel = backward("Conv_0 (weight gradient)");
  EXPECT_EQ(kernel.macs, macs);
  EXPECT_EQ(kernel.work_flop, 2 * macs);
  EXPECT_EQ(kernel.read_bytes, output + image);
  EXPECT_EQ(kernel.write_bytes, weight);
}

// layer3.1, second convolution: 3x3, 256 to 256 channels, 14x14.
TEST_F(ResNet18Step, InnerConvolutionHasBothGradients) {
  const double activation = kBatch * 256 * 14 * 14 * kFloat;
  const double weight = 256.0 * 256 * 9 * kFloat;
  const double macs = kBatch * 256 * 14 * 14 * 256 * 9;
  const KernelCost& data = backward("layer3.1/Conv_1 (data gradient)");
  EXPECT_EQ(data.macs, macs);
  EXPECT_EQ(data.read_bytes, activation + weight);
  EXPECT_EQ(data.write_bytes, activation);
  const KernelCost& weights = backward("layer3.1/Conv_1 (weight gradient)");
  EXPECT_EQ(weights.macs, macs);
  EXPECT_EQ(weights.read_bytes, 2 * activation);
  EXPECT_EQ(weights.write_bytes, weight);
}

// The batch normalization after that convolution: computing the statistics takes two passes over
// the input in the forward pass, and two passes over gradient and input in the backward pass.
TEST_F(ResNet18Step, BatchNormalizationPassesOverItsInput) {
  const double elements = kBatch * 256 * 14 * 14;
  const double activation = elements * kFloat;
  const double channel = 256 * kFloat;
  const KernelCost* forward =
      find(step_.workload, "layer3.1/BatchNormalization_0", Phase::kForward);
  ASSERT_NE(forward, nullptr);
  // The kernel includes the ReLU after it. The backward pass of the next layer needs only the
  // result of the ReLU.
  EXPECT_EQ(forward->work_flop, 8 * elements + elements);
  EXPECT_EQ(forward->read_bytes, 2 * activation + 2 * channel);
  EXPECT_EQ(forward->write_bytes, activation);
  const KernelCost& kernel = backward("layer3.1/BatchNormalization_0");
  EXPECT_EQ(kernel.work_flop, 10 * elements);
  EXPECT_EQ(kernel.read_bytes, 4 * activation + 3 * channel);  // scale, mean and deviation
  EXPECT_EQ(kernel.write_bytes, activation + 2 * channel);
}

TEST_F(ResNet18Step, MacsAreThreeForwardsLessTheFirstDataGradient) {
  const double first = kBatch * 64 * 112 * 112 * 3 * 49;
  EXPECT_EQ(step_.macs, 3 * inference_.macs - first);
  const double ratio = step_.flops / inference_.flops;
  EXPECT_LT(ratio, 3);
  EXPECT_GT(ratio, 2.9);
}

TEST_F(ResNet18Step, OptimizersMoveThreeFiveAndSevenTensors) {
  constexpr double kParameters = 11689512;
  const std::pair<Optimizer, double> facts[] = {
      {Optimizer::kSgd, 3}, {Optimizer::kMomentum, 5}, {Optimizer::kAdam, 7}};
  double before = 0;
  for (const auto& [optimizer, tensors] : facts) {
    options_.optimizer = optimizer;
    const Analysis analysis = analyze(model_, options_);
    const KernelCost* kernel = find(analysis.workload, "optimizer", Phase::kOptimizer);
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->traffic_bytes(), tensors * kParameters * kFloat);
    // Each step from SGD to momentum to Adam adds one state tensor.
    if (before > 0) {
      EXPECT_EQ(analysis.peak_memory_bytes, before + kParameters * kFloat);
    }
    before = analysis.peak_memory_bytes;
  }
}

// A gradient passes straight through a fake quantization, so training computes the same products as
// without it.
TEST_F(ResNet18Step, QuantizationAwareTrainingHasEveryGradient) {
  Model quantized = load_workload("zoo:resnet18_qat");
  const Analysis aware = analyze(quantized, options_);
  EXPECT_EQ(aware.macs, step_.macs);
  EXPECT_EQ(aware.int_ops, 0);
  EXPECT_GE(aware.flops, step_.flops);
  EXPECT_GE(aware.peak_memory_bytes, step_.peak_memory_bytes);
  EXPECT_TRUE(aware.workload.caveats.assumptions.empty());
}

// Memory holds parameters, gradients and the tensors that the backward pass reads: the inputs of
// convolutions, normalizations, the pooling and the classifier, and the results of ReLU.
TEST_F(ResNet18Step, MemoryHoldsTheSavedActivations) {
  const auto image = [](double channels, double side) {
    return kBatch * channels * side * side * kFloat;
  };
  double saved =
      image(3, 224) + 2 * image(64, 112);  // image, convolution, after normalization and ReLU
  saved += image(64, 56);                  // pooled
  const double channels[] = {64, 128, 256, 512};
  const double sides[] = {56, 28, 14, 7};
  for (int stage = 0; stage < 4; ++stage) {
    const double one = image(channels[stage], sides[stage]);
    // A block saves the results of two convolutions, of the ReLU between them and of the block. The
    // first block of a later stage also saves the convolution on its shortcut.
    saved += 8 * one + (stage > 0 ? one : 0);
  }
  saved += kBatch * 512 * kFloat;  // pooled vector
  constexpr double kParameters = 11689512;
  EXPECT_EQ(step_.peak_memory_bytes, 2 * kParameters * kFloat + saved);
}

TEST_F(ResNet18Step, MixedPrecisionKeepsMasterWeights) {
  options_.precision = Precision::kMixed;
  options_.optimizer = Optimizer::kMomentum;
  const Analysis mixed = analyze(model_, options_);
  EXPECT_EQ(mixed.workload.precision, Precision::kMixed);
  EXPECT_EQ(mixed.flops - step_.flops, 2 * 11689512.0);  // momentum computes 4 per parameter, SGD 2
  EXPECT_LT(mixed.bytes(), 0.6 * step_.bytes());
  const KernelCost* kernel = find(mixed.workload, "optimizer", Phase::kOptimizer);
  // Reads the gradient in 2 bytes, parameter and momentum in 4; writes both, and a 2-byte copy of
  // the parameter.
  EXPECT_EQ(kernel->traffic_bytes(), 11689512.0 * (2 + 8 + 8 + 2));
}

}  // namespace
}  // namespace ridgewatt::workload
