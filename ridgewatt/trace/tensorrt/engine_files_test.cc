// Tests the output of trtexec: the given engines of ResNet-18 (NVIDIA/TensorRT,
// trt-engine-explorer), and texts with known faults of such files.
#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/trace/engine_layers.h"
#include "ridgewatt/trace/engine_times.h"
#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {
namespace {

std::string engine_file(const std::string& name) {
  return (testing::shared_folder() / "data/traces/tensorrt" / name).string();
}

#define REQUIRE_ENGINES()                                                       \
  RIDGEWATT_REQUIRE_SHARED();                                                   \
  if (!std::filesystem::exists(engine_file("resnet18_a100_fp32.profile.json"))) \
  GTEST_SKIP() << "skipped: no recorded engines"

// The number of rows in the files, counted with grep, and their sums, computed from the files with
// awk.
TEST(EngineProfile, TheGivenEnginesAddUpToTheirFilesTotals) {
  REQUIRE_ENGINES();
  struct Known {
    const char* precision;
    std::size_t rows;
    double total_ms;
  };
  for (const Known& known : {Known{"fp32", 32, 2.123776}, Known{"fp16", 36, 1.016832}}) {
    const std::string stem = std::string("resnet18_a100_") + known.precision;
    const LayerTrace trace = read_layer_trace(engine_file(stem + ".profile.json"));
    EXPECT_EQ(trace.source, TraceSource::kTrtexec);
    EXPECT_EQ(trace.layers.size(), known.rows);
    EXPECT_NEAR(trace.total_s * 1e3, known.total_ms, 1e-9);
    const EngineLayers engine = read_engine_layers(engine_file(stem + ".graph.json"));
    ASSERT_EQ(engine.layers.size(), known.rows);
    EXPECT_TRUE(engine.detailed);
    for (std::size_t i = 0; i < known.rows; ++i) {
      EXPECT_EQ(engine.layers[i].name, trace.layers[i].name);
    }
  }
}

TEST(EngineLayers, TheFirstConvolutionOfResNet18IsSevenBySeven) {
  REQUIRE_ENGINES();
  const EngineLayers engine = read_engine_layers(engine_file("resnet18_a100_qat.graph.json"));
  const EngineLayer& layer = engine.layers[1];
  EXPECT_EQ(layer.kernel, (std::vector<std::int64_t>{7, 7}));
  EXPECT_EQ(layer.out_maps, 64);
  EXPECT_EQ(layer.weight_count, 64 * 3 * 7 * 7);
  EXPECT_EQ(layer.inputs[0].dims, (std::vector<std::int64_t>{32, 3, 224, 224}));
}

TEST(EngineTimes, TheGivenRunsTakeAboutWhatTheirFirstRowSays) {
  REQUIRE_ENGINES();
  const EngineTimes times = read_engine_times(engine_file("resnet18_a100_qat.timing.json"));
  EXPECT_EQ(times.runs, 3614U);  // counts "startEnqMs" in the file
  EXPECT_NEAR(times.compute_median_s, 0.88e-3, 0.05e-3);
  EXPECT_FALSE(times.enqueue_bound());
}

TEST(EngineTimes, EnqueueingThatTakesLongerThanComputingBinds) {
  const EngineTimes times = parse_engine_times(
      R"([{"startEnqMs": 0, "endEnqMs": 2, "computeMs": 0.5, "latencyMs": 2.5},
          {"startEnqMs": 3, "endEnqMs": 5, "computeMs": 0.5, "latencyMs": 2.5}])",
      "times");
  EXPECT_TRUE(times.enqueue_bound());
  EXPECT_DOUBLE_EQ(times.enqueue_median_s, 2e-3);
  EXPECT_DOUBLE_EQ(times.latency_p99_s, 2.5e-3);
}

TEST(EngineProfile, ManyRunsAreTimesOfOne) {
  const LayerTrace trace = parse_layer_trace(
      R"([{ "count" : 4 }, {"name": "a", "timeMs": 2, "averageMs": 0.5, "percentage": 100}])",
      "profile");
  EXPECT_EQ(trace.runs, 4);
  EXPECT_DOUBLE_EQ(trace.layers[0].time_s, 0.5e-3);
  // Old files have no averageMs.
  EXPECT_DOUBLE_EQ(parse_layer_trace(R"([{"count": 4}, {"name": "a", "timeMs": 2}])", "p").total_s,
                   0.5e-3);
}

