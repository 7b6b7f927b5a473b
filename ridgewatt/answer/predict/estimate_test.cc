// Tests the cost of a model in a board's modes by its twin, and the cost of an epoch of training.
#include "ridgewatt/answer/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ridgewatt/answer/epochs.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/workload/graph_builder.h"

namespace ridgewatt::answer {
namespace {

std::shared_ptr<const workload::DeployedWorkload> model(const std::string& name,
                                                        WorkloadKind kind) {
  return std::make_shared<const workload::DeployedWorkload>(name,
                                                            workload::DeployOptions{.kind = kind});
}

TEST(Estimate, OneRowPerModeAndBatchInTheOrderAsked) {
  const auto lenet = model("zoo:lenet5", WorkloadKind::kInference);
  const EstimateAnswer found =
      estimate_on_board({.modes = "maxn,presets", .batches = {4, 1, 4}}, lenet, "orin-nano");
  ASSERT_FALSE(found.rows.empty());
  EXPECT_EQ(found.rows.size() % 2, 0U);
  EXPECT_EQ(found.rows[0].setting->batch, 4);
  EXPECT_EQ(found.rows[1].setting->batch, 1);
  EXPECT_EQ(found.rows[0].mode, knob_space(load_board("orin-nano")).top());
  for (const auto& row : found.rows) {
    EXPECT_NEAR(row.estimate.total.energy_j(),
                row.estimate.total.period_s * row.estimate.total.power_w, 1e-12);
    EXPECT_GT(row.error[twin::kTime].sd, 0);
  }
  EXPECT_TRUE(found.fits_memory());
  EXPECT_THROW(estimate_on_board({.modes = "nothing"}, lenet, "orin-nano"), Error);
}

TEST(Estimate, WithoutABatchTheUsualOne) {
  for (const auto kind : {WorkloadKind::kInference, WorkloadKind::kTraining}) {
    const EstimateAnswer found =
        estimate_on_board({.modes = "maxn"}, model("zoo:lenet5", kind), "agx-orin");
    ASSERT_EQ(found.rows.size(), 1U);
    EXPECT_EQ(found.rows[0].setting->batch, kind == WorkloadKind::kTraining ? 16 : 1);
  }
}

TEST(Estimate, AsASweepItHoldsTheSameCosts) {
  const auto lenet = model("zoo:lenet5", WorkloadKind::kTraining);
  const EstimateQuestion question{.modes = "presets", .batches = {4, 16}};
  const EstimateAnswer found = estimate_on_board(question, lenet, "orin-nano");
  const Sweep sweep = estimate_sweep(question, lenet, "orin-nano");
  ASSERT_EQ(sweep.observations.size(), found.rows.size());
  EXPECT_EQ(sweep.origin(), found.origin(found.rows.front()));
  for (const auto& row : found.rows) {
    const auto same = std::find_if(
        sweep.observations.begin(), sweep.observations.end(), [&](const Observation& one) {
          return one.point.mode == row.mode && one.point.batch == row.setting->batch;
        });
    ASSERT_NE(same, sweep.observations.end());
    EXPECT_DOUBLE_EQ(same->time_s, row.estimate.total.period_s);
    EXPECT_NEAR(same->energy_j(), row.estimate.total.energy_j(), 1e-12);
  }
}

// Rows are computed when they are read, so a second read must give the same row.
TEST(Estimate, ReadingARowAgainGivesTheSameRow) {
  const EstimateAnswer found =
      estimate_on_board({.modes = "presets", .batches = {1, 8}},
                        model("zoo:lenet5", WorkloadKind::kInference), "orin-nano");
  ASSERT_GT(found.rows.size(), 2U);
  std::size_t i = 0;
  for (const auto& row : found.rows) {
    EXPECT_EQ(row.mode, found.rows.mode(i));
    EXPECT_EQ(row.preset, found.rows.preset(i));
    EXPECT_EQ(row.setting->batch, i % 2 == 0 ? 1 : 8);
    EXPECT_EQ(row.estimate.total.period_s, found.rows[i].estimate.total.period_s);
    ++i;
  }
  EXPECT_EQ(i, found.rows.size());
}

TEST(Estimate, BoardsAreRankedByTimePerSample) {
  const EstimateAnswer found =
      estimate_over_boards({.batches = {16}}, model("zoo:resnet18", WorkloadKind::kInference));
  std::set<std::string> boards;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    boards.insert(found.rows[i].setting->board);
    if (i == 0 || !found.rows[i].setting->memory.fits()) continue;
    EXPECT_LE(found.rows[i - 1].estimate.total.period_s, found.rows[i].estimate.total.period_s);
  }
  EXPECT_EQ(boards.size() + found.left_out.size(), list_boards().size());
  // By their data sheets, Thor is more than twice as fast as the AGX Orin, and the H100 is five
  // times as fast as Thor. The batch is so large that launches do not matter.
  EXPECT_EQ(found.rows.front().setting->board, "h100-sxm");
  const auto place = [&](std::string_view board) {
    const auto row = std::find_if(found.rows.begin(), found.rows.end(),
                                  [&](const auto& one) { return one.setting->board == board; });
    return std::distance(found.rows.begin(), row);
  };
  EXPECT_LT(place("thor"), place("agx-orin"));
}

// Compares each row with the precision and the runtime that it should not be slower than.
TEST(Estimate, ASlowerPrecisionOrRuntimeStatesIt) {
  std::size_t stated = 0;
  for (const char* name : {"zoo:lstm_lm", "zoo:bert_tiny"}) {
    const auto asked = model(name, WorkloadKind::kInference);
    const EstimateAnswer found =
        estimate_over_runtimes({.modes = "presets", .batches = {32}}, asked, "thor",
                               {workload::Precision::kFp32, workload::Precision::kFp16});
    const auto time_of = [&](const EstimateRow& like, Runtime runtime,
                             workload::Precision precision) {
      const auto at = std::find_if(found.rows.begin(), found.rows.end(), [&](const auto& row) {
        return row.mode == like.mode && row.setting->runtime == runtime &&
               row.setting->precision == precision;
      });
      return at->estimate.total.period_s;
    };
    for (const auto& row : found.rows) {
      const double own_s = row.estimate.total.period_s;
      const double fastest_s =
          std::min(time_of(row, Runtime::kPytorchEager, row.setting->precision),
                   time_of(row, row.setting->runtime, workload::Precision::kFp32));
      const bool slower = own_s > fastest_s * (1 + 1e-5);
      const bool says = std::any_of(
          row.widened_by.begin(), row.widened_by.end(),
          [](const std::string& why) { return why.find("times as long as in") != why.npos; });
      EXPECT_EQ(slower, says) << name << name_of(row.setting->runtime);
      if (!slower) continue;
      ++stated;
      EXPECT_LE(row.error[twin::kTime].lo(own_s, 0.9), fastest_s * (1 + 1e-9));
    }
  }
  EXPECT_GT(stated, 0U);
}

// PyTorch's 8-bit engines run on the CPU (examples/studies/infer.py).
TEST(Estimate, EagerModeDoesNotMultiplyEightBits) {
  const auto asked = std::make_shared<const workload::DeployedWorkload>(
      "zoo:resnet18", workload::DeployOptions{.precision = workload::Precision::kInt8});
  EXPECT_THROW(estimate_on_board({.modes = "maxn"}, asked, "agx-orin"), NotSupportedError);
}

// 1,600 samples of 100 ms on four workers: 40 s.
TEST(Estimate, AStepWaitsForItsData) {
  const auto resnet = model("zoo:resnet18", WorkloadKind::kTraining);
  const auto job_s = [&](double loader_s) {
    EstimateQuestion question{.modes = "maxn"};
    question.run.loader_s_per_sample = loader_s;
    const auto found = estimate_on_board(question, resnet, "agx-orin");
    return 1600.0 / 16 * found.rows.front().estimate.total.period_s;
  };
  EXPECT_NEAR(job_s(0.1), 40, 0.4);
  EXPECT_LT(job_s(0), 20);
}

// If the data is in memory, an epoch is the sum of its minibatches as the twin estimates them.
TEST(Epochs, ALaterEpochIsTheSumOfItsMinibatches) {
  const auto lenet = model("zoo:lenet5", WorkloadKind::kTraining);
  EpochQuestion question;
  question.config.samples = 50000;
  question.config.storage = pipeline::find_storage("memory");
  const EpochAnswer found = epochs_on_twin(question, lenet, "agx-orin");
  const EstimateAnswer step = estimate_on_board({.modes = "maxn"}, lenet, "agx-orin");
  EXPECT_NEAR(pipeline::epoch_cost(found.config, 1).time_s /
                  (50000.0 / 16 * step.rows.front().estimate.total.period_s),
              1, 1e-9);
  EXPECT_EQ(found.origin.provenance, Provenance::kModelled);
  for (const auto& change : found.changes) EXPECT_GT(change.later.time_s, 0) << change.change;
}

// A board's page cache is the memory that the minibatch leaves free, not a terabyte.
TEST(Epochs, ThePageCacheIsWhatTheBoardHasLeft) {
  const auto lenet = model("zoo:lenet5", WorkloadKind::kTraining);
  EpochQuestion question;
  question.config.samples = 1e6;
  question.config.sample_bytes = 1e5;  // 100 GB
  const EpochAnswer found = epochs_on_twin(question, lenet, "nano");
  const EstimateAnswer step = estimate_on_board({.modes = "maxn"}, lenet, "nano");
  const twin::MemoryFootprint& memory = step.rows.front().setting->memory;
  EXPECT_NEAR(found.config.cache_bytes, memory.free_bytes() - memory.needed_bytes(), 1);
  EXPECT_GT(pipeline::miss_share(found.config, 1), 0.99);
  question.cache_bytes = 2e11;
  EXPECT_EQ(pipeline::miss_share(epochs_on_twin(question, lenet, "nano").config, 1), 0);
}

// A Nano has 2.55 GB for a minibatch that needs 4.16 GB.
TEST(Epochs, AMinibatchThatDoesNotFitHasNoEpochs) {
  EpochQuestion question;
  question.config.batch = 16;
  const auto vgg = model("zoo:vgg11", WorkloadKind::kTraining);
  try {
    epochs_on_twin(question, vgg, "nano");
    ADD_FAILURE();
  } catch (const NoSolutionError& error) {
    EXPECT_NE(std::string(error.what()).find("a minibatch of 16 needs"), std::string::npos)
        << error.what();
  }
  EXPECT_NO_THROW(epochs_on_twin(question, vgg, "agx-orin"));
}

TEST(Epochs, TimesThatAreGivenAreOfNoBoard) {
  pipeline::PipelineConfig config;
  config.compute_s = 0.1;
  const EpochAnswer found = epochs_of_times(config);
  EXPECT_TRUE(found.origin.board.empty());
  EXPECT_FALSE(found.caveats);
  EXPECT_FALSE(found.changes.empty());
}

std::shared_ptr<const workload::DeployedWorkload> model_of(const workload::GraphBuilder& g) {
  const testing::TemporaryFolder folder;
  return model(folder.write("model.onnx", g.serialize()), WorkloadKind::kInference);
}

// The Reshape fixes the batch at 1, so a batch of 8 is impossible. The model waits for launches,
// but a larger batch must not be suggested, and the estimate must not be rejected.
TEST(Estimate, ABatchThatShapesForbidIsNotARemedy) {
  workload::GraphBuilder g("fixed", 17);
  auto x = g.input("x", {"batch", 64});
  for (int i = 0; i < 8; ++i) x = g.relu(g.dense(x, 64));
  g.output(g.reshape(x, {1, 64}), "y", {1, 64});
  const auto fixed = model_of(g);
  const EstimateQuestion question{.modes = "maxn"};
  const EstimateAnswer found = estimate_on_board(question, fixed, "agx-orin");
  ASSERT_EQ(found.rows.front().estimate.dominant(), twin::Cause::kLaunch);
  EXPECT_THROW(fixed->at(8), Error);
  EXPECT_FALSE(found.remedies.empty());
  for (const auto& remedy : found.remedies) EXPECT_NE(remedy.what, "batch 8");
}

// For torch.compile, a single transposition is a view, which launches nothing.
TEST(Estimate, ARuntimeThatLaunchesNothingIsLeftOut) {
  workload::GraphBuilder g("turn", 17);
  const auto x = g.input("x", {"batch", 3, 4});
  g.output(g.transpose(x, {0, 2, 1}), "y", {"batch", 4, 3});
  const EstimateAnswer found = estimate_over_runtimes({}, model_of(g), "agx-orin");
  EXPECT_FALSE(found.rows.empty());
  ASSERT_EQ(found.left_out.size(), 2U);
  EXPECT_EQ(found.left_out[0].name, "torch-compile fp32");
  EXPECT_EQ(found.left_out[1].name, "torch-compile fp16");
}

}  // namespace
}  // namespace ridgewatt::answer
