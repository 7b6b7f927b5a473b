// Tests profiles that are joined with layer information and with ONNX graphs: the given engines of
// ResNet-18 (NVIDIA/TensorRT, trt-engine-explorer), and small files written by the test with known
// counts.
#include "ridgewatt/answer/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/answer/layers/engine_work.h"
#include "ridgewatt/answer/layers/layer_names.h"
#include "ridgewatt/answer/layers/power_mean.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::answer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LayerNames, OfFusedLayersTellTheirNodes) {
  const auto nodes = [](std::string_view name) { return parse_layer_name(name).nodes; };
  EXPECT_THAT(nodes("Conv_0 + Relu_1"), ElementsAre("Conv_0", "Relu_1"));
  EXPECT_THAT(nodes("PWN(Sigmoid_3, Mul_4)"), ElementsAre("Sigmoid_3", "Mul_4"));
  EXPECT_THAT(nodes("PWN(PWN(Sigmoid_3), Mul_4)"), ElementsAre("Sigmoid_3", "Mul_4"));
  EXPECT_THAT(nodes("PWN(PWN(/a/Sigmoid), PWN(/a/Mul, /b/Add))"),
              ElementsAre("/a/Sigmoid", "/a/Mul", "/b/Add"));
  EXPECT_THAT(nodes("/a/Conv + PWN(/a/Sigmoid, /a/Mul)"),
              ElementsAre("/a/Conv", "/a/Sigmoid", "/a/Mul"));
  EXPECT_THAT(nodes("a || b||c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(nodes("fc.weight + Gemm_5 + (Unnamed Layer* 306) [Shuffle]"),
              ElementsAre("fc.weight", "Gemm_5"));
  EXPECT_THAT(nodes(""), IsEmpty());
  EXPECT_THAT(nodes(std::string(5000, '(')), ::testing::SizeIs(1));
}

TEST(LayerNames, ForeignNodesAreRangesAndCopiesServeALayer) {
  const LayerNames foreign = parse_layer_name("{ForeignNode[/blocks.0/Add.../head/Gemm]}");
  ASSERT_EQ(foreign.ranges.size(), 1U);
  EXPECT_EQ(foreign.ranges[0].first, "/blocks.0/Add");
  EXPECT_EQ(foreign.ranges[0].second, "/head/Gemm");
  const LayerNames copy =
      parse_layer_name("Reformatting CopyNode for Input Tensor 0 to Conv_41 + Relu_42");
  EXPECT_EQ(copy.copy_of, "Conv_41 + Relu_42");
  EXPECT_THAT(copy.nodes, IsEmpty());
  EXPECT_EQ(parse_layer_name("Reformatting CopyNode for Network Input images").copy_of,
            "Network Input images");
  EXPECT_EQ(parse_layer_name("/model.2/Split_output_0 copy").copy_of, "/model.2/Split_output_0");
}

TEST(LayerNames, MetadataNamesItsNodesOnce) {
  EXPECT_THAT(parse_layer_metadata("[ONNX Layer: /a/Conv]\x1e[ONNX Layer: x[0]]\x1f"
                                   "[ONNX Layer: /a/Conv]"),
              ElementsAre("/a/Conv", "x[0]"));
  EXPECT_THAT(parse_layer_metadata("[ONNX Layer: "), IsEmpty());
}

TEST(EngineWork, FormatsHaveTheWidthOfTheirElements) {
  EXPECT_EQ(format_bits("Row major linear FP32"), 32);
  EXPECT_EQ(format_bits("Channel major FP16 format where channel % 8 == 0"), 16);
  EXPECT_EQ(format_bits("Thirty-two wide channel vectorized row major Int8 format"), 8);
  EXPECT_EQ(format_bits("c10::BFloat16"), 16);
  EXPECT_EQ(format_bits("c10::Half"), 16);
  EXPECT_EQ(format_bits("c10::Float8_e4m3fn"), 8);
  EXPECT_EQ(format_bits("Row major linear E2M1"), 4);
  EXPECT_EQ(format_bits("float"), 32);
  EXPECT_EQ(format_bits("long int"), 64);
  EXPECT_EQ(format_bits("nonsense"), 0);
}

