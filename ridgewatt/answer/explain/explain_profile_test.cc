// Tests profiles in `explain`: small files of LeNet-5 in the documented formats of trtexec, ONNX
// Runtime and PyTorch, written by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"

namespace ridgewatt::answer {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct NamedTime {
  std::string name;
  double ms = 0;
};

const std::vector<NamedTime> kFusedLenet = {{"Conv_0 + Relu_0", 0.1}, {"MaxPool_0", 0.1},
                                            {"Conv_1 + Relu_1", 0.2}, {"MaxPool_1", 0.1},
                                            {"Gemm_0 + Relu_2", 0.3}, {"Gemm_1 + Relu_3", 0.1},
                                            {"Gemm_2", 0.1}};

// The output of `trtexec --exportProfile`.
std::string engine_profile(const std::vector<NamedTime>& layers) {
  std::string text = R"([{"count": 1})";
  for (const auto& [name, ms] : layers) {
    text += R"(, {"name": ")" + name + R"(", "timeMs": )" + std::to_string(ms) + "}";
  }
  return text + "]";
}

// The output of `trtexec --exportLayerInfo` for convolutions only.
std::string layer_information(const std::vector<NamedTime>& layers, const std::string& format) {
  std::string text;
  for (const auto& [name, ms] : layers) {
    const std::string tensor =
        R"([{"Name": "t", "Dimensions": [1, 6, 28, 28], "Format/Datatype": ")" + format + R"("}])";
    const bool conv = name.starts_with("Conv");
    text += std::string(text.empty() ? "" : ", ") + R"({"Name": ")" + name +
            R"(", "LayerType": ")" + (conv ? "CaskConvolution" : "Pooling") +
            R"(", "ParameterType": ")" + (conv ? "Convolution" : "Pooling") + R"(", "Inputs": )" +
            tensor + R"(, "Outputs": )" + tensor + "}";
  }
  return R"({"Layers": [)" + text + "]}";
}

struct ProfiledNode {
  std::string name, op, provider;
  int us = 0;
};

// ONNX Runtime's node profile of two equal runs that take `run_us` each.
std::string node_profile(const std::vector<ProfiledNode>& nodes, int run_us) {
  std::string text =
      R"([{"cat":"Session","ph":"X","ts":0,"dur":9,"name":"model_loading_uri","args":{}})";
  for (int run = 0; run < 2; ++run) {
    for (const auto& node : nodes) {
      text += R"(,{"cat":"Node","ph":"X","ts":1,"dur":)" + std::to_string(node.us) +
              R"(,"name":")" + node.name + R"(_kernel_time","args":{"op_name":")" + node.op +
              R"(","provider":")" + node.provider +
              R"(","output_type_shape":[{"float":[1,6,28,28]}]}})";
    }
    text += R"(,{"cat":"Session","ph":"X","ts":0,"name":"model_run","args":{},"dur":)" +
            std::to_string(run_us) + "}";
  }
  return text + "]";
}

class ExplainProfile : public ::testing::Test {
 protected:
  ExplainProfile() {
    question_.workload = {.model = "zoo:lenet5", .runtime = Runtime::kTensorRt};
    question_.workload.precision = workload::Precision::kFp16;
    question_.device = "agx-orin";
  }
  ExplainAnswer explained(const std::string& profile) {
    question_.profile = folder_.write("profile.json", profile);
    return explain(question_);
  }
  void use_layers(const std::string& information) {
    question_.layers = folder_.write("layers.json", information);
  }
  static double probability(const ExplainAnswer& found, SlowCause cause) {
    const auto known = std::find_if(found.rows.begin(), found.rows.end(),
                                    [&](const auto& one) { return one.cause == cause; });
    return known == found.rows.end() ? 0 : known->probability;
  }
  static const ExplainRow& row(const ExplainAnswer& found, SlowCause cause) {
    return *std::find_if(found.rows.begin(), found.rows.end(),
                         [&](const auto& one) { return one.cause == cause; });
  }

  testing::TemporaryFolder folder_;
  ExplainQuestion question_;
};

void expect_sums(const ExplainAnswer& found) {
  double time_s = 0, expected_s = 0;
  for (const auto& layer : found.profile->rows) {
    time_s += layer.time_s;
    expected_s += layer.expected_s;
  }
  EXPECT_NEAR(time_s, found.time.measured, 1e-12);
  EXPECT_NEAR(expected_s, found.time.expected, 1e-12);
}

