// Tests where the parameters of a runtime come from: the board's own table or, without one, the
// reference board's.
#include <gtest/gtest.h>

#include <fstream>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/twin/runtime_fit.h"
#include "ridgewatt/twin/runtime_twin.h"
#include "ridgewatt/twin/twin.h"

namespace ridgewatt::twin {
namespace {

RuntimeTwins twins_with(TwinTable table) {
  const Board board = load_board("agx-xavier");
  const std::string text = board_toml_with_runtimes(board, {{"tensorrt", std::move(table)}});
  return load_runtime_twins(parse_board(text, "own.toml"));
}

TEST(RuntimeTables, ABoardsOwnTableOfOneRuntimeLeavesTheOthersAsTheyAre) {
  const auto usual = load_runtime_twins(load_board("agx-xavier"));
  RuntimeTwin engine = prior_runtime_twin(Runtime::kTensorRt);
  engine.values[static_cast<std::size_t>(RuntimeParam::kLaunch)] = 0.125;
  const auto own = twins_with(runtime_table(engine));
  ASSERT_EQ(own.size(), usual.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].runtime == Runtime::kTensorRt) {
      EXPECT_DOUBLE_EQ(own[i][RuntimeParam::kLaunch], 0.125);
    } else {
      EXPECT_EQ(own[i].values, usual[i].values);
      EXPECT_EQ(own[i].origin, usual[i].origin);
    }
  }
}

TEST(RuntimeTables, DeviationsAndDegreesThatAreNoneAreRefused) {
  const TwinTable sound = runtime_table(prior_runtime_twin(Runtime::kTensorRt));
  for (const auto& [key, value] : {std::pair{"error.degrees", 0.0}, {"error.board", -0.1}}) {
    TwinTable table = sound;
    table.numbers[key] = value;
    EXPECT_THROW(twins_with(table), InputError) << key;
  }
}

// From rows that state only times, the reader takes the rows that time the engine alone, with the
// cost of the image size that was run.
TEST(RuntimeRows, OfTimesTellWhatCalledTheEngine) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "times.csv").string();
  std::ofstream file(path);
  file << "source,board,power_mode,runtime,workload,precision,batch,input,what_is_timed,latency_ms,"
          "note\n";
  const std::string alone = "engine alone called from Python";
  for (const auto& [input, timed] : {std::pair{"320x320", alone},
                                     {"640x640", alone},
                                     {"640x640", "end to end: with the picture"},
                                     {"320x320", "end to end: with the picture"}}) {
    file << "s,agx-orin,MAXN,tensorrt,yoloxs,fp16,1," << input << ',' << timed << ",2,\n";
  }
  file.close();
  const RuntimeRows rows = load_runtime_rows({path});
  ASSERT_EQ(rows.rows.size(), 2);
  EXPECT_EQ(rows.rows[0].model, "yolox_s");
  EXPECT_EQ(rows.rows[0].run.caller, EngineCaller::kThinPython);
  EXPECT_DOUBLE_EQ(rows.rows[0].time_s, 2e-3);
  EXPECT_NEAR(rows.rows[1].cost->work_flop() / rows.rows[0].cost->work_flop(), 4, 0.01);
  ASSERT_EQ(rows.left_out.size(), 1);  // two rows for the same reason
  EXPECT_NE(rows.left_out[0].label.find("and 1 more"), std::string::npos);
}

// Rows of operator networks: the grid is part of the name, the input is on the GPU, and autocast is
// not modeled.
TEST(RuntimeRows, OfOperatorsTellTheGridAndWhereTheInputLies) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "operators.csv").string();
  std::ofstream file(path);
  file << "source,board,power_mode,runtime,workload,precision,batch,input,what_is_timed,latency_ms,"
          "note\n";
  for (const char* row : {"pytorch-eager,burgers_deeponet_base,fp32",
                          "pytorch-eager,deeponet burgers_r8192,fp32_strict",
                          "torchscript,deeponet burgers_r8192,tf32",
                          "torchscript,deeponet burgers_base,fp16_autocast"}) {
    file << "s,orin-nano-8gb@super,MAXN_SUPER," << row
         << ",1,,synchronized forward pass; input on the device,2,\n";
  }
  file.close();
  const RuntimeRows rows = load_runtime_rows({path});
  ASSERT_EQ(rows.rows.size(), 3);
  for (const RuntimeRow& row : rows.rows) {
    EXPECT_EQ(row.model, "deeponet_base");
    EXPECT_EQ(row.run.input, InputPlace::kDevice);
  }
  EXPECT_NEAR(rows.rows[1].cost->work_flop() / rows.rows[0].cost->work_flop(), 4, 0.01);
  EXPECT_EQ(rows.rows[2].precision, "tf32");
  ASSERT_EQ(rows.left_out.size(), 1);
  EXPECT_EQ(rows.left_out[0].reason, "weights are converted in each run");
}

// The prior relates the rates of precisions, so rows in one precision also inform precisions
// without rows.
TEST(RuntimeRows, OfOnePrecisionInformTheNextOne) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "rows.csv").string();
  std::ofstream file(path);
  file << "source,board,power_mode,runtime,workload,precision,batch,sequence,metric,value,note\n";
  file << "s,AGX Orin 64GB,MAXN,tensorrt,resnet50,fp16,32,,ms,1,\n";
  file.close();
  auto rows = load_runtime_rows({path}).rows;
  ASSERT_EQ(rows.size(), 1);
  const RuntimeTwin prior = prior_runtime_twin(Runtime::kTensorRt);
  rows[0].time_s = 0.5 * modelled_time_s(rows[0], prior);
  const RuntimeTwin fitted = fit_runtime(Runtime::kTensorRt, rows);
  EXPECT_GT(fitted[RuntimeParam::kConvFp16], 1.1 * prior[RuntimeParam::kConvFp16]);
  EXPECT_GT(fitted[RuntimeParam::kConvInt8], 1.05 * prior[RuntimeParam::kConvInt8]);
  EXPECT_GT(fitted[RuntimeParam::kConvFp32], 1.05 * prior[RuntimeParam::kConvFp32]);
}

// Rows at the highest clocks or at those of a preset are used. Rows of a mode whose clocks are
// unknown are left out.
TEST(RuntimeRows, AreThoseOfKnownClocks) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "rows.csv").string();
  std::ofstream file(path);
  file << "source,board,power_mode,runtime,workload,precision,batch,sequence,metric,value,note\n";
  for (const char* mode : {"MAXN", "MaxP", "15W", "MaxQ (MAXN is faster)", ""}) {
    file << "s,AGX Orin 64GB," << mode << ",tensorrt,resnet50,int8,1,,ms,1,\n";
  }
  file.close();
  const RuntimeRows rows = load_runtime_rows({path});
  ASSERT_EQ(rows.rows.size(), 3);
  EXPECT_EQ(rows.left_out.size(), 2);
  EXPECT_FALSE(rows.rows[0].mode.has(Knob::kGpuClock));
  EXPECT_EQ(rows.rows[2].mode.gpu_clock_hz, 408e6);  // nvpmodel_p3701_0000.conf
}

}  // namespace
}  // namespace ridgewatt::twin
