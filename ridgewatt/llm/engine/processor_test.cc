// Tests llama.cpp on CPU cores.
#include "ridgewatt/llm/processor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ridgewatt/llm/engine.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

using C = twin::CpuParam;

// The measured peak rates of two x86-64 cores with AVX-512.
twin::CpuTwin measured_processor() {
  return twin::prior_cpu_twin({{278.8e9, 40.39e9, 133.5e9}, {551.7e9, 46.82e9, 256.8e9}});
}

ProcessorWork work_of(const std::string& model, const std::string& quantization,
                      Request request = {}) {
  const LanguageModel zoo = read_language_model("zoo:" + model);
  const auto tensors = quantized(zoo.description, find_recipe(quantization));
  const EngineWork prompt = prompt_work(
      zoo.description, tensors, static_cast<double>(request.prompt_tokens), request.concurrency);
  return processor_work(zoo.description, tensors, request, prompt);
}

struct Speed {
  const char* model;
  const char* quantization;
  int threads;
  double prompt_per_s;  // tokens of a 128-token prompt per second; 0: not measured
  double context;
  double tokens_per_s;
};

class ProcessorSpeed : public ::testing::TestWithParam<Speed> {};

// Measured by llama-bench 0.5.0 on two x86-64 cores. No fit uses these models.
TEST_P(ProcessorSpeed, IsModelledWithinAQuarter) {
  const Speed& speed = GetParam();
  Request request;
  request.prompt_tokens = 128;
  const ProcessorWork work = work_of(speed.model, speed.quantization, request);
  const twin::CpuTwin twin = measured_processor();
  const double step_s = processor_step_s(twin, work, speed.context + 8.5, speed.threads);
  EXPECT_NEAR(std::log(step_s * speed.tokens_per_s), 0, std::log(1.25));
  if (speed.prompt_per_s == 0) return;
  const double prompt_s = processor_prompt_s(twin, work, speed.threads);
  EXPECT_NEAR(std::log(prompt_s * speed.prompt_per_s / 128), 0, std::log(1.25));
}
INSTANTIATE_TEST_SUITE_P(HeldOut, ProcessorSpeed,
                         ::testing::Values(Speed{"gemma3-1b", "q4_0", 2, 0, 2048, 43.78},
                                           Speed{"gemma3-1b", "q4_k_m", 2, 0, 1024, 34.63},
                                           Speed{"qwen2.5-1.5b", "f16", 2, 0, 1024, 12.23},
                                           Speed{"qwen2.5-1.5b", "f16", 2, 0, 2048, 11.43},
                                           Speed{"qwen2.5-1.5b", "q4_0", 2, 0, 1024, 30.32},
                                           Speed{"qwen2.5-1.5b", "q4_k_m", 2, 0, 2048, 27.89},
                                           Speed{"qwen2.5-1.5b", "q4_k_m", 2, 126.3, 0, 37.7},
                                           Speed{"qwen2.5-1.5b", "q8_0", 2, 104.1, 0, 21.77},
                                           Speed{"smollm2-1.7b", "f16", 1, 25.78, 0, 9.614},
                                           Speed{"smollm2-1.7b", "f16", 2, 0, 1024, 9.415},
                                           Speed{"smollm2-1.7b", "f16", 2, 50.05, 0, 12.05},
                                           Speed{"smollm2-1.7b", "q4_0", 2, 0, 1024, 21.52},
                                           Speed{"smollm2-1.7b", "q4_0", 2, 0, 2048, 18.34},
                                           Speed{"smollm2-1.7b", "q4_0", 2, 171.9, 0, 34.57},
                                           Speed{"smollm2-1.7b", "q4_k_m", 1, 52.97, 0, 23.48},
                                           Speed{"smollm2-1.7b", "q8_0", 2, 0, 1024, 15.81}));

