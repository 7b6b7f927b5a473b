// Tests ridgewatt analyze: a network counted by hand, explained formulas, invalid options.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <vector>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

// LeNet-5 counted by hand: 5x5 convolutions to 6x28x28 and 16x10x10, then layers of 400-120-84-10.
TEST(AnalyzeCommand, JsonOfLeNetByHand) {
  const auto result = testing::run_program("analyze zoo:lenet5 --batch 2 --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  const std::int64_t macs =
      2 * (6 * 28 * 28 * 25 + 16 * 10 * 10 * 6 * 25 + 400 * 120 + 120 * 84 + 84 * 10);
  const std::int64_t parameters = 6 * 25 + 6 + 16 * 6 * 25 + 16 + 401 * 120 + 121 * 84 + 85 * 10;
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["macs"], macs);
  EXPECT_EQ(json["totals"]["macs"], macs);
  EXPECT_EQ(json["parameters"], parameters);
  EXPECT_EQ(json["inputs"][0]["shape"], Json({2, 1, 28, 28}));
  EXPECT_EQ(json["inputs"][0]["dtype"], "float32");
  EXPECT_EQ(json["outputs"][0]["name"], "output");
  EXPECT_EQ(json["outputs"][0]["shape"], Json({2, 10}));
  EXPECT_TRUE(json["unsupported"].empty());
  std::int64_t sum = 0;
  for (const auto& node : json["nodes"]) sum += node["macs"].get<std::int64_t>();
  EXPECT_EQ(sum, macs);
}