TEST_F(ExplainProfile, WithoutATimeTheSumOfTheLayersIsMeasured) {
  const ExplainAnswer found = explained(engine_profile(kFusedLenet));
  EXPECT_NEAR(found.time.measured, 1e-3, 1e-12);
  EXPECT_TRUE(found.profile->measured);
  EXPECT_EQ(found.profile->count, 7u);
  EXPECT_EQ(found.profile->rows.front().name, "Gemm_0 + Relu_2");
  EXPECT_NEAR(found.profile->rows.back().time_s, 0, 1e-12);
  expect_sums(found);
}

TEST_F(ExplainProfile, RowsAddUpToTheStatedTimeAndWhatIsOutsideIsARow) {
  std::vector<NamedTime> layers = kFusedLenet;  // closer to the expected time
  for (NamedTime& layer : layers) layer.ms /= 4;
  question_.measured_s = 3.25e-3;
  const ExplainAnswer found = explained(engine_profile(layers));
  EXPECT_FALSE(found.profile->measured);
  EXPECT_NEAR(found.profile->rows.back().time_s, 3e-3, 1e-12);
  EXPECT_THAT(found.seen, Contains("3 ms of 3.25 ms are outside of layers"));
  EXPECT_GT(row(found, SlowCause::kPrePostProcessing).probability,
            row(found, SlowCause::kGpuClock).probability);
  expect_sums(found);
  question_.claimed_s = 2e-3;
  expect_sums(explained(engine_profile(layers)));
}

TEST_F(ExplainProfile, KernelsThatTheProfileLacksAreExpectedAllTheSame) {
  const ExplainAnswer found = explained(engine_profile({{"Conv_0 + Relu_0", 1}}));
  ASSERT_EQ(found.profile->rows.size(), 3u);
  EXPECT_EQ(found.profile->rows[1].name, "not in the profile");
  EXPECT_EQ(found.profile->rows[1].time_s, 0);
  EXPECT_GT(found.profile->rows[1].expected_s, 0);
  expect_sums(found);
}

TEST_F(ExplainProfile, LayersBeyondTheLongestAreSummed) {
  std::vector<NamedTime> layers = kFusedLenet;
  for (int i = 0; i < 40; ++i) {
    layers.push_back({"Reformatting CopyNode for Input Tensor " + std::to_string(i) + " to Gemm_2",
                      0.001 * (i + 1)});
  }
  const ExplainAnswer found = explained(engine_profile(layers));
  EXPECT_EQ(found.profile->rows.size(), 12u);
  EXPECT_EQ(found.profile->rows[10].name, "37 other layers");
  EXPECT_EQ(found.profile->faults[LayerFault::kReformat]->count, 40u);
  expect_sums(found);
}

TEST_F(ExplainProfile, LayersInAWiderPrecisionAreASignOfIt) {
  const double before =
      row(explained(engine_profile(kFusedLenet)), SlowCause::kPrecision).probability;
  use_layers(layer_information(kFusedLenet, "Row major linear FP32"));
  const ExplainAnswer wide = explained(engine_profile(kFusedLenet));
  EXPECT_EQ(wide.profile->faults[LayerFault::kPrecision]->count, 2u);
  EXPECT_THAT(row(wide, SlowCause::kPrecision).signs,
              Contains(HasSubstr("2 of 7 layers compute in a wider precision and take 0.3 ms")));
  EXPECT_GT(row(wide, SlowCause::kPrecision).probability, 2 * before);
  use_layers(layer_information(kFusedLenet, "Channel major FP16 format where channel % 8 == 0"));
  const ExplainAnswer half = explained(engine_profile(kFusedLenet));
  EXPECT_EQ(half.profile->faults[LayerFault::kPrecision]->count, 0u);
  EXPECT_LT(row(half, SlowCause::kPrecision).probability, before);
}

TEST_F(ExplainProfile, LayersThatTheRuntimeFusesAreASignOfAnother) {
  const double before =
      row(explained(engine_profile(kFusedLenet)), SlowCause::kRuntime).probability;
  std::vector<NamedTime> apart = kFusedLenet;
  apart.front().name = "Conv_0";
  apart.push_back({"Relu_0", 0.3});
  const ExplainAnswer found = explained(engine_profile(apart));
  EXPECT_EQ(found.profile->faults[LayerFault::kUnfused]->longest, "Relu_0");
  EXPECT_THAT(row(found, SlowCause::kRuntime).signs, Contains(HasSubstr("Relu_0 0.3 ms")));
  EXPECT_GT(row(found, SlowCause::kRuntime).probability, before);
}

