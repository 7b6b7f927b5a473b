// Tests --runtime and --python-caller on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/runtime.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/workload/precision.h"

namespace ridgewatt::cli {
namespace {

// Runtimes of boards with a GPU.
const auto kGpuRuntimes = static_cast<std::size_t>(std::count_if(
    kRuntimes.begin(), kRuntimes.end(), [](Runtime runtime) { return !is_on_cpu(runtime); }));

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::ProgramResult;
using testing::run_program;

constexpr char kSmallDetector[] =
    "estimate zoo:yolo11m --device orin-nano-8gb@super --modes maxn --batch 1 ";

Json runtime_answer(const std::string& arguments) {
  const ProgramResult result = run_program(arguments + " --format json");
  EXPECT_EQ(result.status, 0) << arguments << '\n' << result.output;
  return Json::parse(result.output, nullptr, false);
}

std::string refused_runtime(const std::string& arguments) {
  const ProgramResult result = run_program(arguments);
  EXPECT_EQ(result.status, 2) << arguments << '\n' << result.output;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  return result.output;
}

TEST(RuntimeCommands, AnEngineIsEstimatedWithBounds) {
  const Json json =
      runtime_answer(std::string(kSmallDetector) + "--runtime tensorrt --precision fp16");
  EXPECT_EQ(json["runtime"], "tensorrt");
  EXPECT_EQ(json["precision"], "fp16");
  EXPECT_EQ(json["provenance"], "modelled");
  EXPECT_THAT(json["ground"].get<std::string>(), HasSubstr("tensorrt"));
  ASSERT_EQ(json["estimates"].size(), 1U);
  const Json& row = json["estimates"][0];
  EXPECT_EQ(row["runtime"], "tensorrt");
  EXPECT_EQ(row["precision"], "fp16");
  EXPECT_EQ(row["board"], "orin-nano-8gb");
  EXPECT_EQ(row["provenance"], "modelled");
  const double time_ms = row["time_ms"];
  EXPECT_GT(time_ms, 0);
  EXPECT_LT(row["time_lo_ms"].get<double>(), time_ms);
  EXPECT_GT(row["time_hi_ms"].get<double>(), time_ms);
  EXPECT_GT(row["python_call_ms"].get<double>(), 0);
  EXPECT_THAT(json["remarks"].dump(), HasSubstr("thin Python code"));
}

using RuntimesAndPrecisions = std::multiset<std::pair<std::string, std::string>>;

// The runtimes and precisions that `--runtime all` compares on a GPU.
RuntimesAndPrecisions usual_on_a_gpu() {
  RuntimesAndPrecisions usual;
  for (const Runtime runtime : kRuntimes) {
    if (is_on_cpu(runtime)) continue;
    for (const auto precision : workload::usual_precisions(runtime)) {
      usual.emplace(name_of(runtime), name_of(precision));
    }
  }
  return usual;
}

TEST(RuntimeCommands, AllAreComparedFastestFirst) {
  const Json json = runtime_answer(std::string(kSmallDetector) + "--runtime all");
  EXPECT_EQ(json["runtime"], "all");
  RuntimesAndPrecisions seen;
  double last_ms = 0;
  for (const auto& row : json["estimates"]) {
    seen.emplace(row["runtime"].get<std::string>(), row["precision"].get<std::string>());
    EXPECT_GE(row["time_ms"].get<double>(), last_ms);
    last_ms = row["time_ms"];
  }
  EXPECT_EQ(seen, usual_on_a_gpu());
  EXPECT_EQ(seen.count({"tensorrt", "int8"}), 1U);
}

// Layers and remarks are those of the first row, which may differ from the others.
TEST(RuntimeCommands, ARankingNamesTheRowOfItsLayersAndRemarks) {
  const auto of = [](const std::string& options) {
    const ProgramResult result = run_program("estimate zoo:lenet5 --modes maxn " + options);
    EXPECT_EQ(result.status, 0) << result.output;
    return result.output;
  };
  EXPECT_THAT(of("--device agx-orin --runtime all --per-layer --top 1"),
              HasSubstr("batch 1, tensorrt in int8:\n"));
  EXPECT_THAT(of("--device all --per-layer --top 1"), HasSubstr("batch 1, on "));
  EXPECT_THAT(of("--device all --runtime tensorrt"),
              HasSubstr("first row: the interval is wide: "));
}

// The Nano's GPU has no rate for INT8, and only some boards compute in BF16.
// label: slow
TEST(RuntimeCommands, WhatIsLeftOutIsNamedWithTheReason) {
  const Json runtimes =
      runtime_answer("estimate zoo:lenet5 --device nano --modes maxn --runtime all");
  EXPECT_EQ(runtimes["estimates"].size(), usual_on_a_gpu().size() - 1);
  ASSERT_EQ(runtimes["left_out"].size(), 1U);
  EXPECT_EQ(runtimes["left_out"][0]["name"], "tensorrt int8");
  EXPECT_THAT(runtimes["left_out"][0]["reason"].get<std::string>(), HasSubstr("int8"));
  const Json boards = runtime_answer("estimate zoo:lenet5 --device all --precision bf16");
  std::set<std::string> named;
  for (const auto& row : boards["estimates"]) named.insert(row["board"].get<std::string>());
  for (const auto& row : boards["left_out"]) named.insert(row["name"].get<std::string>());
  const auto names = list_boards();
  EXPECT_EQ(named, std::set<std::string>(names.begin(), names.end()));
  EXPECT_FALSE(boards["left_out"].empty());
  EXPECT_FALSE(runtime_answer("estimate zoo:lenet5 --device all").contains("left_out"));
}

// A row of the comparison must equal the answer for that runtime alone.
// label: slow
TEST(RuntimeCommands, TheComparisonTellsTheSameAsOneRuntime) {
  const Json all = runtime_answer(std::string(kSmallDetector) + "--runtime all --precision fp16");
  std::set<std::string> runtimes;
  for (const auto& row : all["estimates"]) {
    const std::string runtime = row["runtime"];
    EXPECT_TRUE(runtimes.insert(runtime).second) << runtime;
    EXPECT_EQ(row["precision"], "fp16");
    const Json one =
        runtime_answer(kSmallDetector + ("--precision fp16 --runtime " + runtime))["estimates"][0];
    for (const char* key : {"time_ms", "time_lo_ms", "time_hi_ms", "power_w"}) {
      EXPECT_EQ(row[key], one[key]) << runtime << ' ' << key;
    }
  }
  EXPECT_EQ(runtimes.size(), kGpuRuntimes);
}

// label: slow
TEST(RuntimeCommands, TuneRanksTheRuntimesByTheGoal) {
  const std::string ask =
      "tune zoo:resnet18 --device agx-orin --max-power 30 --minimize energy --batch 4 ";
  const Json all = runtime_answer(ask + "--runtime all");
  std::set<std::string> runtimes;
  double last = 0;
  for (const auto& row : all["runtimes"]) {
    EXPECT_LE(row["power_w"], 30);
    EXPECT_GE(row["objective"], last);
    last = row["objective"];
    runtimes.insert(row["runtime"].get<std::string>());
  }
  EXPECT_EQ(runtimes.size(), kGpuRuntimes);
  EXPECT_EQ(all["objective"], all["runtimes"][0]["objective"]);
  const Json one = runtime_answer(ask + "--runtime TRT --precision FP16");
  const Json same = runtime_answer(ask + "--runtime all --precision half")["runtimes"];
  EXPECT_EQ(same.size(), kGpuRuntimes);
  const auto found = std::find_if(same.begin(), same.end(),
                                  [](const Json& row) { return row["runtime"] == "tensorrt"; });
  ASSERT_NE(found, same.end());
  EXPECT_EQ((*found)["mode"], one["mode"]);
  EXPECT_EQ((*found)["energy_j"], one["energy_j"]);
}

TEST(RuntimeCommands, WhatCannotBeAskedIsRefused) {
  EXPECT_THAT(refused_runtime("estimate zoo:resnet18 --runtime all --device all"),
              HasSubstr("--runtime"));
  const std::string unknown = refused_runtime("estimate zoo:resnet18 --runtime tvm --device nano");
  EXPECT_THAT(unknown, HasSubstr("tvm"));
  for (const Runtime runtime : kRuntimes) {
    EXPECT_THAT(unknown, HasSubstr(std::string(name_of(runtime))));
  }
  refused_runtime("roofline zoo:resnet18 --runtime all --device agx-orin");
  for (const char* when :
       {"zoo:resnet18 --device all", "zoo:resnet18 --device agx-orin --verify 2", "--sweep x.csv",
        "--samples x.csv --device agx-orin", "--device fake:agx-orin -- true"}) {
    EXPECT_THAT(refused_runtime("tune --runtime all " + std::string(when)), HasSubstr("runtime"));
  }
  std::vector<std::string> no_engines = {""};
  for (const Runtime runtime : kRuntimes) {
    if (!is_engine(runtime)) no_engines.push_back(" --runtime " + std::string(name_of(runtime)));
  }
  for (const std::string& runtime : no_engines) {
    for (const char* call : {"--python-caller", "--caller framework", "--cuda-graph"}) {
      const std::string given = call;
      EXPECT_THAT(refused_runtime("estimate zoo:resnet18 --device agx-orin " + given + runtime),
                  HasSubstr(given.substr(0, given.find(' ')) + " has no effect"));
    }
  }
  for (const char* arguments :
       {"--runtime onnxruntime --precision int8", "--runtime tensorrt --training"}) {
    const ProgramResult result =
        run_program("estimate zoo:resnet18 --device agx-orin " + std::string(arguments));
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

// label: slow
TEST(RuntimeCommands, CallersOfAnEngineTakeTheirTime) {
  const std::string engine = std::string(kSmallDetector) + "--runtime tensorrt --precision fp16";
  const Json from_cpp = runtime_answer(engine)["estimates"][0];
  const Json from_python = runtime_answer(engine + " --python-caller")["estimates"][0];
  EXPECT_NEAR(from_python["time_ms"].get<double>() - from_cpp["time_ms"].get<double>(),
              from_cpp["python_call_ms"].get<double>(), 1e-6);
  EXPECT_FALSE(from_python.contains("python_call_ms"));
  EXPECT_GT(from_python["time_ms"].get<double>(), from_cpp["time_ms"].get<double>());
  EXPECT_EQ(runtime_answer(engine + " --caller thin-python")["estimates"][0], from_python);
  const Json framework = runtime_answer(engine + " --caller framework")["estimates"][0];
  EXPECT_GT(framework["time_ms"].get<double>(), from_python["time_ms"].get<double>());
  const Json graph = runtime_answer(engine + " --cuda-graph")["estimates"][0];
  EXPECT_LT(graph["time_ms"].get<double>(), from_cpp["time_ms"].get<double>());
}

// label: slow
TEST(RuntimeCommands, WhatWaitsForLaunchesGetsRemedies) {
  const std::string small = "estimate zoo:mobilenet_v3 --device agx-orin --modes maxn --batch 1";
  const Json eager = runtime_answer(small);
  EXPECT_EQ(eager["estimates"][0]["bound"], "launch");
  ASSERT_TRUE(eager.contains("remedies"));
  ASSERT_FALSE(eager["remedies"].empty());
  EXPECT_THAT(
      eager["sentences"][0].get<std::string>(),
      AllOf(HasSubstr("kernel launches limit the speed"),
            HasSubstr(": " + eager["remedies"][0]["what"].get<std::string>() + " would be")));
  double last_ms = 0;
  for (const auto& remedy : eager["remedies"]) {
    EXPECT_FALSE(remedy["what"].get<std::string>().empty());
    EXPECT_GT(remedy["times_faster"].get<double>(), 1);
    EXPECT_NEAR(remedy["times_faster"].get<double>() * remedy["ms_per_sample"].get<double>(),
                eager["estimates"][0]["time_ms"].get<double>(), 1e-6);
    EXPECT_GE(remedy["ms_per_sample"].get<double>(), last_ms);
    last_ms = remedy["ms_per_sample"];
    // Following the suggestion gives the predicted time.
    if (remedy["what"] != "tensorrt") continue;
    EXPECT_NEAR(runtime_answer(small + " --runtime tensorrt")["estimates"][0]["time_ms"],
                remedy["ms_per_sample"], 1e-6);
  }
  EXPECT_FALSE(runtime_answer(std::string(kSmallDetector) + "--runtime tensorrt --precision fp16")
                   .contains("remedies"));
  const ProgramResult text = run_program(small);
  EXPECT_THAT(text.output, HasSubstr("limited by launches"));
}

TEST(RuntimeCommands, RooflinesAndTuningNameTheRuntime) {
  const Json roofs = runtime_answer(
      "roofline zoo:resnet50 --runtime tensorrt --precision int8 --device agx-orin --modes maxn");
  EXPECT_THAT(roofs["ground"].get<std::string>(), HasSubstr("tensorrt"));
  EXPECT_EQ(roofs["runtime"], "tensorrt");
  EXPECT_FALSE(roofs["layers"].empty());
  for (const auto& layer : roofs["layers"]) {
    if (layer["intensity"].is_null()) continue;
    EXPECT_LE(layer["modelled_gflop_per_s"],
              layer["reached_gflop_per_s"].get<double>() * (1 + 1e-9))
        << layer;
    EXPECT_LE(layer["reached_gflop_per_s"], layer["ceiling_gflop_per_s"].get<double>() * (1 + 1e-9))
        << layer;
  }
  const Json tuned = runtime_answer(
      "tune zoo:resnet50 --device agx-orin --runtime tensorrt --precision fp16 --max-power 30");
  EXPECT_EQ(tuned["feasible"], true);
  EXPECT_EQ(tuned["runtime"], "tensorrt");
  EXPECT_LE(tuned["power_w"].get<double>(), 30);
  EXPECT_THAT(tuned["workload"].get<std::string>(), HasSubstr("fp16"));
}

// Both commands must state the same time.
TEST(RuntimeCommands, RooflineAndEstimateAgreeOnAnEnginesTime) {
  const std::string of =
      " zoo:resnet50 --device agx-orin --modes maxn --batch 1 --runtime tensorrt --precision int8";
  const Json roofs = runtime_answer("roofline" + of);
  const Json estimate = runtime_answer("estimate" + of);
  double total_ms = 0;
  for (const auto& part : roofs["time_parts"]) total_ms += part["time_ms"].get<double>();
  EXPECT_NEAR(total_ms, estimate["estimates"][0]["time_ms"].get<double>(), 1e-6);
}

}  // namespace
}  // namespace ridgewatt::cli
