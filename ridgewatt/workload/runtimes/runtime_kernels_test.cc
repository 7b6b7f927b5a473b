// Compares the kernels of runtimes with layer lists of engines and with graphs counted by hand, and
// tests bounds that hold for every model.
#include "ridgewatt/workload/runtimes/runtime_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/workload/cost_model.h"
#include "ridgewatt/workload/graph_builder.h"
#include "ridgewatt/workload/onnx_reader.h"
#include "ridgewatt/workload/zoo.h"

namespace ridgewatt::workload {
namespace {

using Value = GraphBuilder::Value;
using Dims = GraphBuilder::Dims;

Analysis analyze_named(const std::string& name, Model& model, const CostOptions& options) {
  model = load_workload("zoo:" + name);
  return analyze(model, options);
}

template <typename Build>
Analysis analyze_graph(Model& model, Build build, const CostOptions& options) {
  GraphBuilder g("graph", 17);
  g.output(build(g), "y", {});
  model = load_model_from_memory(g.serialize(), "graph");
  return analyze(model, options);
}

std::vector<std::string> operators(const Analysis& analysis) {
  std::vector<std::string> ops;
  for (const KernelCost& kernel : analysis.workload.kernels) ops.push_back(kernel.op);
  return ops;
}

// Multiply-accumulates of an engine's layer: K outputs, each a sum over C / groups channels of a
// window.
double engine_macs(const Json& layer) {
  if (layer.value("ParameterType", "") != "Convolution") return 0;
  double macs = 1;
  for (const auto& extent : layer["Outputs"][0]["Dimensions"]) macs *= extent.get<double>();
  for (const auto& extent : layer["Kernel"]) macs *= extent.get<double>();
  const double channels = layer["Inputs"][0]["Dimensions"][1].get<double>();
  return macs * channels / layer["Groups"].get<double>();
}

struct EngineFact {
  const char* file;
  const char* model;
  Precision precision;
};

// trtexec's layer lists of torchvision's ResNet-18 at batch 32 on an A100 (NVIDIA/TensorRT 10.13,
// trt-engine-explorer, Apache-2.0).
TEST(RuntimeKernels, ResNet18IsTheEnginesLayerByLayer) {
  RIDGEWATT_REQUIRE_SHARED();
  const EngineFact facts[] = {{"fp32", "resnet18", Precision::kFp32},
                              {"fp16", "resnet18", Precision::kFp16},
                              {"qat", "resnet18_qat", Precision::kInt8}};
  for (const auto& fact : facts) {
    const auto path = testing::shared_folder() / "data" / "traces" / "tensorrt" /
                      ("resnet18_a100_" + std::string(fact.file) + ".graph.json");
    const Json engine = Json::parse(std::ifstream(path));
    std::vector<double> theirs;
    std::string layers;
    int launched = 0;
    for (const auto& layer : engine["Layers"]) {
      if (layer["LayerType"] == "NoOp" || layer["LayerType"] == "None") continue;
      ++launched;
      layers += "\n  " + layer["Name"].get<std::string>();
      if (engine_macs(layer) > 0) theirs.push_back(engine_macs(layer));
    }
    Model model;
    const Analysis analysis =
        analyze_named(fact.model, model,
                      {.batch = 32, .precision = fact.precision, .runtime = Runtime::kTensorRt});
    std::vector<double> ours;
    std::string kernels;
    for (const KernelCost& kernel : analysis.workload.kernels) {
      kernels += "\n  " + kernel.name;
      if (kernel.macs > 0) ours.push_back(kernel.macs);
    }
    std::sort(theirs.begin(), theirs.end());
    std::sort(ours.begin(), ours.end());
    EXPECT_EQ(ours, theirs) << fact.file;
    EXPECT_NEAR(analysis.workload.launches(), launched, 0.05 * launched)
        << fact.file << "; the engine:" << layers << "\nwe say:" << kernels;
  }
}

// Fusion only moves work between kernels: every step that runs is in exactly one kernel.
// label: slow
TEST(RuntimeKernels, KeepTheWorkOfEveryModel) {
  for (const ZooEntry& entry : zoo()) {
    Model model;
    const std::string name(entry.name);
    const double macs = analyze_named(name, model, {}).macs;
    const double most =
        analyze(model, {.precision = Precision::kFp32, .traffic = TrafficModel::kUnfused}).bytes();
    for (const Runtime runtime : kRuntimes) {
      if (is_eager(runtime) || is_on_cpu(runtime)) continue;
      for (const Precision precision : {Precision::kFp32, Precision::kInt8}) {
        const Analysis analysis = analyze(model, {.precision = precision, .runtime = runtime});
        const std::string where = name + " " + std::string(name_of(runtime));
        EXPECT_DOUBLE_EQ(analysis.macs, macs) << where;
        std::multiset<std::uint32_t> steps;
        double bytes = 0;
        for (const KernelCost& kernel : analysis.workload.kernels) {
          steps.insert(kernel.steps.begin(), kernel.steps.end());
          if (kernel.op != "Reformat") bytes += kernel.traffic_bytes();
        }
        const std::set<std::uint32_t> distinct(steps.begin(), steps.end());
        EXPECT_EQ(distinct.size(), steps.size()) << where;
        if (precision != Precision::kFp32) continue;
        EXPECT_LE(bytes, most * (1 + 1e-9)) << where;
        for (std::size_t i = 0; i < analysis.plan.steps.size(); ++i) {
          const Step& step = analysis.plan.steps[i];
          const bool runs = step.kind == StepKind::kKernel && step.node->subgraphs.empty();
          EXPECT_EQ(distinct.contains(static_cast<std::uint32_t>(i)), runs)
              << where << " " << step.node->name;
        }
      }
    }
  }
}

// The operators that tools/runtimes/tflite/to_tflite.py writes, other than PAD and RESHAPE. PAD
// joins a convolution in XNNPACK.
TEST(RuntimeKernels, TensorFlowLiteHasTheOperatorsOfTheConvertedFile) {
  const std::map<std::string, std::size_t> known = {
      {"mobilenet_v2", 35 + 17 + 10 + 1 + 1},
      {"resnet18", 20 + 8 + 1 + 1 + 1},
      {"squeezenet1_1", 26 + 8 + 3 + 1},
      {"efficientnet_b0", 65 + 65 + 65 + 17 + 16 + 9 + 1}};
  for (const auto& [name, count] : known) {
    Model model;
    const Analysis lite = analyze_named(name, model, {.runtime = Runtime::kTfliteCpu});
    EXPECT_EQ(lite.workload.kernels.size(), count) << name;
    EXPECT_DOUBLE_EQ(lite.macs, analyze(model, {}).macs) << name;
  }
}

// YOLOv5's heads split the channels of a convolution before they transpose them, which takes a
// kernel. RetinaNet's heads only move all channels last, which the convolution does itself.
TEST(RuntimeKernels, AConvolutionWritesChannelsLastButNotInAnyOrder) {
  const auto count = [](const std::string& name, std::string_view op) {
    Model model;
    const Analysis analysis =
        analyze_named(name, model, {.precision = Precision::kFp16, .runtime = Runtime::kTensorRt});
    const auto ops = operators(analysis);
    return std::count(ops.begin(), ops.end(), op);
  };
  EXPECT_EQ(count("yolov5n", "Transpose"), 3);
  EXPECT_EQ(count("yolov7_tiny", "Transpose"), 3);
  EXPECT_EQ(count("retinanet_resnext50", "Transpose"), 0);
}

// A matrix product of PyTorch reads the transposed tensor in place. For any other operator, the
// transposed tensor is copied.
TEST(RuntimeKernels, TorchscriptTransposesNoFactorOfAProduct) {
  const auto count = [](bool product) {
    Model model;
    const auto build = [&](GraphBuilder& g) {
      const Value x = g.input("x", Dims{16, 32});
      const Value turned = g.transpose(g.relu(x), {1, 0});
      return product ? g.matmul(x, turned) : g.relu(turned);
    };
    const auto ops = operators(analyze_graph(
        model, build, {.precision = Precision::kFp32, .runtime = Runtime::kTorchscript}));
    return std::count(ops.begin(), ops.end(), "Transpose");
  };
  EXPECT_EQ(count(true), 0);
  EXPECT_EQ(count(false), 1);
}

// Two convolutions of one tensor (8 channels, 256 pixels), concatenated, then a convolution from 16
// channels to 4.
Value two_windows(GraphBuilder& g) {
  const Value x = g.input("x", Dims{1, 8, 16, 16});
  const Value narrow = g.conv(x, 8, {.kernel = 3, .padding = 1, .bias = false});
  const Value wide = g.conv(x, 8, {.kernel = 5, .padding = 2, .bias = false});
  return g.conv(g.concat({narrow, wide}, 1), 4, {.kernel = 1, .bias = false});
}

TEST(RuntimeKernels, ConcatenationIsWrittenInPlaceByTensorRtAlone) {
  const double x = 8 * 256 * 4, y = 4 * 256 * 4;
  const double weights = 4 * (8 * 8 * 9 + 8 * 8 * 25 + 4 * 16);
  const double convolutions = 2 * (x + x) + (2 * x + y) + weights;
  Model model;
  const Analysis tensorrt = analyze_graph(
      model, two_windows, {.precision = Precision::kFp32, .runtime = Runtime::kTensorRt});
  EXPECT_EQ(operators(tensorrt),
            std::vector<std::string>({"Reformat", "Conv", "Conv", "Conv", "Reformat"}));
  EXPECT_DOUBLE_EQ(tensorrt.bytes(), convolutions + 2 * x + 2 * y);  // with copies to channels last
  const Analysis onnxruntime = analyze_graph(
      model, two_windows, {.precision = Precision::kFp32, .runtime = Runtime::kOnnxRuntime});
  EXPECT_EQ(operators(onnxruntime), std::vector<std::string>({"Conv", "Conv", "Concat", "Conv"}));
  EXPECT_DOUBLE_EQ(onnxruntime.bytes(), convolutions + 4 * x);
}

TEST(RuntimeKernels, AnEngineInInt8StoresWhatIsConvolvedInBytes) {
  const auto two = [](GraphBuilder& g) {
    const Value x = g.input("x", Dims{1, 8, 16, 16});
    const Value middle = g.relu(g.conv(x, 8, {.kernel = 3, .padding = 1, .bias = false}));
    return g.conv(middle, 8, {.kernel = 3, .padding = 1, .bias = false});
  };
  constexpr double kElements = 8 * 256, kWeights = 8 * 8 * 9;
  for (const auto& [fallback, width] :
       {std::pair(Precision::kFp16, 2.0), std::pair(Precision::kFp32, 4.0)}) {
    Model model;
    const Analysis analysis = analyze_graph(
        model, two,
        {.precision = Precision::kInt8, .runtime = Runtime::kTensorRt, .fallback = fallback});
    const auto& kernels = analysis.workload.kernels;
    ASSERT_EQ(kernels.size(), 4U);
    EXPECT_EQ(kernels[0].traffic_bytes(), kElements * (4 + 1));  // the binding is FP32
    EXPECT_EQ(kernels[1].traffic_bytes(), kElements * (1 + 1) + kWeights);
    EXPECT_EQ(kernels[2].traffic_bytes(), kElements * (1 + width) + kWeights);
    EXPECT_EQ(kernels[3].traffic_bytes(), kElements * (width + 4));
    EXPECT_EQ(kernels[1].precision, Precision::kInt8);
    EXPECT_EQ(analysis.int_ops, 2 * 2 * kElements * 8 * 9);  // a bias would add operations
    EXPECT_EQ(analysis.workload.input_bytes, kElements * 4);
  }
}

// NVIDIA, "Working with Quantized Types", explicit quantization: if the other operand of a sum is
// quantized too, the convolution, the sum, Relu and the following quantization are one INT8 kernel.
// Otherwise the quantization is a separate kernel.
TEST(RuntimeKernels, AQuantizedResidualIsAddedInInt8) {
  const auto quantized = [](GraphBuilder& g, const Value& x) {
    const Value scale = g.scalar(1);
    const Value zero = g.constant(std::vector<std::int8_t>{0}, {});
    return g.op("DequantizeLinear", {g.op("QuantizeLinear", {x, scale, zero}), scale, zero});
  };
  const auto convolution = [&](GraphBuilder& g, const Value& x, const std::string& name) {
    const Value weight = quantized(g, g.parameter(name, {8, 8, 1, 1}));
    return g.op("Conv", {quantized(g, x), weight});
  };
  using Ops = std::vector<std::string>;
  for (const bool narrow : {true, false}) {
    Model model;
    const Analysis analysis = analyze_graph(
        model,
        [&](GraphBuilder& g) {
          const Value x = g.relu(g.input("x", Dims{1, 8, 16, 16}));
          const Value sum = g.add(convolution(g, x, "first"), narrow ? quantized(g, x) : x);
          return convolution(g, g.relu(sum), "second");
        },
        {.precision = Precision::kInt8, .runtime = Runtime::kTensorRt});
    Ops found = operators(analysis);
    std::erase(found, "Reformat");
    if (narrow) {
      EXPECT_EQ(found, Ops({"Relu", "Conv", "Conv"}));
      constexpr double kElements = 8 * 256;
      const auto& kernels = analysis.workload.kernels;
      const auto first = std::find_if(kernels.begin(), kernels.end(),
                                      [](const auto& kernel) { return kernel.op == "Conv"; });
      EXPECT_EQ(first->traffic_bytes(), 2 * kElements + 8 * 8);  // the input is the residual
    } else {
      EXPECT_EQ(found, Ops({"Relu", "QuantizeLinear", "Conv", "QuantizeLinear", "Conv"}));
    }
  }
}

// Profiles of ONNX Runtime 1.30 on a processor: a convolution of quantized numbers has an integer
// kernel only if its result is quantized, too. If not, its weights are dequantized in each run, and
// normalizations are not folded into it. Relu joins if the zero point is the smallest number.
TEST(RuntimeKernels, OnProcessorsTheResultOfAnIntegerConvolutionIsQuantized) {
  const auto there_and_back = [](GraphBuilder& g, const Value& x, std::int8_t zero) {
    const Value scale = g.scalar(0.1F);
    const Value point = g.constant(std::vector<std::int8_t>{zero}, {});
    return g.op("DequantizeLinear", {g.op("QuantizeLinear", {x, scale, point}), scale, point});
  };
  enum class Between { kRelu, kNormalization };
  const auto kernels = [&](Between between, std::int8_t zero) {
    Model model;
    return operators(analyze_graph(
        model,
        [&](GraphBuilder& g) {
          const Value x = there_and_back(g, g.input("x", Dims{1, 16, 16, 16}), 0);
          const Value weight = there_and_back(g, g.parameter("w", {16, 16, 3, 3}), 0);
          Value y = g.op("Conv", {x, weight}, {{"pads", std::vector<std::int64_t>(4, 1)}});
          y = between == Between::kRelu ? g.relu(y) : g.batch_norm(y);
          return there_and_back(g, y, zero);
        },
        {.runtime = Runtime::kOnnxRuntimeCpu}));
  };
  using Ops = std::vector<std::string>;
  EXPECT_EQ(kernels(Between::kRelu, -128), Ops({"QuantizeLinear", "Conv", "DequantizeLinear"}));
  EXPECT_EQ(kernels(Between::kRelu, 0),
            Ops({"QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "Conv", "QuantizeLinear",
                 "DequantizeLinear"}));
  EXPECT_EQ(kernels(Between::kNormalization, -128),
            Ops({"QuantizeLinear", "DequantizeLinear", "DequantizeLinear", "Conv",
                 "BatchNormalization", "QuantizeLinear", "DequantizeLinear"}));
}

// Convolution and SiLU, as Ultralytics exports them. Layer lists of YOLO engines show one kernel in
// FP16 ("Conv + PWN(PWN(Sigmoid), PWN(Mul))") and two in FP32.
TEST(RuntimeKernels, SiluJoinsAConvolutionOfTensorRtInFp16) {
  const auto block = [](GraphBuilder& g) {
    const Value x = g.input("x", Dims{1, 8, 16, 16});
    return g.global_average_pool(g.silu(g.conv(x, 8, {.kernel = 3, .padding = 1})));
  };
  using Ops = std::vector<std::string>;
  Model model;
  const auto ops = [&](Runtime runtime, Precision precision) {
    Ops found =
        operators(analyze_graph(model, block, {.precision = precision, .runtime = runtime}));
    std::erase(found, "Reformat");
    return found;
  };
  EXPECT_EQ(ops(Runtime::kTensorRt, Precision::kFp16), Ops({"Conv", "GlobalAveragePool"}));
  EXPECT_EQ(ops(Runtime::kTensorRt, Precision::kFp32), Ops({"Conv", "Silu", "GlobalAveragePool"}));
  EXPECT_EQ(ops(Runtime::kOnnxRuntime, Precision::kFp32),
            Ops({"Conv", "QuickGelu", "GlobalAveragePool"}));
  EXPECT_EQ(ops(Runtime::kTorchscript, Precision::kFp32),
            Ops({"Conv", "Silu", "GlobalAveragePool"}));
}

// NVIDIA's fusion catalog: multi-head attention is one kernel in FP16 and INT8, but not in FP32.
TEST(RuntimeKernels, AttentionIsOneKernelInFp16) {
  const auto count = [](Precision precision, OpClass op_class) {
    Model model;
    const Analysis bert =
        analyze_named("bert_base", model, {.precision = precision, .runtime = Runtime::kTensorRt});
    return std::count_if(bert.workload.kernels.begin(), bert.workload.kernels.end(),
                         [&](const KernelCost& kernel) { return kernel.op_class == op_class; });
  };
  constexpr int kLayers = 12;
  EXPECT_EQ(count(Precision::kFp16, OpClass::kAttention), kLayers);
  EXPECT_EQ(count(Precision::kFp16, OpClass::kSoftmax), 0);
  EXPECT_EQ(count(Precision::kFp32, OpClass::kAttention), 0);
  EXPECT_EQ(count(Precision::kFp32, OpClass::kSoftmax), kLayers);
}

// NVIDIA/TensorRT issue 4397 lists the layers of an encoder: 'key/MatMul + query/MatMul +
// value/MatMul' is one product.
TEST(RuntimeKernels, ProductsOfQueriesKeysAndValuesAreOneKernelOfTensorRt) {
  const auto products = [](Runtime runtime, Precision precision) {
    Model model;
    const Analysis bert =
        analyze_named("bert_base", model, {.precision = precision, .runtime = runtime});
    std::multiset<double> macs;
    for (const KernelCost& kernel : bert.workload.kernels) {
      if (kernel.op == "MatMul" && kernel.weight_bytes > 0) macs.insert(kernel.macs);
    }
    return macs;
  };
  constexpr std::size_t kLayers = 12;
  constexpr double kOne = 384.0 * 768 * 768;
  for (const Precision precision : {Precision::kFp32, Precision::kFp16}) {
    const auto merged = products(Runtime::kTensorRt, precision);
    EXPECT_EQ(merged.count(3 * kOne), kLayers);
    EXPECT_EQ(merged.count(kOne), kLayers);  // output of attention
    EXPECT_EQ(products(Runtime::kOnnxRuntime, precision).count(kOne), 4 * kLayers);
  }
}

TEST(RuntimeKernels, TrainingIsRefused) {
  Model model;
  EXPECT_THROW(analyze_named("resnet18", model,
                             {.kind = WorkloadKind::kTraining, .runtime = Runtime::kTensorRt}),
               NotSupportedError);
}

}  // namespace
}  // namespace ridgewatt::workload