// Such a profile states no number of runs, so --runs tells it; averageMs is of one run already.
TEST(EngineProfile, WithoutACountTheRunsAreThoseGiven) {
  const std::string sum = R"([{"name": "a", "timeMs": 20}, {"name": "b", "timeMs": 10}])";
  EXPECT_EQ(parse_layer_trace(sum, "p").runs, 1);
  EXPECT_EQ(parse_layer_trace(sum, "p").remarks.size(), 1U);
  const LayerTrace given = parse_layer_trace(sum, "p", {.runs = 10});
  EXPECT_EQ(given.runs, 10);
  EXPECT_TRUE(given.remarks.empty());
  EXPECT_DOUBLE_EQ(given.total_s, 3e-3);
  const std::string mean = R"([{"name": "a", "timeMs": 20, "averageMs": 2}])";
  EXPECT_DOUBLE_EQ(parse_layer_trace(mean, "p", {.runs = 10}).total_s, 2e-3);
  EXPECT_TRUE(parse_layer_trace(mean, "p").remarks.empty());
  for (const char* count : {"1", "4"}) {
    const std::string text = std::string("[{\"count\": ") + count + "}, " + sum.substr(1);
    EXPECT_THROW(parse_layer_trace(text, "p", {.runs = 10}), UsageError);
    EXPECT_DOUBLE_EQ(parse_layer_trace(text, "p").total_s, 30e-3 / std::stoi(count));
  }
}

std::string only_name(const std::string& written) {
  const std::string text =
      R"([{ "count" : 1 } , { "name" : ")" + written + R"(", "timeMs" : 1, "averageMs" : 1 } ])";
  return parse_layer_trace(text, "profile").layers.at(0).name;
}

// trtexec prints names without escaping their characters.
TEST(EngineProfile, NamesThatAreNotEscapedAreReadAsMeant) {
  EXPECT_EQ(only_name(R"(conv "a" + relu)"), R"(conv "a" + relu)");
  EXPECT_EQ(only_name(R"(say "hi", then)"), R"(say "hi", then)");
  EXPECT_EQ(only_name(R"({ForeignNode["a"..."b"]})"), R"({ForeignNode["a"..."b"]})");
  EXPECT_EQ(only_name(R"(C:\models\q)"), R"(C:\models\q)");
  EXPECT_EQ(only_name(R"(ends in \)"), R"(ends in \)");
  EXPECT_EQ(only_name("a\x1e\n\tb"), "a\x1e\n\tb");
  EXPECT_EQ(only_name(R"(escaped \"too\" and \u001e)"), "escaped \"too\" and \x1e");
}

TEST(EngineLayers, PlainListsAndMetadataAreRead) {
  const EngineLayers plain =
      parse_engine_layers(R"({"Layers": ["Conv_0 + Relu_1", "say "b""], "Bindings": ["x"]})", "l");
  EXPECT_FALSE(plain.detailed);
  ASSERT_EQ(plain.layers.size(), 2U);
  EXPECT_EQ(plain.layers[1].name, R"(say "b")");
  const EngineLayers with_metadata = parse_engine_layers(
      R"({"Layers": [{"Name": "a", "LayerType": "kgen", "Metadata": "[ONNX Layer: x]\u001e[ONNX Layer: y]"}]})",
      "l");
  EXPECT_EQ(with_metadata.layers[0].metadata, "[ONNX Layer: x]\x1e[ONNX Layer: y]");
}

TEST(EngineFiles, WhatIsHostileIsRefusedInOneLine) {
  std::string deep = R"([{"count":1},{"name":)";
  deep.append(100'000, '[');
  std::string long_name = R"([{"count":1},{"name":")";
  long_name.append(20U << 20, 'x');
  for (const std::string& text :
       {std::string(), std::string("["), std::string("[]"), std::string("{}"), std::string("3"),
        std::string(R"([{"count": 1}])"), std::string(R"([{"count": nan}, {"name":"a"}])"),
        std::string(R"([{"count": -1}, {"name": "a", "timeMs": 1}])"),
        std::string(R"([{"name": "a", "timeMs": nan}])"),
        std::string(R"([{"name": "a", "timeMs": -1}])"),
        std::string(R"([{"name": "a", "timeMs": 1e300}])"),
        std::string(R"([{"name": "a", "timeMs": inf}])"),
        std::string(R"([{"name": "a", "timeMs": 1)"), deep, long_name}) {
    try {
      parse_layer_trace(text, "hostile.json");
      ADD_FAILURE() << text.substr(0, 60);
    } catch (const InputError& error) {
      const std::string line = error.what();
      EXPECT_NE(line.find("hostile.json"), std::string::npos) << line;
      EXPECT_LT(line.size(), 300U);
    }
    EXPECT_THROW(parse_engine_layers(text, "hostile.json"), InputError);
    EXPECT_THROW(parse_engine_times(text, "hostile.json"), InputError);
  }
  EXPECT_THROW(read_layer_trace("/no/such/file"), NotFoundError);
  EXPECT_THROW(read_layer_trace("/tmp"), Error);
}

TEST(EngineFiles, AbsurdExtentsAreKeptOpen) {
  const EngineLayers engine = parse_engine_layers(
      R"({"Layers": [{"Name": "a", "LayerType": "c", "Outputs":
          [{"Name": "o", "Dimensions": [1e300, -1, nan, "x"]}], "Weights": {"Count": 1e300}}]})",
      "l");
  EXPECT_EQ(engine.layers[0].outputs[0].dims, (std::vector<std::int64_t>{-1, -1, -1, -1}));
  EXPECT_EQ(engine.layers[0].weight_count, 0);
}

}  // namespace
}  // namespace ridgewatt::trace