trace::EngineLayer convolution() {
  trace::EngineLayer layer;
  layer.layer_type = "CaskConvolution";
  layer.parameter_type = "Convolution";
  layer.inputs = {{"x", {2, 8, 10, 10}, "FP16"}};
  layer.outputs = {{"y", {2, 16, 10, 10}, "FP16"}};
  layer.kernel = {3, 3};
  layer.out_maps = 16;
  layer.weight_count = 16 * 4 * 9, layer.weight_type = "Half";
  layer.groups = 2;
  return layer;
}

TEST(EngineWork, AConvolutionIsItsOutputsTimesItsFilter) {
  // 2 x 16 x 100 outputs, each with 3 x 3 x 8 / 2 products.
  EXPECT_DOUBLE_EQ(engine_work(convolution())->macs, 3200.0 * 36);
  EXPECT_DOUBLE_EQ(engine_work(convolution())->work_flop, 2 * 3200.0 * 36);
  EXPECT_DOUBLE_EQ(*engine_traffic_bytes(convolution()), 2.0 * (1600 + 3200 + 576));
  trace::EngineLayer open = convolution();
  open.inputs[0].dims[0] = open.outputs[0].dims[0] = -1;
  EXPECT_FALSE(engine_work(open));
  EXPECT_FALSE(engine_traffic_bytes(open));
  trace::EngineLayer absurd = convolution();
  absurd.outputs[0].dims = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  EXPECT_FALSE(engine_work(absurd));
}

TEST(EngineWork, AProductSumsOverWhatTheFirstOperandHasPerRow) {
  trace::EngineLayer layer;
  layer.layer_type = "MatrixMultiply";
  layer.inputs = {{"a", {4, 5, 6}, "FP32"}, {"b", {4, 6, 7}, "FP32"}};
  layer.outputs = {{"c", {4, 5, 7}, "FP32"}};
  EXPECT_DOUBLE_EQ(engine_work(layer)->macs, 4.0 * 5 * 6 * 7);
  EXPECT_EQ(engine_class(layer), workload::OpClass::kGemm);
}

std::string shared(const std::string& path) {
  return (testing::shared_folder() / path).string();
}

LayersQuestion engine_question(const std::string& precision) {
  const std::string stem = shared("data/traces/tensorrt/resnet18_a100_" + precision);
  return {.profile = stem + ".profile.json", .layers = stem + ".graph.json"};
}

#define REQUIRE_ENGINES()                                            \
  RIDGEWATT_REQUIRE_SHARED();                                        \
  if (!std::filesystem::exists(engine_question("fp32").profile) ||   \
      !std::filesystem::exists(shared("onnx/models/resnet18.onnx"))) \
  GTEST_SKIP() << "skipped: no recorded engines"

// torchvision's ResNet-18: 1,814,073,344 multiply-accumulates per image of 224 x 224.
constexpr double kResNet18Macs = 1814073344;

TEST(MeasuredLayers, TheGivenEnginesHaveTheMacsOfResNet18) {
  REQUIRE_ENGINES();
  for (const char* precision : {"fp32", "fp16", "qat"}) {
    const LayersAnswer answer = measured_layers(engine_question(precision));
    ASSERT_TRUE(answer.work) << precision;
    EXPECT_EQ(answer.work->macs, 32 * kResNet18Macs) << precision;
    EXPECT_EQ(answer.batch, 32);
    EXPECT_THAT(answer.mismatches, IsEmpty());
    double sum_s = 0;
    for (const auto& layer : answer.layers) sum_s += layer.time_s;
    EXPECT_NEAR(sum_s, answer.time_s, 1e-12);
  }
}

