#include "ridgewatt/platform/example_sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/base/error.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::platform {
namespace {

TEST(ExampleSweep, IsFakeSmallAndOfBoardModes) {
  const Board board = load_board("orin-nano-8gb");
  const auto sweeps = example_sweeps(board, {});
  ASSERT_EQ(sweeps.size(), 2u);
  EXPECT_EQ(sweeps[0].kind, "training");
  EXPECT_EQ(sweeps[1].kind, "inference");
  const KnobSpace space = knob_space(board);
  for (const auto& sweep : sweeps) {
    EXPECT_EQ(sweep.provenance, Provenance::kFake);
    EXPECT_EQ(sweep.board, "orin-nano-8gb");
    EXPECT_LE(sweep.observations.size(), 300u);
    EXPECT_GE(sweep.observations.size(), 60u);
    for (const auto& row : sweep.observations) EXPECT_TRUE(space.find(row.point.mode));
    EXPECT_EQ(sweep.space().top(), space.top());
    // The quality check must flag only a few rows.
    EXPECT_LT(check_quality(sweep).flagged_share(), 0.1);
  }
  EXPECT_EQ(sweeps[0].space().modes(), sweeps[1].space().modes());
}

// The suffix is wrong, not the model.
TEST(ExampleSweep, AnUnknownKindIsSaidWithTheKnownOnes) {
  for (const char* text :
       {"resnet18:foo", "zoo:resnet18:trainin", "model.onnx:test", "resnet18:"}) {
    try {
      parse_example_workload(text);
      ADD_FAILURE() << text;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("is not a kind of workload: ")) << text;
      EXPECT_THAT(error.what(), ::testing::HasSubstr("training")) << text;
    }
  }
  EXPECT_EQ(parse_example_workload("zoo:resnet18").model, "zoo:resnet18");
  EXPECT_EQ(parse_example_workload("a:b/model.onnx").model, "a:b/model.onnx");
  EXPECT_EQ(parse_example_workload("RESNET18:Training").kind, WorkloadKind::kTraining);
}

// The flagged share, or 0 if no batch fits on the board.
double flagged_share_of(const Board& board, const ExampleSweepOptions& options) {
  try {
    return check_quality(example_sweeps(board, options).front()).flagged_share();
  } catch (const UsageError&) {
    return 0;
  }
}

// `schedule`, `predict` and `tune` reject a sweep whose flagged share exceeds kMostFlagged, so no
// example may exceed it.
// label: waits
TEST(ExampleSweep, EveryOnePassesTheQualityCheck) {
  const std::vector<std::vector<int>> batches = {{}, {1, 4}, {1, 2, 4, 8, 16}};
  const char* const models[] = {"zoo:lenet", "zoo:resnet18", "zoo:mobilenet_v3_large",
                                "zoo:bert_tiny"};
  std::uint64_t seed = 0;
  for (const char* name : {"agx-orin", "nano", "orin-nano", "thor"}) {
    const Board board = load_board(name);
    for (const char* model : models) {
      for (const auto kind : {WorkloadKind::kInference, WorkloadKind::kTraining}) {
        for (const std::size_t modes : {16u, 30u, 60u, 96u}) {
          for (const auto& some : batches) {
            const ExampleSweepOptions options{{{model, kind, some}}, modes, 1 + seed++ % 3};
            EXPECT_LE(flagged_share_of(board, options), kMostFlagged)
                << name << ' ' << model << ' ' << name_of(kind) << ", " << modes << " modes, "
                << some.size() << " batches, seed " << options.seed;
          }
        }
      }
    }
  }
}

// Three GPU clocks and two levels of every other knob would give 24 modes, but the check flags
// corners of that grid. Two levels of each knob give 16.
TEST(ExampleSweep, IsAsFineAsTheCheckAllows) {
  const ExampleSweepOptions options{
      {{"zoo:mobilenet_v3_large", WorkloadKind::kInference, {1, 4}}}, 30, 1};
  EXPECT_EQ(example_sweeps(load_board("agx-orin"), options).front().observations.size(), 16u * 2);
  EXPECT_EQ(example_modes(knob_space(load_board("agx-orin")), 30).size(), 24u);
}

TEST(ExampleSweep, FollowsItsSeed) {
  const Board board = load_board("agx-orin");
  ExampleSweepOptions options;
  options.workloads = {{"zoo:lenet"}};
  const auto csv = [&](std::uint64_t seed) {
    options.seed = seed;
    return write_sweep_csv(example_sweeps(board, options));
  };
  EXPECT_EQ(csv(1), csv(1));
  EXPECT_NE(csv(1), csv(2));
}

TEST(ExampleSweep, ModesAreAGridUpToTheCount) {
  const KnobSpace space = knob_space(load_board("agx-orin"));
  for (const std::size_t count : {1u, 2u, 10u, 96u, 1000u}) {
    const auto modes = example_modes(space, count);
    EXPECT_LE(modes.size(), count);
    EXPECT_GE(4 * modes.size(), count);
    EXPECT_EQ(modes.back(), space.top());
  }
  EXPECT_EQ(example_modes(space, 1u << 20).size(), space.size());
  EXPECT_THROW(example_modes(space, 0), UsageError);
}

TEST(ExampleSweep, WorkloadsAreNamedShortly) {
  const auto training = parse_example_workload("resnet18:training");
  EXPECT_EQ(training.model, "zoo:resnet18");
  EXPECT_EQ(training.kind, WorkloadKind::kTraining);
  EXPECT_EQ(parse_example_workload("zoo:yolov8n").kind, WorkloadKind::kInference);
  EXPECT_EQ(parse_example_workload("a/b.onnx:inference").model, "a/b.onnx");
  EXPECT_THROW(parse_example_workload(":training"), UsageError);
}

}  // namespace
}  // namespace ridgewatt::platform