TEST_F(ExplainProfile, AProfileOfAnotherRuntimeTellsIt) {
  const ExplainAnswer found = explained(R"json({"traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 1, "args": {"External id": 1,
     "Input Dims": [[8, 8], [8, 8]], "Input type": ["float", "float"]}},
    {"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 900, "args": {"External id": 1}},
    {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "ts": 990,
     "dur": 600, "args": {}}]})json");
  EXPECT_EQ(found.rows.front().cause, SlowCause::kRuntime);
  EXPECT_THAT(found.seen, Contains("the profile is of pytorch-eager, not of tensorrt"));
  EXPECT_NEAR(found.profile->faults[LayerFault::kHostCopy]->time_s, 600e-6, 1e-12);
  EXPECT_FALSE(found.profile->faults[LayerFault::kOnCpu]);  // a GPU trace does not show it
}

const std::vector<ProfiledNode> kNodesOnGpu = {{"Conv_0", "Conv", "CUDAExecutionProvider", 20},
                                               {"Conv_1", "Conv", "CUDAExecutionProvider", 20},
                                               {"Gemm_0", "Gemm", "CUDAExecutionProvider", 20},
                                               {"Gemm_1", "Gemm", "CUDAExecutionProvider", 20}};

TEST_F(ExplainProfile, NodesOnTheCpuProviderAreTheFallback) {
  question_.workload.runtime = Runtime::kOnnxRuntime;
  question_.workload.precision.reset();
  std::vector<ProfiledNode> nodes = kNodesOnGpu;
  nodes.push_back({"MaxPool_0", "MaxPool", "CPUExecutionProvider", 5000});
  nodes.push_back({"Memcpy_token_1", "MemcpyToHost", "CUDAExecutionProvider", 900});
  const ExplainAnswer found = explained(node_profile(nodes, 6000));
  EXPECT_NEAR(found.time.measured, 6e-3, 1e-12);  // of the run, not of its nodes
  EXPECT_EQ(found.rows.front().cause, SlowCause::kCpuFallback);
  EXPECT_THAT(found.rows.front().signs,
              Contains("1 of 6 layers run on the CPU and take 5 ms of 5.98 ms, MaxPool_0 5 ms"));
  EXPECT_EQ(found.profile->faults[LayerFault::kHostCopy]->longest, "Memcpy_token_1");
  EXPECT_EQ(found.profile->rows.front().name, "MaxPool_0");
  EXPECT_THAT(found.profile->remarks, Contains(HasSubstr("times of the host")));
  expect_sums(found);
}

// If nodes on the CPU take all of the stated time, the GPU has no load.
TEST_F(ExplainProfile, AWholeModelOnTheCpuProviderIsTheFallback) {
  question_.workload.runtime = Runtime::kOnnxRuntime;
  question_.workload.precision.reset();
  question_.measured_s = 6e-3;
  std::vector<ProfiledNode> nodes = kNodesOnGpu;
  for (auto& node : nodes) node.provider = "CPUExecutionProvider", node.us = 1450;
  const ExplainAnswer found = explained(node_profile(nodes, 6000));
  EXPECT_EQ(found.rows.front().cause, SlowCause::kCpuFallback);
  EXPECT_GT(found.rows.front().probability, 0.9);
  expect_sums(found);
}

// The sum of the kernels does not include waits outside the GPU.
TEST_F(ExplainProfile, WhatTheGpuTakesIsNotOutsideOfIt) {
  const ExplainAnswer found = explained(engine_profile(kFusedLenet));
  EXPECT_EQ(probability(found, SlowCause::kPrePostProcessing), 0);
  EXPECT_EQ(probability(found, SlowCause::kPythonCaller), 0);
  EXPECT_GT(probability(found, SlowCause::kPowerMode), 0);
  question_.measured_s = 1e-3;
  EXPECT_GT(probability(explained(engine_profile(kFusedLenet)), SlowCause::kPythonCaller), 0);
}

TEST_F(ExplainProfile, NodesThatAreAllOnTheGpuSpeakAgainstIt) {
  question_.workload.runtime = Runtime::kOnnxRuntime;
  question_.workload.precision.reset();
  question_.workload.model = "zoo:resnet18";
  question_.measured_s = 6e-3;
  const double without = probability(explain(question_), SlowCause::kCpuFallback);
  const ExplainAnswer found = explained(node_profile(kNodesOnGpu, 6000));
  EXPECT_GT(without, 0);
  EXPECT_LT(probability(found, SlowCause::kCpuFallback), 0.3 * without);
  EXPECT_THAT(found.profile->rows, Not(IsEmpty()));
}

