// Tests `calibrate --device local`, which makes this machine a board.
#include <gtest/gtest.h>

#include <filesystem>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

constexpr char kQuick[] = "calibrate --device local --seconds 0.01 ";

// label: slow
TEST(CalibrateLocal, TheBoardFileAnswersForThisMachine) {
  const testing::TemporaryFolder folder;
  const std::string board = (folder.path() / "here.toml").string();
  const std::string runs = folder.write("runs.csv",
                                        "model,cpu_cores,batch,time_ms,dims,runtime\n"
                                        "zoo:resnet18,1,1,30,,onnxruntime-cpu\n"
                                        "zoo:bert_tiny,1,2,5,sequence=64,onnxruntime-cpu\n"
                                        "zoo:resnet18,1,1,9000,,tflite-cpu\n");
  const auto made = testing::run_program(kQuick + ("--runtimes " + runs + " -o ") + board);
  ASSERT_EQ(made.status, 0) << made.output;
  EXPECT_NE(made.output.find("zoo:bert_tiny"), std::string::npos) << made.output;
  EXPECT_NE(read_file(board).find("kind = \"cpu\""), std::string::npos);

  const auto estimated = [&](const std::string& runtime) {
    const auto said =
        testing::run_program("estimate zoo:resnet18 --device " + board + " --runtime " + runtime +
                             " --modes cores=1 --batch 4 --format csv -q");
    EXPECT_EQ(said.status, 0) << said.output;
    return parse_csv(said.output, "estimate");
  };
  const CsvTable table = estimated("onnxruntime-cpu");
  ASSERT_EQ(table.rows.size(), 1u);
  const auto number_in = [](const CsvTable& from, const char* name) {
    return std::stod(from.rows.at(0)[require_csv_column(from.header, name, "estimate")]);
  };
  const auto number = [&](const char* name) { return number_in(table, name); };
  // The slow run in TensorFlow Lite changes only the estimates for TensorFlow Lite.
  EXPECT_GT(number_in(estimated("tflite-cpu"), "time_ms"), 5 * number("time_ms"));
  EXPECT_LT(number("time_lo_ms"), number("time_ms"));
  EXPECT_LT(number("time_ms"), number("time_hi_ms"));
  EXPECT_EQ(number("cpu_cores"), 1);
  // Without a power sensor, no power is stated.
  EXPECT_EQ(table.rows[0][require_csv_column(table.header, "power_w", "estimate")], "");
  EXPECT_EQ(table.rows[0][require_csv_column(table.header, "energy_j", "estimate")], "");

  const auto language =
      testing::run_program("llm zoo:qwen3-0.6b --device " + board + " --format csv -q");
  ASSERT_EQ(language.status, 0) << language.output;
  const CsvTable tokens = parse_csv(language.output, "llm");
  const auto cell = [&](const char* name) {
    return tokens.rows.at(0)[require_csv_column(tokens.header, name, "llm")];
  };
  EXPECT_GT(std::stod(cell("tokens_per_s")), 0);
  EXPECT_EQ(cell("runtime"), "llama.cpp");
  EXPECT_EQ(cell("decode_power_w"), "");
  EXPECT_EQ(cell("joules_per_token"), "");
  const auto tuned =
      testing::run_program("tune llm zoo:qwen3-0.6b --minimize time --device " + board);
  EXPECT_EQ(tuned.status, 0) << tuned.output;
  EXPECT_EQ(tuned.output.find("nan"), std::string::npos) << tuned.output;
  for (const char* asked : {"tune llm zoo:qwen3-0.6b --device ",
                            "tune llm zoo:qwen3-0.6b "
                            "--minimize time --max-power 9 --device "}) {
    const auto refused = testing::run_program(asked + board);
    EXPECT_NE(refused.status, 0);
    EXPECT_NE(refused.output.find("power of this board is not modelled"), std::string::npos)
        << refused.output;
  }
  const std::string on_cpu = " zoo:resnet18 --runtime onnxruntime-cpu --device " + board;
  for (const char* asked : {"tune --max-power 5", "tune --minimize energy", "tune --period 1s",
                            "roofline", "explain --measured 60ms --power 10"}) {
    const auto refused = testing::run_program(asked + on_cpu);
    EXPECT_NE(refused.status, 0) << asked;
    EXPECT_NE(refused.output.find("power of this board is not modelled"), std::string::npos)
        << asked << ": " << refused.output;
  }
  const auto vllm = testing::run_program("llm zoo:qwen3-0.6b --runtime vllm --device " + board);
  EXPECT_NE(vllm.output.find("on GPUs only"), std::string::npos) << vllm.output;

  const auto other = testing::run_program("estimate zoo:resnet18 --device " + board);
  EXPECT_NE(other.status, 0);
  EXPECT_NE(other.output.find("--runtime onnxruntime-cpu"), std::string::npos) << other.output;
}

TEST(CalibrateLocal, WhatCannotBeReadIsSaidBeforeAnythingIsMeasured) {
  const testing::TemporaryFolder folder;
  const std::string board = (folder.path() / "here.toml").string();
  const auto refused = [&](const std::string& options, const std::string& reason) {
    const auto found = testing::run_program(kQuick + options + " -o " + board);
    EXPECT_NE(found.status, 0) << options;
    EXPECT_NE(found.output.find(reason), std::string::npos) << found.output;
    EXPECT_FALSE(std::filesystem::exists(board)) << options;
  };
  refused("--runner " + folder.path().string(), "no run_onnx.js");
  refused("--sweep a.csv", "--sweep");
  refused("--runtimes " + folder.write("a.csv", "model,cpu_cores,batch,time_ms\n"),
          "no rows of runs");
  refused(
      "--runtimes " + folder.write("b.csv", "model,cpu_cores,batch,time_ms\nzoo:lenet5,1,1,0\n"),
      "positive");
  refused("--runtimes " + folder.write("d.csv",
                                       "model,cpu_cores,batch,time_ms,runtime\n"
                                       "zoo:lenet5,1,1,1,tensorrt\n"),
          "must be one of: onnxruntime-cpu, tflite-cpu");
  refused("--runtimes " +
              folder.write("c.csv", "model,cpu_cores,batch,time_ms\nzoo:lenet5,99999,1,1\n"),
          "cpu_cores");
}

}  // namespace
}  // namespace ridgewatt::cli
