// Tests traces in the layout of PyTorch's profiler. The test writes them, so the times are known.
#include <gtest/gtest.h>
#include <zlib.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {
namespace {

// Two steps, each of a convolution (100 us) and a product (30 us), which are launched in 5 us each.
// The device is idle for 20 us before each product.
std::string two_steps() {
  std::string text =
      R"({"schemaVersion": 1, "deviceProperties": [{"name": "Orin"}], "traceEvents": [)"
      R"({"ph": "M", "name": "process_name", "args": {"name": "python \"x\""}})";
  for (int step = 0; step < 2; ++step) {
    const double at = 1000.0 * step;
    const auto number = [](double value) { return std::to_string(value); };
    const int conv = 10 * step + 1, mm = 10 * step + 2;
    const auto event = [&](const std::string& category, const std::string& name, double ts,
                           double dur, const std::string& args) {
      text += R"(,{"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "ts": )" +
              number(ts) + R"(, "dur": )" + number(dur) + R"(, "args": {)" + args + "}}";
    };
    const auto ids = [&](int id) {
      return R"("External id": )" + std::to_string(id) + R"(, "correlation": )" +
             std::to_string(100 + id);
    };
    event("user_annotation", "ProfilerStep#" + std::to_string(step), at, 900, "");
    event(
        "cpu_op", "aten::conv2d", at, 50,
        ids(conv) +
            R"(, "Input Dims": [[2,3,8,8],[4,3,3,3],[4],[],[],[],[]], "Input type": ["float","float","float"],)"
            R"( "Concrete Inputs": ["","","","[2, 2]","[1, 1]","[1, 1]","1"])");
    event("cpu_op", "aten::addmm", at + 60, 20,
          ids(mm) +
              R"(, "Input Dims": [[5],[2,16],[16,5]], "Input type": ["float","float","float"])");
    event("cuda_runtime", "cudaLaunchKernel", at + 10, 5, ids(conv));
    event("cuda_runtime", "cudaLaunchKernel", at + 65, 5, ids(mm));
    event("kernel", "void gemm<\\\"a\\\">()", at + 240, 30, ids(mm));  // out of order
    event("kernel", "implicit_conv", at + 120, 100, ids(conv));
  }
  return text + "]}";
}

void expect_two_steps(const LayerTrace& trace) {
  EXPECT_EQ(trace.source, TraceSource::kPytorch);
  EXPECT_EQ(trace.runs, 2);
  ASSERT_EQ(trace.layers.size(), 2U);
  EXPECT_EQ(trace.layers[0].name, "aten::conv2d (2x3x8x8, 4x3x3x3, 4)");
  EXPECT_NEAR(trace.layers[0].time_s, 100e-6, 1e-12);
  EXPECT_NEAR(trace.layers[1].time_s, 30e-6, 1e-12);
  EXPECT_NEAR(trace.layers[1].gap_s, 20e-6, 1e-12);
  EXPECT_NEAR(trace.layers[1].launch_s, 5e-6, 1e-12);
  EXPECT_EQ(trace.layers[1].kernels, 1);
  EXPECT_EQ(trace.layers[1].calls, 1);
  EXPECT_NEAR(trace.total_s, 130e-6, 1e-12);
  ASSERT_TRUE(trace.gaps);
  EXPECT_EQ(trace.gaps->gaps, 3U);  // two before products, one between the steps
  EXPECT_NEAR(trace.gaps->busy_s, 260e-6, 1e-12);
  EXPECT_NEAR(trace.gaps->span_s, 1150e-6, 1e-12);
  EXPECT_NEAR(trace.gaps->launch_mean_s, 5e-6, 1e-12);
  // A 3x3 convolution with stride 2 and padding 1 turns 8x8 into 4x4.
  ASSERT_TRUE(trace.layers[0].shape);
  EXPECT_EQ(trace.layers[0].shape->outputs.at(0).dims, (std::vector<std::int64_t>{2, 4, 4, 4}));
  ASSERT_TRUE(trace.layers[1].shape);
  EXPECT_EQ(trace.layers[1].shape->outputs.at(0).dims, (std::vector<std::int64_t>{2, 5}));
}

TEST(ChromeTrace, OperatorsGetTheTimeOfTheirKernels) {
  expect_two_steps(parse_layer_trace(two_steps(), "trace.json"));
}

TEST(ChromeTrace, RunsThatContradictTheMarkedStepsAreRefused) {
  expect_two_steps(parse_layer_trace(two_steps(), "trace.json", {.runs = 2}));
  EXPECT_THROW(parse_layer_trace(two_steps(), "trace.json", {.runs = 3}), UsageError);
  std::string unmarked = two_steps();
  for (auto at = unmarked.find("ProfilerStep#"); at != std::string::npos;
       at = unmarked.find("ProfilerStep#")) {
    unmarked.replace(at, 13, "forward");
  }
  EXPECT_EQ(parse_layer_trace(unmarked, "trace.json").runs, 1);
  EXPECT_EQ(parse_layer_trace(unmarked, "trace.json", {.runs = 4}).runs, 4);
}

std::string gzip(const std::string& folder, const std::string& text) {
  const std::string path = folder + "/trace.json.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

TEST(ChromeTrace, IsReadCompressedToo) {
  const testing::TemporaryFolder folder;
  const std::string path = gzip(folder.path(), two_steps());
  expect_two_steps(read_layer_trace(path));
  // A file that is cut in the middle causes an error and no partial result.
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  EXPECT_THROW(read_layer_trace(path), InputError);
}

// label: slow
TEST(ChromeTrace, ABombOfBlanksOrTextEndsInAnError) {
  const testing::TemporaryFolder folder;
  std::string bomb = R"({"traceEvents": [{"ph": ")";
  bomb.append(64U << 20, 'a');
  EXPECT_THROW(read_layer_trace(gzip(folder.path(), bomb)), InputError);
}

TEST(ChromeTrace, TheCallThatLaunchedAKernelKnowsItsOperator) {
  const LayerTrace trace = parse_layer_trace(
      R"({"traceEvents": [
        {"ph":"X","cat":"cpu_op","name":"aten::relu","ts":0,"dur":9,"args":{"External id":27}},
        {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":1,"dur":2,
         "args":{"External id":27,"correlation":100}},
        {"ph":"X","cat":"kernel","name":"k","ts":20,"dur":5,
         "args":{"External id":33,"correlation":100}}]})",
      "t");
  ASSERT_EQ(trace.layers.size(), 1U);
  EXPECT_EQ(trace.layers[0].name, "aten::relu");
  EXPECT_NEAR(trace.layers[0].launch_s, 2e-6, 1e-15);
}

TEST(ChromeTrace, WithoutKernelsThereIsNothingToSee) {
  EXPECT_THROW(parse_layer_trace(R"({"traceEvents": [{"ph": "X", "cat": "cpu_op"}]})", "t"),
               InputError);
  EXPECT_THROW(parse_layer_trace(R"({"Layers": []})", "t"), InputError);
  EXPECT_THROW(
      parse_layer_trace(
          R"({"traceEvents": [{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":nan}]})", "t"),
      InputError);
}

TEST(ChromeTrace, KernelsWithoutAnOperatorStandUnderTheirOwnNames) {
  const LayerTrace trace =
      parse_layer_trace(R"([{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"args":{}}])", "t");
  ASSERT_EQ(trace.layers.size(), 1U);
  EXPECT_EQ(trace.layers[0].name, "k");
  EXPECT_EQ(trace.remarks.size(), 1U);
}

}  // namespace
}  // namespace ridgewatt::trace
