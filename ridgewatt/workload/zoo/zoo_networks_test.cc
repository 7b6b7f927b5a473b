// Compares networks of the zoo with their publishers' statements and with recorded engines.
// torchvision's tables state exact parameter counts, and multiply-accumulates in units of 1e9.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/workload/cost_model.h"

namespace ridgewatt::workload {
namespace {

struct Network {
  Model model;
  Analysis analysis;

  explicit Network(const std::string& name, const CostOptions& options = {})
      : model(load_workload("zoo:" + name)), analysis(analyze(model, options)) {}

  std::string output(std::size_t index) const {
    return format_type(model.tensors[static_cast<std::size_t>(model.graph.outputs[index])]);
  }
};

// A normalization has two parameters per channel, a depthwise 3x3 convolution nine.
TEST(ZooNetworks, ShuffleNetOfCifarIsCountedByHand) {
  const auto first = [](double in, double out) {
    return 9 * in + 2 * in + in * out / 2 + out                        // the shortcut
           + in * in + 2 * in + 9 * in + 2 * in + in * out / 2 + out;  // the other branch
  };
  const auto other = [](double out) {
    const double half = out / 2;
    return 2 * (half * half + 2 * half) + 9 * half + 2 * half;
  };
  const double count = 3 * 9 * 24 + 24 + 2 * 24 + first(24, 116) + 3 * other(116) +
                       first(116, 232) + 7 * other(232) + first(232, 464) + 3 * other(464) +
                       464 * 1024 + 2 * 1024 + 1024 * 100 + 100;
  EXPECT_EQ(Network("shufflenet_v2_cifar").analysis.parameter_count, count);
}

// Embeddings of width 32 and 128 for 6,040 users and 3,706 films; layers of 256-128-64-32, then
// 64-1.
TEST(ZooNetworks, NeuMfIsCountedByHand) {
  EXPECT_EQ(Network("neumf").analysis.parameter_count,
            (6040 + 3706) * (32 + 128) + 256 * 128 + 128 + 128 * 64 + 64 + 64 * 32 + 32 + 64 + 1);
}

TEST(ZooNetworks, TorchvisionStatesResNextAndVit) {
  const Network resnext("resnext50_32x4d");
  EXPECT_EQ(resnext.analysis.parameter_count, 25028904);
  EXPECT_NEAR(resnext.analysis.macs, 4.23e9, 0.005e9);
  const Network vit("vit_b_32");
  EXPECT_EQ(vit.analysis.parameter_count, 88224232);
  EXPECT_NEAR(vit.analysis.macs, 4.41e9, 0.005e9);
}

// torchvision states both values. The parameters of Inception v3 include the auxiliary classifier,
// which only training uses: a 1x1 convolution to 128 channels, a 5x5 convolution to 768, both with
// normalization, and a linear layer.
TEST(ZooNetworks, TorchvisionStatesNetworksOfBranches) {
  struct Fact {
    const char* name;
    double parameters;
    double gmac;
  };
  const double only_trained = 768 * 128 + 2 * 128 + 25 * 128 * 768 + 2 * 768 + 768 * 1000 + 1000;
  for (const Fact& fact : {Fact{"googlenet", 6624904, 1.50},
                           {"inception_v3", 27161264 - only_trained, 5.71},
                           {"squeezenet1_0", 1248424, 0.82},
                           {"squeezenet1_1", 1235496, 0.35},
                           {"densenet121", 7978856, 2.83}}) {
    const Network network(fact.name);
    EXPECT_EQ(network.analysis.parameter_count, fact.parameters) << fact.name;
    EXPECT_NEAR(network.analysis.macs, fact.gmac * 1e9, 0.005e9) << fact.name;
    EXPECT_EQ(network.output(0), "float32[1x1000]") << fact.name;
    EXPECT_TRUE(network.analysis.shapes.unknown_nodes.empty()) << fact.name;
  }
}

// Counted by hand: the first convolution, two blocks of 64 channels on 32x32, and three stages.
// Each stage has twice the channels and half the side of the stage before it, so all stages cost
// the same: a convolution of stride 2 that reads half the channels, three of stride 1, and a 1x1
// convolution. Normalizations have two parameters per channel.
TEST(ZooNetworks, TheResNetForCifarIsThatOfTheStudy) {
  const Network network("resnet18_cifar");
  const double full = 32 * 32 * 64 * 64 * 9.0;
  const double stage = full / 2 + 3 * full + 16 * 16 * 64 * 128.0;
  EXPECT_EQ(network.analysis.macs, 32 * 32 * 3 * 64 * 9.0 + 4 * full + 3 * stage + 512 * 10);
  double weights = 3 * 64 * 9 + 2 * 64 + 512 * 10 + 10;
  double in = 64;
  for (const double out : {64.0, 128.0, 256.0, 512.0}) {
    weights += 9 * in * out + 3 * 9 * out * out + 4 * 2 * out;
    if (out > in) weights += in * out + 2 * out;
    in = out;
  }
  EXPECT_EQ(network.analysis.parameter_count, weights);
  EXPECT_EQ(network.output(0), "float32[1x10]");
}

// Counted layer by layer from the study's scripts, independently of this code. Each activation is
// four operators, each gate three.
TEST(ZooNetworks, TheMobileNetForLandmarksIsThatOfTheStudy) {
  const Network network("mobilenet_v3_gld");
  EXPECT_EQ(network.analysis.parameter_count, 4131561);
  EXPECT_EQ(network.analysis.macs, 247755872);
  EXPECT_EQ(network.output(0), "float32[1x203]");
  const auto& nodes = network.model.graph.nodes;
  const auto clips =
      std::count_if(nodes.begin(), nodes.end(), [](const Node& node) { return node.op == "Clip"; });
  EXPECT_EQ(clips, 1 + 2 * 9 + 2 + 8);  // stem, nine blocks, last layers; eight gates
}

// PowerTrain (2024, table 1) states 8.6 million parameters for its LSTM. This is the count if the
// output layer shares the matrix of the embedding: two layers of 4 gates x 256 x (256 + 256 + 2), a
// vocabulary of 29,423 words of width 256, and a bias of the output.
TEST(ZooNetworks, TheLstmTiesItsOutputToItsEmbedding) {
  const Network lstm("lstm_lm");
  EXPECT_EQ(lstm.analysis.parameter_count, 2 * 4 * 256 * (256 + 256 + 2) + 29423 * 256 + 29423);
  EXPECT_NEAR(lstm.analysis.parameter_count, 8.6e6, 0.05e6);
}

// Counted by hand: a branch of four layers on 256 sensors of two channels, a trunk of four layers
// on three features per point, and per point a product over the 128 results of branch and trunk.
TEST(ZooNetworks, AnOperatorNetworkGrowsWithItsGrid) {
  const Network usual("deeponet_base");
  const Network fine("deeponet_base", {.dims = {{"points", 8192}}});
  const std::int64_t branch = 512 * 256 + 256 * 256 * 2 + 256 * 128;
  const std::int64_t trunk = 3 * 256 + 256 * 256 * 2 + 256 * 128;
  EXPECT_EQ(usual.analysis.parameter_count, branch + trunk + 2 * (3 * 256 + 128) + 1);
  EXPECT_EQ(usual.analysis.macs, branch + 2048 * (trunk + 128));
  EXPECT_EQ(fine.analysis.macs, branch + 8192 * (trunk + 128));
  EXPECT_EQ(fine.output(0), "float32[1x8192]");
}

// Twice the image side gives four times the cells, and so four times the convolutions and anchors.
// An image of 1600 pixels has 9 x (200^2 + 100^2 + 50^2 + 25^2 + 13^2) anchors.
TEST(ZooNetworks, DetectorsOfMlperfTakeImagesOfAnySide) {
  const Network usual("retinanet_resnext50");
  const Network large("retinanet_resnext50", {.dims = {{"image", 1600}}});
  EXPECT_EQ(large.output(0), "float32[1x479646x4]");
  EXPECT_EQ(large.analysis.parameter_count, usual.analysis.parameter_count);
  EXPECT_NEAR(large.analysis.macs, 4 * usual.analysis.macs, 0.01 * large.analysis.macs);
  const Network ssd("ssd_mobilenet_v1", {.dims = {{"image", 600}}});
  EXPECT_TRUE(ssd.analysis.shapes.unknown_nodes.empty());
  EXPECT_NEAR(ssd.analysis.macs, 4 * Network("ssd_mobilenet_v1").analysis.macs,
              0.05 * ssd.analysis.macs);
}

// From open_clip's docs/model_profile.csv, columns image_mparams and image_gflops (2 FLOP per
// multiply-accumulate).
TEST(ZooNetworks, OpenClipStatesTheImageTowers) {
  const Network coarse("clip_vit_b_32");
  EXPECT_NEAR(coarse.analysis.parameter_count, 87.85e6, 0.005e6);
  EXPECT_NEAR(2 * coarse.analysis.macs, 8.82e9, 0.005e9);
  const Network fine("clip_vit_b_16");
  EXPECT_NEAR(fine.analysis.parameter_count, 86.19e6, 0.005e6);
  EXPECT_NEAR(2 * fine.analysis.macs, 35.13e9, 0.02e9);
  EXPECT_EQ(fine.output(0), "float32[1x512]");
}

// The checkpoint holds 86,580,480 parameters, including the mask token (768), which inference does
// not read. timm states 151.7 GMAC at 518x518; its counter, fvcore, adds 5 per element of a
// normalization.
TEST(ZooNetworks, DinoV2IsTheCheckpointAtAnyResolution) {
  const Network usual("dinov2_b");
  EXPECT_EQ(usual.analysis.parameter_count, 86580480 - 768);
  const Network large("dinov2_b", {.dims = {{"image", 518}}});
  EXPECT_EQ(large.analysis.parameter_count, 86580480 - 768);
  const double normalizations = 25.0 * 1370 * 768 * 5;
  EXPECT_NEAR(large.analysis.macs + normalizations, 151.7e9, 0.05e9);
  EXPECT_EQ(large.output(0), "float32[1x768]");
}

// GPT-J 6B has 6,050,882,784 parameters: 28 blocks, embedding and head (50,400 x 4,096 each), the
// bias of the head and the last normalization. A single token multiplies by every matrix once and
// attends only to itself.
TEST(ZooNetworks, TwentyEightGptjBlocksAreGptj) {
  const Network block("gptj_block", {.dims = {{"sequence", 1}}});
  const double around = 2 * 50400.0 * 4096 + 50400 + 2 * 4096;
  EXPECT_EQ(28 * block.analysis.parameter_count + around, 6050882784.0);
  EXPECT_EQ(block.analysis.macs, 12.0 * 4096 * 4096 + 2 * 4096);
}

// torchvision's RetinaNet has a ResNet-50 and 91 classes: 34,014,999 parameters, not counting the
// 53,120 of batch normalization. Each class adds 9 x (9 x 256 + 1). MLPerf's RetinaNet has a
// ResNeXt-50, 264 classes, and 120,087 anchors on 800x800.
TEST(ZooNetworks, RetinaNetIsTorchvisionsWithAnotherBackbone) {
  const Network retinanet("retinanet_resnext50");
  const double classifier = 2048 * 1000 + 1000;
  const double resnet = 25557032 - classifier - 53120;
  const double resnext = 25028904 - classifier;
  const double classes = (264.0 - 91) * 9 * (9 * 256 + 1);
  EXPECT_EQ(retinanet.analysis.parameter_count, 34014999 - resnet + resnext + classes);
  // torchvision states 151.54 GMAC on 800x800. The backbones differ by 4.230 - 4.089 GMAC on
  // 224x224.
  const double cells = 120087.0 / 9;
  const double larger = (4230479872.0 - 4089184256.0) * (800.0 * 800) / (224.0 * 224);
  const double more_classes = (264.0 - 91) * 9 * 9 * 256 * cells;
  EXPECT_NEAR(retinanet.analysis.macs - larger - more_classes, 151.54e9, 0.01e9);
  EXPECT_EQ(retinanet.output(0), "float32[1x120087x4]");
  EXPECT_EQ(retinanet.output(1), "float32[1x120087x264]");
}

// 1,917 anchors (Liu et al. with MobileNet in the TensorFlow detection zoo). MLPerf's paper (Reddi
// et al., 2020, table I) states 2.47 GOP per image and 6.91 million parameters. The layers of the
// published graph have 1.3 % fewer parameters: MobileNet v1 without classifier (Keras: 4,231,976 -
// 1,025,000), four pairs of convolutions with normalization, and six predictors.
TEST(ZooNetworks, SsdMobileNetIsMlperfs) {
  const Network ssd("ssd_mobilenet_v1");
  const auto pair = [](double in, double inner, double out) {
    return in * inner + 2 * inner + 9 * inner * out + 2 * out;
  };
  const double extra =
      pair(1024, 256, 512) + pair(512, 128, 256) + pair(256, 128, 256) + pair(256, 64, 128);
  const double predictors =
      513 * 3 * 95.0 + (1025 + 513 + 257 + 257 + 129) * 6 * 95.0;  // 91 classes, 4 sides
  EXPECT_EQ(ssd.analysis.parameter_count, 4231976 - 1025000 + extra + predictors);
  EXPECT_NEAR(ssd.analysis.parameter_count, 6.91e6, 0.015 * 6.91e6);
  EXPECT_NEAR(2 * ssd.analysis.macs, 2.47e9, 0.01 * 2.47e9);
  EXPECT_EQ(ssd.output(0), "float32[1x1917x4]");
  EXPECT_EQ(ssd.output(1), "float32[1x1917x91]");
}

// Ultralytics' table states parameters in units of 1e6 and counts 2 FLOP per multiply-accumulate.
TEST(ZooNetworks, UltralyticsStatesTheSizesOfYolov8) {
  struct Fact {
    const char* name;
    double parameters;
    double flop;
  };
  for (const Fact& fact : {Fact{"yolov8n", 3.2e6, 8.7e9},
                           {"yolov8s", 11.2e6, 28.6e9},
                           {"yolov8m", 25.9e6, 78.9e9},
                           {"yolov8l", 43.7e6, 165.2e9},
                           {"yolov8x", 68.2e6, 257.8e9}}) {
    const Network network(fact.name);
    EXPECT_NEAR(network.analysis.parameter_count, fact.parameters, 0.05e6) << fact.name;
    EXPECT_NEAR(2 * network.analysis.macs, fact.flop, 0.01 * fact.flop) << fact.name;
    EXPECT_EQ(network.output(0), "float32[1x84x8400]") << fact.name;
    EXPECT_TRUE(network.analysis.shapes.unknown_nodes.empty()) << fact.name;
  }
}

// From YOLOX's table of models (README). Its FLOP include normalizations and activations.
TEST(ZooNetworks, TheAuthorsStateTheSizesOfYolox) {
  struct Fact {
    const char* name;
    double parameters;
    double flop;
    const char* output;
  };
  for (const Fact& fact : {Fact{"yolox_nano", 0.91e6, 1.08e9, "float32[1x3549x85]"},
                           {"yolox_tiny", 5.06e6, 6.45e9, "float32[1x3549x85]"},
                           {"yolox_s", 9.0e6, 26.8e9, "float32[1x8400x85]"},
                           {"yolox_m", 25.3e6, 73.8e9, "float32[1x8400x85]"},
                           {"yolox_l", 54.2e6, 155.6e9, "float32[1x8400x85]"},
                           {"yolox_x", 99.1e6, 281.9e9, "float32[1x8400x85]"}}) {
    const Network network(fact.name);
    EXPECT_NEAR(network.analysis.parameter_count, fact.parameters, 0.01 * fact.parameters)
        << fact.name;
    EXPECT_NEAR(2 * network.analysis.macs, fact.flop, 0.04 * fact.flop) << fact.name;
    EXPECT_EQ(network.output(0), fact.output) << fact.name;
    EXPECT_TRUE(network.analysis.shapes.unknown_nodes.empty()) << fact.name;
  }
}

// From the authors' tables: YOLOv5 (README of release 6.1), YOLOv7 (paper, table 1, and README),
// YOLOv9 (README), YOLOv10 (README). They count 2 FLOP per multiply-accumulate, and some of them
// also count normalizations and activations.
TEST(ZooNetworks, TheAuthorsStateTheSizesOfOtherDetectors) {
  struct Fact {
    const char* name;
    double parameters;
    double flop;
    const char* output;
  };
  constexpr const char* kAnchored = "float32[1x25200x85]";
  constexpr const char* kFree = "float32[1x84x8400]";
  constexpr const char* kBest = "float32[1x300x6]";
  for (const Fact& fact : {Fact{"yolov5n", 1.9e6, 4.5e9, kAnchored},
                           {"yolov5s", 7.2e6, 16.5e9, kAnchored},
                           {"yolov5m", 21.2e6, 49.0e9, kAnchored},
                           {"yolov5l", 46.5e6, 109.1e9, kAnchored},
                           {"yolov5x", 86.7e6, 205.7e9, kAnchored},
                           {"yolov7_tiny", 6.2e6, 13.8e9, kAnchored},
                           {"yolov7", 36.9e6, 104.7e9, kAnchored},
                           {"yolov7x", 71.3e6, 189.9e9, kAnchored},
                           {"yolov9t", 2.0e6, 7.7e9, kFree},
                           {"yolov9s", 7.1e6, 26.4e9, kFree},
                           {"yolov9m", 20.0e6, 76.3e9, kFree},
                           {"yolov9c", 25.3e6, 102.1e9, kFree},
                           {"yolov10n", 2.3e6, 6.7e9, kBest},
                           {"yolov10s", 7.2e6, 21.6e9, kBest},
                           {"yolov10m", 15.4e6, 59.1e9, kBest},
                           {"yolov10b", 19.1e6, 92.0e9, kBest},
                           {"yolov10l", 24.4e6, 120.3e9, kBest},
                           {"yolov10x", 29.5e6, 160.4e9, kBest}}) {
    const Network network(fact.name);
    EXPECT_NEAR(network.analysis.parameter_count, fact.parameters, 0.05e6) << fact.name;
    EXPECT_NEAR(2 * network.analysis.macs, fact.flop, 0.02 * fact.flop) << fact.name;
    EXPECT_EQ(network.output(0), fact.output) << fact.name;
    EXPECT_TRUE(network.analysis.shapes.unknown_nodes.empty()) << fact.name;
  }
}

// A small image has fewer cells than the number of objects that the detector selects in a large
// one.
TEST(ZooNetworks, ADetectorChoosesAtMostItsCells) {
  EXPECT_EQ(Network("yolov10n", {.dims = {{"image", 96}}}).output(0), "float32[1x189x6]");
}

TEST(ZooNetworks, QuantizationAwareResNetIsResNetInEightBits) {
  const Network real("resnet18");
  const Network quantized("resnet18_qat");
  EXPECT_EQ(quantized.analysis.parameter_count, 11689512);  // torchvision
  EXPECT_EQ(quantized.analysis.macs, real.analysis.macs);
  EXPECT_GT(quantized.analysis.int_ops, 2 * quantized.analysis.macs * 0.99);
}

// Adds the parts "Op_N" of a fused layer's name ("conv1.weight + QuantizeLinear_7 + Conv_9").
void add_exported_nodes(const std::string& layer, std::set<std::string>& nodes) {
  constexpr std::string_view kJoint = " + ";
  for (std::size_t begin = 0; begin < layer.size();) {
    const std::size_t end = std::min(layer.find(kJoint, begin), layer.size());
    const std::string part = layer.substr(begin, end - begin);
    const std::size_t digits = part.find_last_not_of("0123456789");
    const bool plain = part.find(' ') == std::string::npos;
    if (plain && digits + 1 < part.size() && part[digits] == '_') nodes.insert(part);
    begin = end + kJoint.size();
  }
}

// The engine's layer names hold the numbers of the exported nodes. The nodes that fusion did not
// remove show which numbers the removed nodes had.
TEST(ZooNetworks, QuantizationAwareResNetIsNumberedAsInTheRecordedEngine) {
  RIDGEWATT_REQUIRE_SHARED();
  std::ifstream in(testing::shared_folder() / "data/traces/tensorrt/resnet18_a100_qat.graph.json");
  std::set<std::string> exported;
  std::map<std::string, double> weights;
  const Json engine = Json::parse(in);
  for (const Json& layer : engine.at("Layers")) {
    std::set<std::string> nodes;
    add_exported_nodes(layer["Name"], nodes);
    for (const std::string& node : nodes) {
      if (layer.contains("Weights")) weights[node] = layer["Weights"]["Count"];
    }
    exported.insert(nodes.begin(), nodes.end());
  }
  EXPECT_GT(exported.size(), 60U);
  const Network ours("resnet18_qat");
  std::map<std::string, const Node*> by_name;
  for (const Node& node : ours.model.graph.nodes) by_name[node.name] = &node;
  for (const std::string& name : exported) {
    ASSERT_TRUE(by_name.contains(name)) << name;
    const Node& node = *by_name[name];
    EXPECT_TRUE(name.starts_with(node.op + "_")) << name;
    if (node.op != "Conv" && node.op != "Gemm") continue;
    const Tensor& weight = ours.model.tensors[static_cast<std::size_t>(node.inputs[1])];
    EXPECT_EQ(static_cast<double>(*weight.element_count()), weights.at(name)) << name;
  }
}

}  // namespace
}  // namespace ridgewatt::workload
