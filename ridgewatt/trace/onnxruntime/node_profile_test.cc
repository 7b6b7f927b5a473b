// Tests profiles in the layout of ONNX Runtime 1.30. The test writes them, so the times are known.
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/trace/layer_trace.h"

namespace ridgewatt::trace {
namespace {

std::string node(const std::string& name, const std::string& op, int us,
                 const std::string& provider = "CPUExecutionProvider") {
  return R"(,{"cat":"Node","ph":"X","ts":1,"dur":)" + std::to_string(us) + R"(,"name":")" + name +
         R"(_kernel_time","args":{"op_name":")" + op + R"(","provider":")" + provider +
         R"(","node_index":"3","output_type_shape":[{"float":[1,64,56,56]}],"activation_size":"100",)"
         R"("parameter_size":"20","output_size":"80"}})";
}

// A profile of three runs, the first of which is slow.
std::string three_runs(const std::string& provider = "CPUExecutionProvider") {
  std::string text =
      R"([{"cat":"Session","ph":"X","ts":0,"dur":9,"name":"model_loading_uri","args":{}})";
  for (const int us : {900, 100, 110}) {
    text += node("conv_nchwc", "Conv", us, provider) +
            node("ReorderOutput", "ReorderOutput", 7, provider) + node("if", "If", 5000, provider) +
            R"(,{"cat":"Session","ph":"X","ts":0,"dur":999,"name":"model_run","args":{}})";
  }
  return text + "]";
}

TEST(NodeProfile, ANodeTakesItsMedianOverTheRuns) {
  const LayerTrace trace = parse_layer_trace(three_runs(), "p.json");
  EXPECT_EQ(trace.source, TraceSource::kOnnxRuntime);
  EXPECT_EQ(trace.runs, 3);
  ASSERT_EQ(trace.layers.size(), 2U);  // nodes of a body count, but not the If that contains them
  EXPECT_EQ(trace.layers[0].name, "conv_nchwc");
  EXPECT_EQ(trace.layers[0].op, "Conv");
  EXPECT_EQ(trace.layers[0].output_extents, (std::vector<std::int64_t>{1, 64, 56, 56}));
  EXPECT_EQ(trace.layers[0].moved_bytes, 200);
  EXPECT_NEAR(trace.layers[0].time_s, 110e-6, 1e-12);
  EXPECT_NEAR(trace.total_s, 117e-6, 1e-12);
}

TEST(NodeProfile, TheMedianOfTwoRunsIsTheirMean) {
  std::string text = R"([{"cat":"Session","ph":"X","ts":0,"dur":9,"name":"load","args":{}})";
  for (const int us : {100, 300}) {
    text += node("conv", "Conv", us) + R"(,{"cat":"Session","ph":"X","ts":0,"dur":)" +
            std::to_string(us + 100) + R"(,"name":"model_run","args":{}})";
  }
  const LayerTrace trace = parse_layer_trace(text + "]", "p.json");
  EXPECT_NEAR(trace.layers[0].time_s, 200e-6, 1e-12);
  EXPECT_NEAR(trace.total_s, 200e-6, 1e-12);
  EXPECT_NEAR(*trace.run_s, 300e-6, 1e-12);
}

TEST(NodeProfile, ANodeInALoopTakesAllItsCalls) {
  std::string text = three_runs();
  text.pop_back();
  for (const int us : {110, 120, 130}) text += node("conv_nchwc", "Conv", us);  // 2 calls per run
  const LayerTrace trace = parse_layer_trace(text + "]", "p.json");
  EXPECT_EQ(trace.layers[0].calls, 2);
  EXPECT_NEAR(trace.layers[0].time_s, 2 * 115e-6, 1e-12);
}

TEST(NodeProfile, RunsThatContradictTheProfileAreRefused) {
  EXPECT_EQ(parse_layer_trace(three_runs(), "p.json", {.runs = 3}).runs, 3);
  EXPECT_THROW(parse_layer_trace(three_runs(), "p.json", {.runs = 2}), UsageError);
}

TEST(NodeProfile, AllProvidersAreReadIfAskedFor) {
  const LayerTrace trace =
      parse_layer_trace(three_runs("CUDAExecutionProvider"), "p.json", {.all_providers = true});
  ASSERT_EQ(trace.layers.size(), 2U);
  EXPECT_EQ(trace.layers[0].provider, "CUDAExecutionProvider");
  EXPECT_EQ(trace.layers[0].output_type, "float");
  EXPECT_NEAR(*trace.run_s, 999e-6, 1e-12);
}

TEST(NodeProfile, NodesOfAGpuAreRefused) {
  EXPECT_THROW(parse_layer_trace(three_runs("CUDAExecutionProvider"), "p.json"), InputError);
  EXPECT_THROW(parse_layer_trace(three_runs().substr(0, 400), "p.json"), InputError);
}

}  // namespace
}  // namespace ridgewatt::trace
