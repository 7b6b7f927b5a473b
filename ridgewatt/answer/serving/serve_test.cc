// Tests which models can share a board.
#include "ridgewatt/answer/serve.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

ScheduledModel shared(const std::string& name, WorkloadKind kind, std::vector<int> batches) {
  return scheduled_model(std::make_shared<const workload::DeployedWorkload>(
                             name, workload::DeployOptions{.kind = kind}),
                         "maxn", std::move(batches), "orin-nano-8gb");
}

TEST(FitTogether, LeavesOutTheBatchesThatDoNotFitNextToTheOthers) {
  const std::vector<int> batches = {1, 4, 16, 64, 256};
  std::vector<ScheduledModel> models = {shared("zoo:resnet50", WorkloadKind::kInference, batches),
                                        shared("zoo:resnet18", WorkloadKind::kTraining, {16})};
  const double trained = models[1].on_twin->memory(16).needed_bytes();
  const double free = models[1].on_twin->memory(16).free_bytes();
  fit_together(models, "orin-nano-8gb");
  std::vector<int> kept;
  bool alone_only = false;
  for (const int batch : batches) {
    const double needed = models[0].on_twin->memory(batch).needed_bytes();
    if (needed + trained <= free) kept.push_back(batch);
    alone_only = alone_only || (needed <= free && needed + trained > free);
  }
  EXPECT_EQ(models[0].question.batches, kept);
  EXPECT_FALSE(kept.empty());
  EXPECT_TRUE(alone_only) << "the test needs a batch that fits only alone";
  EXPECT_EQ(models[1].question.batches, std::vector{16});
}

TEST(FitTogether, RefusesModelsThatNeedMoreThanThereIs) {
  std::vector<ScheduledModel> models = {shared("zoo:vgg16", WorkloadKind::kTraining, {16}),
                                        shared("zoo:vgg16", WorkloadKind::kTraining, {16})};
  EXPECT_THROW(fit_together(models, "orin-nano-8gb"), NotSupportedError);
}

// A schedule keeps the device busy, so its power has no waits for data that is there.
TEST(ScheduledModel, InferenceDoesNotWaitForALoader) {
  const ScheduledModel inference = shared("zoo:resnet50", WorkloadKind::kInference, {16});
  const Sweep sweep = inference.sweep("orin-nano-8gb");
  const auto at = inference.on_twin->estimator(16).breakdown(sweep.observations[0].point.mode);
  EXPECT_EQ(at.counted_share, 1);
  const Sweep waiting =
      estimate_sweep({.modes = "maxn", .batches = {16}}, inference.workload, "orin-nano-8gb");
  EXPECT_DOUBLE_EQ(sweep.observations[0].time_s, waiting.observations[0].time_s);
  EXPECT_GT(sweep.observations[0].power_w, waiting.observations[0].power_w);
}

}  // namespace
}  // namespace ridgewatt::answer
