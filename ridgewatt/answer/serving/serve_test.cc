// Tests which models can share a board.
#include "ridgewatt/answer/serve.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/knob_space.h"
#include "ridgewatt/twin/twin.h"
#include "ridgewatt/twin/twin_model.h"

namespace ridgewatt::answer {
namespace {

constexpr char kSharedBoard[] = "orin-nano-8gb";

ScheduledModel shared(const std::string& name, WorkloadKind kind, std::vector<int> batches,
                      const std::string& board = kSharedBoard) {
  return scheduled_model(std::make_shared<const workload::DeployedWorkload>(
                             name, workload::DeployOptions{.kind = kind}),
                         "maxn", std::move(batches), board);
}

TEST(FitTogether, LeavesOutTheBatchesThatDoNotFitNextToTheOthers) {
  const std::vector<int> batches = {1, 16, 64, 96, 128, 160, 192, 224, 256};
  std::vector<ScheduledModel> models = {shared("zoo:resnet50", WorkloadKind::kInference, batches),
                                        shared("zoo:resnet18", WorkloadKind::kTraining, {16})};
  const double trained = models[1].on_twin->memory(16).needed_bytes();
  const double free = models[1].on_twin->memory(16).free_bytes();
  fit_together(models, kSharedBoard);
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
  EXPECT_THROW(fit_together(models, kSharedBoard), NotSupportedError);
}

// A schedule keeps the device busy, so its power has no waits for data that is there. At this CPU
// clock, loader workers cannot keep up, so the default power is partly that of a waiting board.
TEST(ScheduledModel, InferenceDoesNotWaitForALoader) {
  const Board board = load_board("agx-orin");
  const ScheduledModel inference =
      shared("zoo:resnet50", WorkloadKind::kInference, {32}, board.name);
  PowerMode mode = knob_space(board).top();
  mode.cpu_clock_hz = 1113.6e6;
  const twin::TwinModel with_waits(twin::load_twin(board), inference.workload);
  ASSERT_LT(with_waits.estimator(32).breakdown(mode).counted_share, 0.9);
  EXPECT_EQ(inference.on_twin->estimator(32).breakdown(mode).counted_share, 1);
  const Observation row = inference.on_twin->observe({mode, 32});
  const Observation waiting = with_waits.observe({mode, 32});
  EXPECT_DOUBLE_EQ(row.time_s, waiting.time_s);
  EXPECT_GT(row.power_w, 1.1 * waiting.power_w);
  const Sweep sweep = inference.sweep(board.name);  // at MAXN
  EXPECT_DOUBLE_EQ(sweep.observations.front().power_w,
                   inference.on_twin->observe(sweep.observations.front().point).power_w);
}

// With four workers and a launching thread on fewer cores, the inference waits as long as the
// training. Without a training, only the slower launches of few cores stay.
TEST(ShareCores, InferenceWaitsForTheWorkersOfTheTraining) {
  const Board board = load_board("agx-orin");
  const auto inference = [&] {
    return shared("zoo:resnet50", WorkloadKind::kInference, {1}, board.name);
  };
  const ScheduledModel alone = inference();
  std::vector<ScheduledModel> both = {
      inference(), shared("zoo:resnet18", WorkloadKind::kTraining, {16}, board.name)};
  share_cores(both, board.name);
  const auto pipe_s = [](const ScheduledModel& model, int cores) {
    PowerMode mode = knob_space(load_board("agx-orin")).top();
    mode.cpu_cores = cores;
    const int batch = model.question.batches.front();
    return model.on_twin->estimator(batch).breakdown(mode).total.pipe_s;
  };
  EXPECT_DOUBLE_EQ(pipe_s(both[0], 12), pipe_s(alone, 12));
  EXPECT_GT(pipe_s(alone, 1), 2 * pipe_s(alone, 12));
  EXPECT_GT(pipe_s(both[0], 2), 1.3 * pipe_s(alone, 2));
  const Sweep sweep = both[0].sweep(board.name);
  EXPECT_DOUBLE_EQ(sweep.observations.front().time_s, pipe_s(both[0], 12));
}

}  // namespace
}  // namespace ridgewatt::answer
