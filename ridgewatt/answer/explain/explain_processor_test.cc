// Tests causes of slow models on a processor, from what a watched run shows about their main
// thread.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "ridgewatt/answer/explain.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/twin/cpu_twin.h"
#include "ridgewatt/workload/graph_builder.h"

namespace ridgewatt::answer {
namespace {

std::string processor_board() {
  static const testing::TemporaryFolder folder;
  const Board board = parse_board(
      "name = \"here\"\ntitle = \"A processor\"\nsoc = \"processor\"\ndefault_bsp = \"linux\"\n"
      "[cpu]\ntype = \"A processor\"\ncores = 2\n[memory]\nsize_gib = 8\n"
      "[[bsp]]\nname = \"linux\"\ntitle = \"Linux\"\ndefault_preset = 0\n"
      "presets = [{ id = 0, name = \"ALL\", cpu_cores = 2 }]\n"
      "[provenance]\n\"cpu\" = \"seen: here\"\n\"memory\" = \"seen: here\"\n\"bsp\" = \"seen: "
      "here\"\n",
      "here.toml");
  return folder.write(
      "here.toml", board_toml_with_twin(board, twin::cpu_twin_table(twin::prior_cpu_twin(
                                                   {{100e9, 20e9, 80e9}, {200e9, 25e9, 160e9}}))));
}

// A healthy run: both cores work in the runtime.
measure::SeenRun sound_run() {
  measure::SeenRun seen{.time_s = 10};
  seen.program_cores = 1.93;
  seen.busiest_thread = 0.97;
  seen.other_cores = 0.02;
  seen.cpus_online = seen.cpus_allowed = 2;
  seen.quota_wait_share = 0;
  seen.run_delay_share = 0.02;
  seen.libraries = std::vector<std::string>{"ONNX Runtime"};
  seen.main_idle = 0;
  seen.runtime_share = 0.98;
  seen.worker_cores = 0;
  seen.profile_files = 0;
  seen.major_faults_per_s = 0;
  seen.touched_bytes_per_s = 1e5;
  seen.swap_bytes_per_s = 0;
  seen.io_wait_share = 0;
  seen.storage_bytes_per_s = 0;
  seen.mean_over_median = 1.02;
  seen.time_ratio = 1.1;
  return seen;
}

// Explains a run that is slower than the estimate by this factor, according to its marks.
ExplainAnswer explained_on_processor(double slower, measure::SeenRun seen,
                                     const std::string& model = "zoo:resnet18") {
  ExplainQuestion question;
  question.workload.model = model;
  question.workload.runtime = Runtime::kOnnxRuntimeCpu;
  question.device = processor_board();
  question.measured_s = 1;
  question.measured_s = slower * explain(question).time.expected;
  seen.marked_s = question.measured_s;
  question.seen = seen;
  return explain(question);
}

struct SeenOnProcessor {
  SlowCause cause;
  double slower;
  void (*show)(measure::SeenRun&);
};
const SeenOnProcessor kSeenOnProcessor[] = {
    {SlowCause::kNone, 1, [](measure::SeenRun&) {}},
    {SlowCause::kThreads, 2, [](measure::SeenRun& seen) { seen.program_cores = 1; }},
    {SlowCause::kThreads, 4,  // another program uses the CPU that this program may not use
     [](measure::SeenRun& seen) {
       seen.cpus_allowed = 1;
       seen.program_cores = 1;
       seen.busiest_thread = 0.5;
       seen.run_delay_share = 0.5;
       seen.other_cores = 0.9;
     }},
    {SlowCause::kCpuQuota, 4,
     [](measure::SeenRun& seen) {
       seen.quota_cores = 0.5;
       seen.quota_wait_share = 0.9;
       seen.program_cores = 0.5;
       seen.busiest_thread = 0.25;
     }},
    {SlowCause::kContention, 2.5,
     [](measure::SeenRun& seen) {
       seen.other_cores = 1;
       seen.program_cores = 1;
       seen.run_delay_share = 0.5;
       seen.time_ratio = 3;
     }},
    {SlowCause::kPrePostProcessing, 3, [](measure::SeenRun& seen) { seen.runtime_share = 0.33; }},
    {SlowCause::kHostCopy, 2.5,
     [](measure::SeenRun& seen) {
       seen.runtime_share = 0.4;
       seen.touched_bytes_per_s = 1e9;
     }},
    {SlowCause::kLoader, 2, [](measure::SeenRun& seen) { seen.main_idle = 0.5; }},
    {SlowCause::kStorage, 4,
     [](measure::SeenRun& seen) {
       seen.fetch_share = 0.75;
       seen.io_wait_share = 0.2;
       seen.storage_bytes_per_s = 3e8;
       seen.main_idle = 0.3;
     }},
    {SlowCause::kRuntime, 6,
     [](measure::SeenRun& seen) {
       seen.libraries->clear();
       seen.runtime_share = 0;
       seen.program_cores = 1;
     }},
    {SlowCause::kRuntime, 1.7,
     [](measure::SeenRun& seen) {
       seen.profile_files = 1;
       seen.runtime_share = 0.65;
     }},
    {SlowCause::kRuntime, 1.12,  // a profiler whose file shows more than the small gap
     [](measure::SeenRun& seen) { seen.profile_files = 1; }},
    {SlowCause::kLoader, 1.8,  // its threads use the cores that the model needs
     [](measure::SeenRun& seen) {
       seen.worker_cores = 0.6;
       seen.fetch_share = 0.05;
       seen.run_delay_share = 0.4;
     }},
    {SlowCause::kInputSize, 2.5, [](measure::SeenRun& seen) { seen.time_ratio = 3; }},
};

TEST(ExplainProcessor, WhatAWatchShowsTellsTheCause) {
  for (const auto& [cause, slower, show] : kSeenOnProcessor) {
    measure::SeenRun seen = sound_run();
    show(seen);
    const ExplainAnswer found = explained_on_processor(slower, seen);
    EXPECT_EQ(found.rows.front().cause, cause) << name_of(cause) << " " << slower;
    double parts_s = 0;
    for (const ExplainRow& row : found.rows) parts_s += row.time_s;
    EXPECT_NEAR(parts_s, found.gap_s(), 1e-12);
  }
}

// Causes that need a GPU.
constexpr SlowCause kOfGpus[] = {SlowCause::kGpuClock,       SlowCause::kAsynchronousTiming,
                                 SlowCause::kCpuFallback,    SlowCause::kThermal,
                                 SlowCause::kPartialOffload, SlowCause::kPowerLimit,
                                 SlowCause::kPythonCaller};

void expect_no_gpu(const ExplainAnswer& found) {
  EXPECT_TRUE(found.on_processor);
  for (const ExplainRow& row : found.rows) {
    EXPECT_EQ(std::find(std::begin(kOfGpus), std::end(kOfGpus), row.cause), std::end(kOfGpus))
        << name_of(row.cause);
    EXPECT_FALSE(row.prognosis.gpu_load && *row.prognosis.gpu_load > 0) << name_of(row.cause);
    EXPECT_FALSE(row.prognosis.power_w) << name_of(row.cause);
  }
}

TEST(ExplainProcessor, NoCauseIsThatOfAGpu) {
  for (const double slower : {0.5, 1.0, 3.0, 20.0}) {
    expect_no_gpu(explained_on_processor(slower, sound_run()));
  }
}

ExplainAnswer explained_language(double slower, std::optional<measure::SeenRun> seen = {}) {
  ExplainQuestion question;
  question.workload.model = "zoo:qwen3-0.6b";
  question.device = processor_board();
  question.tokens_per_s = 1;
  question.tokens_per_s = 1 / (slower * explain(question).time.expected);
  question.seen = std::move(seen);
  return explain(question);
}

TEST(ExplainProcessor, LanguageModelsHaveCausesOfAProcessor) {
  EXPECT_EQ(explained_language(1).rows.front().cause, SlowCause::kNone);
  for (const double slower : {0.5, 2.0, 10.0}) {
    const ExplainAnswer found = explained_language(slower);
    expect_no_gpu(found);
    double parts_s = 0;
    for (const ExplainRow& row : found.rows) parts_s += row.time_s;
    EXPECT_NEAR(parts_s, found.gap_s(), 1e-9);
    for (const SlowCause cause : {SlowCause::kThreads, SlowCause::kPrecision,
                                  SlowCause::kContention, SlowCause::kContextLength}) {
      EXPECT_TRUE(std::any_of(found.rows.begin(), found.rows.end(), [&](const ExplainRow& row) {
        return row.cause == cause;
      })) << name_of(cause);
    }
  }
}

// What a server's main thread does, and which libraries it loads, is no sign: the cores tell.
TEST(ExplainProcessor, ALanguageModelOnOneOfTwoCoresIsTheThreads) {
  measure::SeenRun seen = sound_run();
  seen.libraries = std::vector<std::string>{};
  seen.main_idle = 0.9;
  seen.program_cores = 1;
  EXPECT_EQ(explained_language(2, seen).rows.front().cause, SlowCause::kThreads);
}

TEST(ExplainProcessor, ThePowerOfALanguageModelIsRefused) {
  ExplainQuestion question;
  question.workload.model = "zoo:qwen3-0.6b";
  question.device = processor_board();
  question.tokens_per_s = 7;
  question.power_w = 30;
  EXPECT_THROW((void)explain(question), NotSupportedError);
}

// With a GPU, the main thread waits for the GPU, so its activity is not evidence.
TEST(ExplainProcessor, WithAGpuTheMainThreadIsNoSign) {
  ExplainQuestion question;
  question.workload.model = "zoo:resnet18";
  question.device = "agx-orin";
  question.measured_s = 0.03;
  question.seen = measure::SeenRun{.time_s = 10};
  const ExplainAnswer without = explain(question);
  question.seen->main_idle = 0.8;
  question.seen->runtime_share = 0.1;
  question.seen->time_ratio = 4;
  const ExplainAnswer with = explain(question);
  ASSERT_EQ(with.rows.size(), without.rows.size());
  for (std::size_t i = 0; i < with.rows.size(); ++i) {
    EXPECT_EQ(with.rows[i].cause, without.rows[i].cause);
    EXPECT_DOUBLE_EQ(with.rows[i].probability, without.rows[i].probability);
  }
}

// A convolution whose input, weight and result are quantized, so ONNX Runtime multiplies integers.
std::string quantized_convolution() {
  workload::GraphBuilder g("quantized", 17);
  const auto there_and_back = [&g](const workload::GraphBuilder::Value& x) {
    const auto scale = g.scalar(0.1F);
    const auto zero = g.constant(std::vector<std::int8_t>{0}, {});
    return g.op("DequantizeLinear", {g.op("QuantizeLinear", {x, scale, zero}), scale, zero});
  };
  const auto x = there_and_back(g.input("x", {1, 256, 56, 56}));
  const auto weight = there_and_back(g.parameter("w", {256, 256, 3, 3}));
  const auto y = g.op("Conv", {x, weight}, {{"pads", std::vector<std::int64_t>(4, 1)}});
  g.output(there_and_back(y), "y", {1, 256, 56, 56});
  static const testing::TemporaryFolder folder;
  return folder.write("quantized.onnx", g.serialize());
}

// A graph of 8 bits shows which precision was intended, so the other precision is FP32.
TEST(ExplainProcessor, AGraphOfEightBitsMayRunInFp32) {
  const auto precision_of = [](const ExplainAnswer& found) {
    return std::find_if(found.rows.begin(), found.rows.end(),
                        [](const auto& row) { return row.cause == SlowCause::kPrecision; });
  };
  const ExplainAnswer quantized = explained_on_processor(2, sound_run(), quantized_convolution());
  const auto row = precision_of(quantized);
  ASSERT_NE(row, quantized.rows.end());
  EXPECT_EQ(row->prognosis.setting, "fp32");
  EXPECT_GT(row->prognosis.time_s, quantized.time.expected);
}

}  // namespace
}  // namespace ridgewatt::answer