// A time that comes from the profile cannot be a misread number.
TEST_F(ExplainProfile, AProfiledTimeIsNoTimerThatStopsEarly) {
  const std::string profile = engine_profile(kFusedLenet);
  EXPECT_EQ(probability(explained(profile), SlowCause::kAsynchronousTiming), 0);
  question_.measured_s = 1e-5;
  EXPECT_GT(probability(explained(profile), SlowCause::kAsynchronousTiming), 0);
}

TEST_F(ExplainProfile, RefusesWhatIsNoProfile) {
  EXPECT_THROW(explained(""), InputError);
  EXPECT_THROW(explained("[]"), InputError);
  EXPECT_THROW(explained("no profile"), InputError);
  EXPECT_THROW(explained(R"([{"count": 1}, {"name": "Conv_0", "timeMs": NaN}])"), InputError);
  EXPECT_THROW(explained(R"([{"count": 1}, {"name": "Conv_0", "timeMs": -1}])"), InputError);
  EXPECT_THROW(explained(R"({"Layers": [{"Name": "a"}]})"), InputError);
  const std::string nodes = node_profile(kNodesOnGpu, 100);
  EXPECT_THROW(explained(nodes.substr(0, nodes.size() / 2)), InputError);
  question_.profile = "no_such_file.json";
  EXPECT_THROW(explain(question_), NotFoundError);
  ExplainQuestion language;
  language.workload.model = "zoo:llama-3.1-8b";
  language.device = "agx-orin";
  language.tokens_per_s = 5;
  language.profile = "profile.json";
  EXPECT_THROW(explain(language), UsageError);
}

// A profile of 0 s is rejected because there is nothing to explain.
TEST_F(ExplainProfile, LayersThatTakeNoTimeAreRefused) {
  std::vector<NamedTime> none = kFusedLenet;
  for (auto& layer : none) layer.ms = 0;
  EXPECT_THROW(explained(engine_profile(none)), InputError);
}

ExplainQuestion slow_question() {
  ExplainQuestion question;
  question.workload.model = "zoo:resnet50";
  question.device = "agx-orin";
  question.measured_s = 60e-3;
  question.power_w = 12;
  return question;
}

TEST(ExplainChange, AGainAsPromisedConfirmsTheCauseAndNoneRefutesIt) {
  ExplainQuestion question = slow_question();
  const ExplainAnswer before = explain(question);
  ASSERT_TRUE(before.rows.front().gain);
  question.after_s = 60e-3 / *before.rows.front().gain;
  const ExplainedChange confirmed = *explain(question).change;
  EXPECT_EQ(confirmed.removed, before.rows.front().cause);
  EXPECT_EQ(confirmed.verdict, ChangeVerdict::kConfirmed);
  EXPECT_GT(confirmed.probability, confirmed.probability_before);
  EXPECT_NEAR(confirmed.gain(), confirmed.promised, 1e-12);
  EXPECT_LT(confirmed.after->gap_s(), before.gap_s());
  question.after_s = 60.5e-3;
  const ExplainedChange refuted = *explain(question).change;
  EXPECT_EQ(refuted.verdict, ChangeVerdict::kRefuted);
  EXPECT_LT(refuted.probability, 0.1 * refuted.probability_before);
}

TEST(ExplainChange, TheCauseCanBeNamedAndMustBePossible) {
  ExplainQuestion question = slow_question();
  question.removed = SlowCause::kGpuClock;
  EXPECT_THROW(explain(question), UsageError);  // without the time after the change
  question.after_s = 30e-3;
  const ExplainAnswer found = explain(question);
  EXPECT_EQ(found.change->removed, SlowCause::kGpuClock);
  EXPECT_EQ(found.rows[static_cast<std::size_t>(found.change->rank) - 1].cause,
            SlowCause::kGpuClock);
  question.removed = SlowCause::kLoader;
  EXPECT_THROW(explain(question), UsageError);
  question.removed = SlowCause::kNone;
  EXPECT_THROW(explain(question), UsageError);
}

// The measured time becomes longer when the timer waits for the GPU.
TEST(ExplainChange, AMisreadNumberBecomesTheTrueOne) {
  ExplainQuestion question = slow_question();
  question.power_w.reset();
  question.measured_s = 1e-3;
  question.removed = SlowCause::kAsynchronousTiming;
  question.after_s = explain([&] {
                       ExplainQuestion plain = slow_question();
                       plain.power_w.reset();
                       return plain;
                     }())
                         .time.expected;
  const ExplainedChange change = *explain(question).change;
  EXPECT_EQ(change.verdict, ChangeVerdict::kConfirmed);
  EXPECT_LT(change.promised, 1);
  EXPECT_GE(change.promised, change.promised_low);
  EXPECT_LE(change.promised, change.promised_high);
}

}  // namespace
}  // namespace ridgewatt::answer
