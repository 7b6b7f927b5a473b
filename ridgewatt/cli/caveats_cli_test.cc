// Every command that uses a model reports what the model's cost omits and assumes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/workload/graph_builder.h"
#include "ridgewatt/workload/precision.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::ProgramResult;
using testing::run_program;

class Caveats : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string model_ = write_model();
  std::string sweep_ = folder_.write("sweep.csv", write_sweep_csv({board_sweep()}));

  // Some modes of the AGX Orin, because samples of a board have its clocks.
  static Sweep board_sweep() {
    const auto modes = knob_space(load_board("agx-orin")).modes();
    Sweep sweep{"", "unusual", "inference", {}, {}};
    for (std::size_t i = 0; i < modes.size(); i += 600) {
      const double gpu = modes[i].gpu_clock_hz / 1e9, cpu = modes[i].cpu_clock_hz / 1e9;
      sweep.observations.push_back({{modes[i], 16}, 0.01 / gpu + 0.002 / cpu, 10 + 20 * gpu});
    }
    return sweep;
  }

  // A model in which two nodes have an unknown operator and the sequence is open.
  std::string write_model() const {
    workload::GraphBuilder g("unusual", 17);
    auto x = g.input("x", {"batch", "sequence", 64});
    x = g.op("StyleMixer", {g.dense(x, 64)});
    x = g.dense(g.op("StyleMixer", {x}), 64);
    g.output(x, "y", {"batch", "sequence", 64});
    return folder_.write("unusual.onnx", g.serialize());
  }

  // Commands with their options.
  std::vector<std::string> commands() const {
    return {"analyze " + model_,
            "estimate " + model_ + " --device agx-orin --modes maxn",
            "roofline " + model_ + " --device agx-orin --modes maxn",
            "tune " + model_ + " --device agx-orin",
            "tune " + model_ + " --device agx-orin --sweep " + sweep_,
            "pipeline " + model_ + " --device agx-orin",
            "predict --samples " + sweep_ + " --query " + sweep_ + " --device agx-orin --model " +
                model_,
            "pareto --samples " + sweep_ + " --query " + sweep_ + " --device agx-orin --model " +
                model_,
            "fake-run " + model_ + " --device fake:agx-orin --minibatches 1 --speed 1000"};
  }
};

// label: slow
TEST_F(Caveats, EveryCommandSaysWhatIsNotCountedAndAssumed) {
  for (const auto& command : commands()) {
    const ProgramResult result = run_program(command);
    EXPECT_EQ(result.status, 0) << command << '\n' << result.output;
    EXPECT_THAT(result.output, HasSubstr("not counted: StyleMixer, 2 nodes (no rule)")) << command;
    EXPECT_THAT(result.output, HasSubstr("assumed sequence = 1")) << command;
    EXPECT_THAT(result.output, Not(HasSubstr("bounds hold"))) << command;
  }
  const ProgramResult known = run_program("estimate zoo:lenet5 --device agx-orin --modes maxn");
  EXPECT_THAT(known.output, HasSubstr("90 % intervals"));
  EXPECT_THAT(known.output, Not(HasSubstr("not counted")));
}

// label: slow
TEST_F(Caveats, StrictRefusesWhatIsNotCounted) {
  for (const auto& command : commands()) {
    const ProgramResult result = run_program(command + " --strict --quiet");
    EXPECT_EQ(result.status, 1) << command << '\n' << result.output;
    EXPECT_THAT(result.output, HasSubstr("StyleMixer")) << command;
  }
  EXPECT_EQ(run_program("estimate zoo:lenet5 --device agx-orin --modes maxn --strict").status, 0);
}

TEST_F(Caveats, JsonHasKeysForThem) {
  for (const std::string command : {"analyze ", "estimate ", "roofline ", "tune ", "pipeline "}) {
    const std::string device = command == "analyze " ? "" : " --device agx-orin";
    const ProgramResult result = run_program(command + model_ + device + " --quiet --format json");
    ASSERT_EQ(result.status, 0) << result.output;
    const Json json = Json::parse(result.output);
    ASSERT_FALSE(json["unsupported"].empty()) << command;
    EXPECT_EQ(json["unsupported"][0]["op"], "StyleMixer");
    EXPECT_EQ(json["unsupported"][0]["domain"], "");
    EXPECT_EQ(json["unsupported"][0]["nodes"], 2);
    EXPECT_EQ(json["unsupported"][0]["reason"], "no rule");
    EXPECT_THAT(json["assumed"].dump(), HasSubstr("sequence = 1")) << command;
  }
}

TEST_F(Caveats, AnEmptyCacheIsADimensionAndWrongOnesAreNot) {
  EXPECT_EQ(run_program("estimate zoo:llama_small_decode --device agx-orin --modes maxn "
                        "--dim past_sequence=0")
                .status,
            0);
  const ProgramResult nothing = run_program(
      "estimate zoo:llama_small_prefill --device agx-orin --modes maxn --dim sequence=0");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.output, HasSubstr("computes nothing"));
  EXPECT_EQ(run_program("analyze zoo:bert_tiny --dim sequence=-1").status, 2);
  const ProgramResult unknown = run_program("analyze zoo:lenet5 --precision fp64");
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.output, HasSubstr(joined_names<workload::Precision>()));
}

TEST_F(Caveats, APrecisionThatABoardLacksIsNamedWithTheBoard) {
  const ProgramResult result =
      run_program("estimate zoo:resnet18 --device nano --precision bf16 --modes maxn");
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("the peak rate of bf16 is not known for board nano"));
  const ProgramResult narrow =
      run_program("roofline zoo:lenet5 --device nano --precision int8 --modes maxn");
  EXPECT_EQ(narrow.status, 1);
  EXPECT_THAT(narrow.output, HasSubstr("use --precision fp16, or --runtime tensorrt"));
  const ProgramResult all =
      run_program("estimate zoo:resnet18 --device all --runtime tensorrt --precision int8");
  EXPECT_EQ(all.status, 0) << all.output;
  EXPECT_THAT(all.output, HasSubstr("left out: nano"));
}

}  // namespace
}  // namespace ridgewatt::cli
