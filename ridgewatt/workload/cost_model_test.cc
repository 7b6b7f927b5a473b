// Compares costs with published values: operation counts by PyTorch and by the Pagoda artifact, and
// parameter counts. Also tests bounds that must hold for every model.
#include "ridgewatt/workload/cost_model.h"

#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::workload {
namespace {

std::filesystem::path onnx_folder() {
  return testing::shared_folder() / "onnx";
}

Analysis analyze_file(const std::string& name, Model& model, const CostOptions& options = {}) {
  model = load_model((onnx_folder() / "models" / (name + ".onnx")).string());
  return analyze(model, options);
}

Analysis analyze_zoo(const std::string& name, Model& model, const CostOptions& options = {}) {
  model = load_workload("zoo:" + name);
  return analyze(model, options);
}

struct ZooFact {
  const char* name;
  double macs;        // 0: not stated
  double parameters;  // 0: not stated
};

// torchvision, Hugging Face, Ultralytics and TinyLlama publish these values. For BERT: layers x
// (12 s w^2 + 2 s^2 w) plus w^2 for the pooler, with sequences of s = 512 (tiny, Distil) and 384.
constexpr ZooFact kZooFacts[] = {
    {"resnet18", 1814073344, 11689512},
    {"resnet50", 4089184256, 25557032},
    {"mobilenet_v2", 300774272, 3504872},
    {"mobilenet_v3_large", 216589760, 5483032},
    {"efficientnet_b0", 385814752, 5288548},
    {"shufflenet_v2", 0, 2278604},
    {"alexnet", 714188480, 61100840},
    {"vgg11", 7609090048, 132863336},
    {"vgg16", 15470264320, 138357544},
    {"vit_b_16", 17563828224, 86567656},
    {"bert_tiny", 335560704, 4385920},
    {"bert_base", 35333406720, 109482240},
    {"bert_large", 0, 335141888},
    {"distilbert", 24159191040, 66362880},
    {"yolov8n", 0, 3157200},
    {"lenet5", 416520, 61706},
    {"lstm", 0, 8614383},  // tied: 29423 x 256 + 2 x (4 x 256 x 512 + 2048) + 29423
    {"llama_small_prefill", 0, 1100048384},
    {"llama_small_decode", 0, 1100048384},
};

TEST(Zoo, MacsAndParametersAreThePublishedOnes) {
  for (const auto& fact : kZooFacts) {
    Model model;
    const Analysis analysis = analyze_zoo(fact.name, model);
    if (fact.macs > 0) {
      EXPECT_EQ(analysis.macs, fact.macs) << fact.name;
    }
    EXPECT_EQ(analysis.parameter_count, fact.parameters) << fact.name;
  }
}

struct DetectorFact {
  const char* name;
  double parameters;
  double gflop;
};

// Ultralytics' table of YOLO11 at 640x640 states 2.6, 9.4, 20.1, 25.3 and 56.9 million parameters
// and these GFLOP for the fused model. Its logs state the exact number of parameters.
constexpr DetectorFact kYolo11Facts[] = {{"yolo11n", 2616248, 6.5},
                                         {"yolo11s", 9443760, 21.5},
                                         {"yolo11m", 20091712, 68.0},
                                         {"yolo11l", 25340992, 86.9},
                                         {"yolo11x", 56919424, 194.9}};

// Ultralytics counts by hooks on layers: 2 FLOP per multiply-accumulate of a convolution, but not
// the products of the attention. All five models agree to the last printed digit.
TEST(Zoo, Yolo11IsTheTableOfItsPublisher) {
  for (const auto& fact : kYolo11Facts) {
    Model model;
    const Analysis analysis = analyze_zoo(fact.name, model);
    double convolution_macs = 0;
    for (std::size_t i = 0; i < analysis.nodes.size(); ++i) {
      if (analysis.plan.steps[i].node->op == "Conv") convolution_macs += analysis.nodes[i].macs;
    }
    EXPECT_EQ(analysis.parameter_count, fact.parameters) << fact.name;
    EXPECT_NEAR(2 * convolution_macs, fact.gflop * 1e9, 0.05e9) << fact.name;
    EXPECT_NEAR(2 * analysis.macs, fact.gflop * 1e9, 0.01 * fact.gflop * 1e9) << fact.name;
  }
}

// The cost of a fully convolutional network is proportional to the area. Only the attention, which
// looks at all cells at once, grows with the square of the area. 320x320 has 2100 cells of 8, 16
// and 32 pixels.
TEST(Zoo, DetectorsTakeImagesOfAnySide) {
  for (const char* name : {"yolov8n", "yolov4_tiny", "yolo11n", "yolo11x"}) {
    Model model = load_workload("zoo:" + std::string(name));
    const auto convolutions = [&](std::int64_t side) {
      const Analysis analysis = analyze(model, {.dims = {{"image", side}}});
      EXPECT_TRUE(analysis.shapes.unknown_nodes.empty()) << name;
      double macs = 0;
      for (std::size_t i = 0; i < analysis.nodes.size(); ++i) {
        if (analysis.plan.steps[i].node->op == "Conv") macs += analysis.nodes[i].macs;
      }
      return macs;
    };
    const double full = convolutions(640);
    EXPECT_EQ(convolutions(320), full / 4) << name;
    EXPECT_EQ(convolutions(1280), full * 4) << name;
    EXPECT_EQ(convolutions(224), full * (224.0 * 224) / (640.0 * 640)) << name;
    EXPECT_THROW(analyze(model, {.dims = {{"image", 100}}}), UsageError);
    EXPECT_THROW(analyze(model, {.dims = {{"image", 0}}}), Error);
  }
  Model model = load_workload("zoo:yolo11n");
  infer(model, {.dims = {{"image", 320}}});
  const Tensor& boxes = model.tensors[static_cast<std::size_t>(model.graph.outputs[0])];
  EXPECT_EQ(format_type(boxes), "float32[1x84x2100]");
}

TEST(Zoo, YoloV4TinyIsDarknets) {
  Model model;
  const Analysis analysis = analyze_zoo("yolov4_tiny", model);
  EXPECT_NEAR(2 * analysis.macs, 6.910e9, 0.005e9);  // "Total BFLOPS 6.910" includes poolings
}

// To decode a token, the decoder multiplies by every weight except the embedding once; the
// attention reads 512 positions of 64 + 64 numbers in 32 heads of 22 layers.
TEST(Zoo, LlamaDecodesWithEveryWeightOnce) {
  Model model;
  const Analysis analysis = analyze_zoo("llama_small_decode", model);
  const double norms = 45 * 2048;
  const double weights = 1100048384.0 - 32000.0 * 2048 - norms;
  EXPECT_EQ(analysis.macs, weights + 22.0 * 32 * 512 * 128);
}

// label: slow
TEST(Zoo, EveryModelIsKnownAtEveryBatch) {
  for (const ZooEntry& entry : zoo()) {
    Model model = load_workload("zoo:" + std::string(entry.name));
    const double one = analyze(model, {.batch = 1}).macs;
    for (const int batch : {2, 16, 1024}) {
      const Analysis analysis = analyze(model, {.batch = batch});
      EXPECT_TRUE(analysis.workload.caveats.uncounted.empty()) << entry.name;
      EXPECT_TRUE(analysis.shapes.unknown_nodes.empty()) << entry.name;
      // The trunk reads the grid once, regardless of the number of functions that the branch reads.
      if (entry.name.starts_with("deeponet")) {
        EXPECT_LT(analysis.macs, batch * one);
        continue;
      }
      EXPECT_EQ(analysis.macs, batch * one) << entry.name << " at batch " << batch;
    }
  }
}

TEST(Zoo, AliasesAndUnknownNames) {
  EXPECT_EQ(find_zoo_entry("zoo:mobilenet_v3").name, "mobilenet_v3_large");
  EXPECT_THROW(find_zoo_entry("zoo:resnet51"), NotFoundError);
  EXPECT_THROW(find_zoo_entry("zoo:"), NotFoundError);
}

TEST(CostModel, MacsAreTheReference) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto table = read_csv((onnx_folder() / "reference_macs.csv").string());
  ASSERT_EQ(table.rows.size(), 21U);
  for (const auto& row : table.rows) {
    Model model;
    const Analysis analysis =
        analyze_file(row[0], model, {.batch = 1, .convention = Convention::kMacs});
    EXPECT_EQ(analysis.macs, std::stod(row[3])) << row[0];
    EXPECT_EQ(analysis.flops, analysis.macs) << row[0];
  }
}