TEST(MeasuredLayers, EveryContractionOfTheGraphIsInOneLayerOfTheEngine) {
  REQUIRE_ENGINES();
  for (const char* precision : {"fp32", "fp16", "qat"}) {
    LayersQuestion question = engine_question(precision);
    question.model = shared("onnx/models/resnet18.onnx");
    const LayersAnswer answer = measured_layers(question);
    ASSERT_TRUE(answer.model_work);
    EXPECT_EQ(answer.model_work->macs, 32 * kResNet18Macs);
    for (const auto& mismatch : answer.mismatches) {
      EXPECT_EQ(mismatch.find("MACs"), std::string::npos) << precision << ": " << mismatch;
    }
    std::size_t contractions = 0;
    for (const auto& layer : answer.layers) {
      if (!layer.work || layer.work->macs == 0) continue;
      ++contractions;
      EXPECT_FALSE(layer.onnx_nodes.empty()) << layer.name;
    }
    EXPECT_EQ(contractions, 21U) << precision;  // 20 convolutions and the classifier
  }
}

TEST(MeasuredLayers, PrecisionIsThatOfTheFormats) {
  REQUIRE_ENGINES();
  const auto of = [](const char* precision) {
    return measured_layers(engine_question(precision)).layers[3].precision;
  };
  EXPECT_EQ(of("fp32"), workload::Precision::kTf32);  // its kernel name contains tf32f32
  const LayersAnswer quantized = measured_layers(engine_question("qat"));
  EXPECT_EQ(quantized.layers[1].precision, workload::Precision::kInt8);
}

// A product of 2 x 3 by 3 x 4 in FP32 (1 ms) and a copy (0.5 ms).
struct SmallEngine {
  testing::TemporaryFolder folder;
  LayersQuestion question;
  SmallEngine() {
    question.profile = folder.write(
        "profile.json", R"([{"count": 2}, {"name": "say "hi"", "timeMs": 2, "averageMs": 1},
          {"name": "Reformatting CopyNode for Output Tensor 0 to say "hi"", "timeMs": 1, "averageMs": 0.5}])");
    question.layers = folder.write("layers.json", R"({"Layers": [
      {"Name": "say "hi"", "LayerType": "gemm", "ParameterType": "MatrixMultiply",
       "Inputs": [{"Name": "a", "Dimensions": [2, 3], "Format/Datatype": "FP32"},
                  {"Name": "b", "Dimensions": [3, 4], "Format/Datatype": "FP32"}],
       "Outputs": [{"Name": "c", "Dimensions": [2, 4], "Format/Datatype": "FP32"}]},
      {"Name": "Reformatting CopyNode for Output Tensor 0 to say "hi"", "LayerType": "Reformat",
       "Inputs": [{"Name": "c", "Dimensions": [2, 4], "Format/Datatype": "FP32"}],
       "Outputs": [{"Name": "d", "Dimensions": [2, 4], "Format/Datatype": "FP16"}]}]})");
  }
};

TEST(MeasuredLayers, WorkAndBytesOfASmallEngineAreCountedByHand) {
  const SmallEngine engine;
  const LayersAnswer answer = measured_layers(engine.question);
  ASSERT_EQ(answer.layers.size(), 2U);
  EXPECT_EQ(answer.layers[0].work->macs, 24);
  EXPECT_EQ(*answer.layers[0].traffic_bytes, 4 * (6 + 12 + 8));
  EXPECT_EQ(answer.layers[0].kind_text(), "matrix product");
  EXPECT_EQ(answer.layers[1].kind_text(), "reformat");
  EXPECT_EQ(answer.layers[1].copy_of, "say \"hi\"");
  EXPECT_EQ(*answer.layers[1].traffic_bytes, 8 * 4 + 8 * 2);
  EXPECT_NEAR(answer.time_s, 1.5e-3, 1e-15);
}

