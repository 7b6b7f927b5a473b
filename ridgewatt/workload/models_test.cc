// Tests that real exports are read and that their shapes are inferred at several batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/workload/infer.h"
#include "ridgewatt/workload/onnx_reader.h"

namespace ridgewatt::workload {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> model_files() {
  std::vector<fs::path> files;
  for (const auto& entry :
       fs::recursive_directory_iterator(testing::shared_folder() / "onnx" / "models")) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Model load(const std::string& name) {
  return load_model((testing::shared_folder() / "onnx" / "models" / (name + ".onnx")).string());
}

std::string output_type(const Model& model, std::size_t index) {
  return format_type(model.tensors[static_cast<std::size_t>(model.graph.outputs[index])]);
}

TEST(Models, AllInferFullyButForWhatTheyLeaveToData) {
  RIDGEWATT_REQUIRE_SHARED();
  const std::vector<fs::path> files = model_files();
  EXPECT_EQ(files.size(), 35U);
  // The first has an image of unknown size; the second a transposed product that fits only batch
  // 100.
  const std::set<std::string> open = {"superres_ortext_op18", "trt_attention_head"};
  for (const fs::path& file : files) {
    Model model = load_model(file.string());
    const InferSummary summary = infer(model);
    if (open.count(file.stem().string()) > 0) continue;
    EXPECT_TRUE(summary.unsupported.empty()) << file;
    EXPECT_TRUE(summary.unknown_nodes.empty()) << file << ": " << summary.unknown_nodes.front();
  }
}

TEST(Models, NameOperatorsWithoutARuleAndTakeTheShapesThatTheFileStates) {
  RIDGEWATT_REQUIRE_SHARED();
  Model model = load("superres_ortext_op18");
  const InferSummary summary = infer(model);
  const std::map<std::string, int> expected = {{"com.microsoft.extensions.DecodeImage", 1},
                                               {"com.microsoft.extensions.EncodeImage", 1}};
  EXPECT_EQ(summary.unsupported, expected);
  const auto conv = std::find_if(model.graph.nodes.begin(), model.graph.nodes.end(),
                                 [](const Node& node) { return node.op == "Conv"; });
  ASSERT_NE(conv, model.graph.nodes.end());
  EXPECT_EQ(format_type(model.tensors[static_cast<std::size_t>(conv->outputs[0])]),
            "float32[1x64x224x224]");
}

TEST(Models, BatchIsBoundWithoutExportingAgain) {
  RIDGEWATT_REQUIRE_SHARED();
  for (const std::int64_t batch : {1, 7, 1024}) {
    InferOptions options;
    options.batch = batch;
    const std::string n = std::to_string(batch);
    for (const char* name : {"resnet50", "mobilenet_v3_large", "densenet121", "vit_b_16",
                             "light_resnet50", "light_bvlc_alexnet", "light_inception_v2"}) {
      Model model = load(name);
      EXPECT_TRUE(infer(model, options).unknown_nodes.empty()) << name;
      EXPECT_EQ(output_type(model, 0), "float32[" + n + "x1000]") << name;
    }
    Model bert = load("bert_base_s128");
    infer(bert, options);
    EXPECT_EQ(output_type(bert, 0), "float32[" + n + "x128x768]");
    Model faces = load("ultraface_rfb320");
    infer(faces, options);
    EXPECT_EQ(output_type(faces, 1), "float32[" + n + "x4420x4]");
    Model gru = load("gru_T100");  // axis 1 of the input of a recurrent layer is the batch
    infer(gru, options);
    EXPECT_EQ(output_type(gru, 0), "float32[100x" + n + "x64]");
  }
}

TEST(Models, SileroTakesTheBranchThatFitsTheInput) {
  RIDGEWATT_REQUIRE_SHARED();
  Model model = load("silero_vad");
  InferOptions options;
  options.batch = 2;
  options.dims["input.1"] = 512;
  const InferSummary summary = infer(model, options);
  EXPECT_TRUE(summary.unknown_nodes.empty());
  EXPECT_EQ(summary.bound.at("state.1"), 2);
  EXPECT_EQ(output_type(model, 0), "float32[2x1]");
  EXPECT_EQ(output_type(model, 1), "float32[2x2x128]");
}

TEST(Models, WindowsThatDoNotFitMakeAnAssumedExtentGrow) {
  RIDGEWATT_REQUIRE_SHARED();
  Model model = load("silero_vad");
  const InferSummary summary = infer(model);
  EXPECT_EQ(summary.assumed.at("input.1"), 256);
  EXPECT_EQ(summary.assumed.at("input.0"), 1);
  EXPECT_TRUE(summary.unknown_nodes.empty());
}

TEST(Models, UnknownExtentNamesAreRefused) {
  RIDGEWATT_REQUIRE_SHARED();
  Model model = load("resnet50");
  InferOptions options;
  options.dims["bacth"] = 4;
  try {
    infer(model, options);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("it has batch"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace ridgewatt::workload