TEST(AnalyzeCommand, ExplainsANodeWithItsNumbers) {
  const auto result = testing::run_program("analyze zoo:lenet5 --explain Conv_1");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.output.find("2 * outputs * channels * window + bias * outputs"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("2 * 1600 * 6 * 25 + 1 * 1600"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("481600"), std::string::npos) << result.output;
}

// The launches of trtexec's engine of ResNet-18 in FP16, as published by NVIDIA/TensorRT.
TEST(AnalyzeCommand, ListsTheKernelsOfARuntime) {
  const std::string command = "analyze zoo:resnet18 --batch 32 --precision fp16 --runtime tensorrt";
  const auto result = testing::run_program(command + " --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["runtime"], "tensorrt");
  EXPECT_EQ(json["launched"].size(), 25U);
  EXPECT_EQ(json["kernels"], 25);
  const auto table = testing::run_program(command + " --per-layer --format csv");
  EXPECT_NE(table.output.find("Reformat"), std::string::npos) << table.output;
  EXPECT_EQ(testing::run_program(command + " --training").status, 1);
  const Json eager = Json::parse(
      testing::run_program("analyze zoo:yolov8n --runtime pytorch-eager --format json").output);
  EXPECT_EQ(eager["kernels"], eager["launched"].size());
  EXPECT_EQ(eager["traffic"], "unfused");
  EXPECT_EQ(testing::run_program(command + " --traffic ideal").status, 2);
}

TEST(AnalyzeCommand, TheBatchHasOneValue) {
  EXPECT_EQ(testing::run_program("analyze zoo:resnet18 --dim batch=4").status, 0);
  for (const char* command : {"analyze zoo:resnet18 --dim batch=4 --batch 8",
                              "estimate zoo:resnet18 --device agx-orin --dim batch=4 --batch 1,8",
                              "tune zoo:resnet18 --device agx-orin --dim batch=32"}) {
    const auto result = testing::run_program(command);
    EXPECT_EQ(result.status, 2) << command << result.output;
    EXPECT_NE(result.output.find("dimension batch is the batch"), std::string::npos)
        << result.output;
  }
}

TEST(AnalyzeCommand, ADimensionIsGivenOnce) {
  for (const char* command : {"analyze zoo:bert_tiny --dim sequence=10 --dim sequence=20",
                              "analyze zoo:bert_tiny --dim sequence=10,sequence=20"}) {
    const auto twice = testing::run_program(command);
    EXPECT_EQ(twice.status, 2) << command;
    EXPECT_NE(twice.output.find("sequence is given twice: --dim: give"), std::string::npos)
        << twice.output;
  }
  EXPECT_EQ(testing::run_program("analyze zoo:bert_tiny --dim sequence=10 --dim batch=2").status,
            0);
}

TEST(ZooCommand, ReplacesNoFileThatIsNotItsOwn) {
  const testing::TemporaryFolder folder;
  const std::string data = folder.write("a.onnx.data", "precious");
  const std::string write = "zoo write lenet5 -o " + (folder.path() / "a.onnx").string();
  for (const std::string weights : {" --weights random", " --weights zeros"}) {
    const auto refused = testing::run_program(write + weights);
    EXPECT_EQ(refused.status, 1);
    EXPECT_NE(refused.output.find("is not the file of"), std::string::npos) << refused.output;
    EXPECT_EQ(read_file(data), "precious");
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.onnx"));
  }
  std::filesystem::remove(data);
  ASSERT_EQ(testing::run_program(write + " --weights random").status, 0);
  const std::string random = read_file(data);
  ASSERT_EQ(testing::run_program(write + " --weights zeros").status, 0);
  EXPECT_EQ(read_file(data), std::string(random.size(), '\0'));
}

TEST(ZooCommand, ModelsInOneFolderKeepTheirWeights) {
  const testing::TemporaryFolder folder;
  const auto write = [&](const std::string& file, const std::string& weights) {
    const std::string path = (folder.path() / file).string();
    ASSERT_EQ(testing::run_program("zoo write lenet5 --weights " + weights + " -o " + path).status,
              0);
    EXPECT_NE(read_file(path).find(file + ".data"), std::string::npos);
  };
  write("a.onnx", "random");
  const std::string random = read_file((folder.path() / "a.onnx.data").string());
  write("b.onnx", "zeros");
  EXPECT_EQ(read_file((folder.path() / "a.onnx.data").string()), random);
  EXPECT_EQ(read_file((folder.path() / "b.onnx.data").string()), std::string(random.size(), '\0'));
  // Another network in place of a model also replaces its weights.
  const std::string other = "zoo write squeezenet1_1 -o " + (folder.path() / "b.onnx").string();
  ASSERT_EQ(testing::run_program(other).status, 0);
  EXPECT_NE(std::filesystem::file_size(folder.path() / "b.onnx.data"), random.size());
}

// A batch normalization divides by the root of its variance. The longest vectors of MobileNetV2 are
// the 1,280 means, variances, .. of its last one.
TEST(ZooCommand, RandomVariancesArePositive) {
  constexpr std::ptrdiff_t kLongest = 1280;
  const testing::TemporaryFolder folder;
  const std::string model = (folder.path() / "m.onnx").string();
  ASSERT_EQ(testing::run_program("zoo write mobilenet_v2 --weights random -o " + model).status, 0);
  const std::string data = read_file((folder.path() / "m.onnx.data").string());
  std::vector<float> values(data.size() / sizeof(float));
  std::memcpy(values.data(), data.data(), values.size() * sizeof(float));
  const auto negative =
      std::find_if(values.begin(), values.end(), [](float value) { return !(value > 0); });
  EXPECT_GE(negative - values.begin(), kLongest);
  EXPECT_LT(negative - values.begin(), kLongest + 100);
}

// Each model has one format: a file name of another one is refused, and nothing is written.
TEST(ZooCommand, AFileNameOfAnotherFormatIsRefused) {
  const testing::TemporaryFolder folder;
  for (const auto& [model, ending, right] : {std::tuple{"lenet5", ".gguf", ".onnx"},
                                             {"lenet5", ".safetensors", ".onnx"},
                                             {"qwen2.5-0.5b", ".onnx", ".gguf"},
                                             {"smollm2-135m", ".engine", ".gguf"}}) {
    const auto path = folder.path() / ("model" + std::string(ending));
    const auto run =
        testing::run_program("zoo write " + std::string(model) + " -o " + path.string());
    EXPECT_EQ(run.status, 2) << run.output;
    EXPECT_NE(run.output.find("ends in " + std::string(right)), std::string::npos) << run.output;
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  EXPECT_EQ(testing::run_program("zoo write lenet5 -o " + (folder.path() / "any").string()).status,
            0);
  const auto checkpoint = testing::run_program("zoo write qwen2.5-0.5b --quantization gptq");
  EXPECT_EQ(checkpoint.status, 2);
  EXPECT_EQ(checkpoint.output.find("awq"), std::string::npos) << checkpoint.output;
  EXPECT_NE(checkpoint.output.find("q4_k_m"), std::string::npos);
}

TEST(AnalyzeCommand, StrictTellsWhatIsNotCounted) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto model = (testing::shared_folder() / "onnx/models/superres_ortext_op18.onnx").string();
  EXPECT_EQ(testing::run_program("analyze " + model + " --format json").status, 0);
  const auto strict = testing::run_program("analyze " + model + " --strict");
  EXPECT_EQ(strict.status, 1);
  EXPECT_NE(strict.output.find("com.microsoft.extensions.DecodeImage"), std::string::npos);
}

TEST(AnalyzeCommand, WrongOptionsAreUsageErrors) {
  EXPECT_EQ(testing::run_program("analyze zoo:lenet5 --convention mac").status, 2);
  EXPECT_EQ(testing::run_program("analyze zoo:lenet5 --precision fp33").status, 2);
  EXPECT_EQ(testing::run_program("analyze zoo:lenet5 --dim batch").status, 2);
  const auto long_text = testing::run_program("analyze zoo:bert_tiny --dim sequence=600");
  EXPECT_NE(long_text.output.find("--dim sequence=600"), std::string::npos) << long_text.output;
  EXPECT_EQ(testing::run_program("analyze zoo:lenet5 --batch 0").status, 2);
  EXPECT_EQ(testing::run_program("analyze zoo:lenet6").status, 1);
}

}  // namespace
}  // namespace ridgewatt::cli