// The data sheet of the AGX Orin states 204.8 GB/s, which no layer may exceed.
TEST(MeasuredLayers, GapsAreTimeAboveTheBoardsCeiling) {
  SmallEngine engine;
  engine.question.device = "agx-orin";
  const LayersAnswer answer = measured_layers(engine.question);
  const auto& copy = answer.layers[1];
  ASSERT_TRUE(copy.roof);
  EXPECT_GE(copy.roof->ceiling_s, 48 / 204.8e9);
  EXPECT_DOUBLE_EQ(*copy.gap_s(), copy.time_s - copy.roof->ceiling_s);
  EXPECT_EQ(answer.worth_work(10).front(), 0U);
  EXPECT_EQ(answer.energy_provenance, Provenance::kModelled);
  EXPECT_GT(*answer.energy_j, 0);
}

// An A100 is seven times as fast as an AGX Orin (data sheets: 312 and 42.6 TFLOP/s in FP16).
TEST(MeasuredLayers, LayersFasterThanThePeakWereRecordedElsewhere) {
  REQUIRE_ENGINES();
  LayersQuestion question = engine_question("fp16");
  question.device = "agx-orin";
  EXPECT_THAT(measured_layers(question).remarks,
              ::testing::Contains(::testing::HasSubstr("check the board and the mode")));
}

TEST(MeasuredLayers, EnergyIsTimeAtTheMeanPowerOfTheRun) {
  SmallEngine engine;
  // The baseline before 0 does not count. 10 W for 1 s, then a ramp to 30 W, is 15 W on average.
  engine.question.power = engine.folder.write("series.csv",
                                              "time_s,channel,value\n-1,power:VDD_IN,99\n"
                                              "0,power:VDD_IN,10\n1,power:VDD_IN,10\n"
                                              "2,power:VDD_IN,30\n0,power:VDD_CPU,5\n"
                                              "2,power:VDD_CPU,5\n1,clock:gpu,1e9\n");
  const LayersAnswer answer = measured_layers(engine.question);
  EXPECT_DOUBLE_EQ(*answer.power_w, 15);
  EXPECT_NEAR(*answer.layers[0].energy_j, 15e-3, 1e-12);
  EXPECT_EQ(answer.energy_provenance, Provenance::kMeasured);
  EXPECT_DOUBLE_EQ(mean_power_w(engine.question.power, "power:VDD_CPU"), 5);
  EXPECT_THROW(mean_power_w(engine.question.power, "VDD_GPU"), InputError);
  const std::string meter =
      engine.folder.write("meter.csv", "unix_s,voltage_v,current_a\n1,10,1\n2,10,2\n");
  EXPECT_DOUBLE_EQ(mean_power_w(meter, ""), 15);
}

TEST(MeasuredLayers, WhatDoesNotFitIsListed) {
  SmallEngine engine;
  engine.question.layers = engine.folder.write(
      "other.json", R"({"Layers": [{"Name": "another", "LayerType": "gemm"}]})");
  const LayersAnswer answer = measured_layers(engine.question);
  EXPECT_EQ(answer.mismatches.size(), 3U);  // two rows without a layer, a layer without a row
}

TEST(MeasuredLayers, AModelThatWasNotRunIsAMismatch) {
  REQUIRE_ENGINES();
  LayersQuestion question = engine_question("fp32");
  question.model = "zoo:lenet5";
  EXPECT_FALSE(measured_layers(question).mismatches.empty());
  question.batch = 8;
  EXPECT_THROW(measured_layers(question), UsageError);  // the engine states 32
}