// The exporters of these files did not fold batch normalization, so the files hold as many
// parameters as PyTorch counts.
TEST(CostModel, ParametersOfFilesAreThoseOfTheModule) {
  RIDGEWATT_REQUIRE_SHARED();
  const std::pair<const char*, double> facts[] = {
      {"alexnet", 61100840},         {"vit_b_16", 86567656},
      {"gru_T100", 29120},           {"bert_tiny_s128", 4385920},
      {"bert_base_s128", 109482240}, {"whisper_tiny_encoder_like", 8209920},
      {"light_resnet50", 25557032}};
  for (const auto& [name, parameters] : facts) {
    Model model;
    EXPECT_EQ(analyze_file(name, model).parameter_count, parameters) << name;
  }
}

TEST(CostModel, PagodaConventionIsTheArtifacts) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto table = read_csv((onnx_folder() / "reference_pagoda.csv").string());
  ASSERT_EQ(table.rows.size(), 21U);
  for (const auto& row : table.rows) {
    Model model;
    CostOptions options = {.batch = std::stoi(row[1]), .convention = Convention::kPagoda};
    const Analysis inference = analyze_file(row[0], model, options);
    EXPECT_EQ(inference.flops, std::stod(row[2])) << row[0] << " " << row[1];
    EXPECT_EQ(inference.bytes(), std::stod(row[3])) << row[0] << " " << row[1];
    EXPECT_EQ(inference.parameter_bytes, std::stod(row[4])) << row[0] << " " << row[1];
    options.kind = WorkloadKind::kTraining;
    const Analysis training = analyze(model, options);
    EXPECT_EQ(training.flops, 3 * inference.flops);
    EXPECT_EQ(training.bytes(), 3 * inference.bytes());
  }
}