TEST(Processor, MoreThreadsAndShorterContextsAreFaster) {
  const twin::CpuTwin twin = measured_processor();
  const ProcessorWork work = work_of("qwen3-0.6b", "q8_0");
  EXPECT_LT(processor_step_s(twin, work, 512, 2), processor_step_s(twin, work, 512, 1));
  EXPECT_LT(processor_prompt_s(twin, work, 2), processor_prompt_s(twin, work, 1));
  const auto step_s = [&](double context) { return processor_step_s(twin, work, context, 2); };
  EXPECT_NEAR(step_s(2000) - step_s(1000), step_s(3000) - step_s(2000), 1e-9);
  EXPECT_GT(step_s(2000), step_s(1000));
}

TEST(Processor, AWindowEndsTheGrowthOfAStep) {
  // Gemma 3: 5 of 6 layers attend to 512 tokens.
  const twin::CpuTwin twin = measured_processor();
  const ProcessorWork work = work_of("gemma3-1b", "q8_0");
  const auto step_s = [&](double context) { return processor_step_s(twin, work, context, 2); };
  const double within = step_s(500) - step_s(400), beyond = step_s(1100) - step_s(1000);
  EXPECT_NEAR(beyond / within, 4.0 / 26, 0.01);
}

TEST(Processor, AStepReadsTheExpertsOfItsTokenAlone) {
  const twin::CpuTwin twin = measured_processor();
  const ProcessorWork work = work_of("qwen3-30b-a3b", "q4_0");
  double bytes = 0;
  for (const auto& stored : work.stored) bytes += stored.step_bytes;
  EXPECT_GT(bytes, 1.5e9);  // 3.3 billion weights of about 4.5 bits
  EXPECT_LT(bytes, 2.5e9);
  EXPECT_GT(processor_step_s(twin, work, 512, 2), bytes / 60e9);
}

struct SharedStep {
  const char* quantization;
  int sequences;
  double time_s;
};

class ProcessorSequences : public ::testing::TestWithParam<SharedStep> {};

// Steps of Qwen2.5-1.5B on one x86-64 core, measured by llama-batched-bench 0.5.0 with contexts of
// 16 to 22 tokens. The priors are from Qwen3-0.6B.
TEST_P(ProcessorSequences, ShareAStep) {
  Request request;
  request.concurrency = GetParam().sequences;
  const ProcessorWork work = work_of("qwen2.5-1.5b", GetParam().quantization, request);
  const double step_s = processor_step_s(measured_processor(), work, 19.5, 1);
  EXPECT_NEAR(std::log(step_s / GetParam().time_s), 0, std::log(1.4));
}
INSTANTIATE_TEST_SUITE_P(
    HeldOut, ProcessorSequences,
    ::testing::Values(SharedStep{"q4_0", 2, 0.0768}, SharedStep{"q4_0", 8, 0.177},
                      SharedStep{"q4_0", 16, 0.25}, SharedStep{"q8_0", 2, 0.2109},
                      SharedStep{"q8_0", 4, 0.2896}, SharedStep{"q8_0", 8, 0.3118},
                      SharedStep{"q8_0", 16, 0.4916}, SharedStep{"q4_k_m", 2, 0.0743},
                      SharedStep{"q4_k_m", 4, 0.1266}, SharedStep{"q4_k_m", 8, 0.2164},
                      SharedStep{"q4_k_m", 16, 0.334}));

TEST(Processor, EachFurtherSequenceTakesTime) {
  double last_s = 0;
  for (const int sequences : {1, 2, 3, 16, 17, 100}) {
    Request request;
    request.concurrency = sequences;
    const double step_s =
        processor_step_s(measured_processor(), work_of("qwen3-0.6b", "f16", request), 64, 2);
    EXPECT_GT(step_s, last_s) << sequences;
    last_s = step_s;
  }
}

TEST(Processor, DerivedRatesAreKnown) {
  EXPECT_EQ(derived_share(work_of("qwen3-0.6b", "q4_k_m")), 0);
  EXPECT_GT(derived_share(work_of("qwen3-0.6b", "q5_0")), 0.5);
}

}  // namespace
}  // namespace ridgewatt::llm