// The names of LeNet-5's nodes in ONNX Runtime 1.30 at level "all". The times are made up.
TEST(MeasuredLayers, NodesOfOnnxRuntimeAreJoinedByTheirOutputs) {
  const testing::TemporaryFolder folder;
  std::string profile =
      R"([{"cat":"Session","ph":"X","ts":0,"dur":1,"name":"model_run","args":{}})";
  const auto node = [&](const std::string& name, const std::string& op) {
    profile += R"(,{"cat":"Node","ph":"X","ts":1,"dur":100,"name":")" + name +
               R"(_kernel_time","args":{"provider":"CPUExecutionProvider","op_name":")" + op +
               R"(","activation_size":"18816","output_size":"18816"}})";
  };
  node("Relu_0.out_nchwc", "Conv");
  node("ReorderOutput", "ReorderOutput");
  node("MaxPool_0", "MaxPool");
  node("Relu_1.out_nchwc", "Conv");
  node("MaxPool_1.out_nchwc", "MaxPool");
  node("ReorderOutput_token_5", "ReorderOutput");
  node("fused Gemm_0", "FusedGemm");
  node("fused Gemm_1", "FusedGemm");
  node("Gemm_2", "Gemm");
  const LayersAnswer answer =
      measured_layers({.profile = folder.write("p.json", profile + "]"), .model = "zoo:lenet5"});
  EXPECT_EQ(answer.runtime, Runtime::kOnnxRuntimeCpu);
  EXPECT_EQ(answer.layers[0].work->macs, 117600);
  EXPECT_THAT(answer.layers[0].onnx_nodes, ElementsAre("Conv_0", "Relu_0"));
  EXPECT_EQ(answer.layers[1].kind, LayerKind::kReformat);
  EXPECT_EQ(answer.layers[1].traffic_bytes, 2 * 18816);
  EXPECT_EQ(answer.work->macs, answer.model_work->macs);
  EXPECT_THAT(answer.mismatches, IsEmpty());
  EXPECT_THAT(answer.remarks, ::testing::Contains(::testing::HasSubstr(
                                  "77.8 % of the time is in nodes that match nodes of the "
                                  "model, 22.2 % in copies")));
}

// The nodes of LeNet-5 as names of engine layers. The times are made up.
TEST(MeasuredLayers, AnUnknownPrecisionIsAnAssumptionOfTheCeilings) {
  const testing::TemporaryFolder folder;
  LayersQuestion question = {.profile = folder.write("p.json", R"([{"count": 1},
      {"name": "Conv_0 + Relu_0", "timeMs": 1, "averageMs": 1},
      {"name": "Conv_1 + Relu_1", "timeMs": 1, "averageMs": 1}])"),
                             .model = "zoo:lenet5",
                             .device = "agx-orin"};
  const LayersAnswer answer = measured_layers(question);
  ASSERT_EQ(answer.layers.size(), 2U);
  EXPECT_FALSE(answer.layers[0].precision_known);
  ASSERT_TRUE(answer.layers[0].roof);
  EXPECT_THAT(answer.remarks, ::testing::Contains(::testing::HasSubstr(
                                  "does not state the precision of 2 layers, so the ceilings "
                                  "assume fp32")));
  SmallEngine known;
  known.question.device = "agx-orin";
  EXPECT_THAT(measured_layers(known.question).remarks,
              ::testing::Not(::testing::Contains(::testing::HasSubstr("does not state"))));
}

TEST(MeasuredLayers, TimesOfAnotherEngineAreDoubted) {
  using ::testing::Contains;
  using ::testing::HasSubstr;
  SmallEngine engine;  // its layers take 1.5 ms
  const auto remarks = [&](const std::string& compute_ms) {
    engine.question.times =
        engine.folder.write("times.json", R"([{"startEnqMs": 0, "endEnqMs": 0.1, "computeMs": )" +
                                              compute_ms + R"(, "latencyMs": 3}])");
    return measured_layers(engine.question).remarks;
  };
  EXPECT_THAT(remarks("1.2"), Contains(HasSubstr("prevents overlap")));
  EXPECT_THAT(remarks("0.6"), Contains(HasSubstr("check whether --times is of the profiled one")));
  EXPECT_THAT(remarks("0.6"), ::testing::Not(Contains(HasSubstr("prevents overlap"))));
}

TEST(MeasuredLayers, EnqueueingThatBindsIsSaid) {
  SmallEngine engine;
  engine.question.times = engine.folder.write(
      "times.json", R"([{"startEnqMs": 0, "endEnqMs": 2, "computeMs": 1.5, "latencyMs": 2.5}])");
  const LayersAnswer answer = measured_layers(engine.question);
  EXPECT_THAT(answer.remarks, ::testing::Contains(::testing::HasSubstr("bound by enqueueing")));
}

}  // namespace
}  // namespace ridgewatt::answer