// The paper's authors published these figures for a static export.
TEST(CostModel, PagodaPublishedBertLargeAndYolo) {
  Model model;
  CostOptions options;
  options.convention = Convention::kPagoda;
  EXPECT_NEAR(analyze_zoo("bert_large", model, options).flops, 79.136e9, 0.005 * 79.136e9);
  EXPECT_NEAR(analyze_zoo("yolov8n", model, options).flops, 8.840e9, 0.02 * 8.840e9);
}

// label: slow
TEST(CostModel, TrafficModelsBoundEachOther) {
  for (const ZooEntry& entry : zoo()) {
    Model model = load_workload("zoo:" + std::string(entry.name));
    const auto bytes = [&](TrafficModel traffic, double cache_bytes = 0) {
      return analyze(model, {.batch = 4, .traffic = traffic, .cache_bytes = cache_bytes}).bytes();
    };
    const double ideal = bytes(TrafficModel::kIdeal);
    const double fused = bytes(TrafficModel::kFused);
    const double cached = bytes(TrafficModel::kFused, 4 << 20);
    EXPECT_LE(ideal, cached) << entry.name;
    EXPECT_LE(cached, fused) << entry.name;
    EXPECT_LE(fused, bytes(TrafficModel::kUnfused)) << entry.name;
    EXPECT_GT(ideal, 0) << entry.name;
  }
}

// label: slow
TEST(CostModel, NodesKernelsAndTotalsAgree) {
  for (const ZooEntry& entry : zoo()) {
    for (const auto kind : {WorkloadKind::kInference, WorkloadKind::kTraining}) {
      Model model = load_workload("zoo:" + std::string(entry.name));
      const Analysis a = analyze(model, {.batch = 2, .kind = kind});
      double optimizer_flops = 0;
      double optimizer_bytes = 0;
      for (const auto& kernel : a.workload.kernels) {
        if (kernel.phase != Phase::kOptimizer) continue;
        optimizer_flops += kernel.work_flop;
        optimizer_bytes += kernel.traffic_bytes();
      }
      double flops = optimizer_flops;
      double bytes = optimizer_bytes;
      for (const auto& node : a.nodes) {
        flops += node.flops;
        bytes += node.read_bytes + node.write_bytes;
      }
      EXPECT_DOUBLE_EQ(flops, a.flops) << entry.name;
      EXPECT_DOUBLE_EQ(bytes, a.bytes()) << entry.name;
      EXPECT_DOUBLE_EQ(a.workload.work_flop(), a.flops) << entry.name;
    }
  }
}

}  // namespace
}  // namespace ridgewatt::workload
