// Forecasts: sums of their parts, and which way they go with clocks, context and sequences.
#include "ridgewatt/llm/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/footprint.h"
#include "ridgewatt/llm/language_model.h"

namespace ridgewatt::llm {
namespace {

Forecaster forecaster_of(const std::string& engine, const std::string& model,
                         const std::string& quantization, const std::string& board,
                         const Request& request = {}) {
  const auto description = read_language_model("zoo:" + model).description;
  return {find_engine(engine), description, quantized(description, find_recipe(quantization)),
          load_board(board), request};
}

PowerMode top_of(const std::string& board) {
  return knob_space(load_board(board)).top();
}

TEST(Forecast, EveryEngineForetellsOnEveryBoardWithARate) {
  for (const ShippedEngine& engine : engines()) {
    for (const char* board :
         {"agx-orin-32gb@super", "agx-orin", "orin-nano-8gb@super", "orin-nx-16gb", "thor"}) {
      const auto forecast =
          forecaster_of(engine.name, "llama-3.2-1b", "q4_k_m", board)(top_of(board));
      for (const Foretold& figure :
           {forecast.ttft_s, forecast.tpot_s, forecast.tokens_per_s, forecast.prefill_power_w,
            forecast.decode_power_w, forecast.joules_per_token, forecast.request_j}) {
        EXPECT_GT(figure.low, 0) << engine.name << board;
        EXPECT_LT(figure.low, figure.value) << engine.name << board;
        EXPECT_LT(figure.value, figure.high) << engine.name << board;
      }
      EXPECT_FALSE(forecast.limited_by.empty());
    }
  }
}

TEST(Forecast, SumsAreThoseOfItsParts) {
  Request request;
  request.concurrency = 4;
  const auto f =
      forecaster_of("vllm", "llama-3.2-3b", "f16", "agx-orin", request)(top_of("agx-orin"));
  EXPECT_NEAR(f.tokens_per_s.value, 4 / f.tpot_s.value, 1e-9);
  EXPECT_NEAR(f.joules_per_token.value, f.decode_power_w.value * f.tpot_s.value / 4, 1e-9);
  EXPECT_NEAR(f.request_s, f.ttft_s.value + 255 * f.tpot_s.value, 1e-9);
  EXPECT_NEAR(
      f.request_j.value,
      (f.prefill_power_w.value * f.ttft_s.value + f.decode_power_w.value * 255 * f.tpot_s.value) /
          4,
      1e-9);
}

TEST(Forecast, LowerClocksAreSlowerAndDrawLess) {
  for (const ShippedEngine& engine : engines()) {
    const auto forecaster =
        forecaster_of(engine.name, "llama-3.2-1b", "q8_0", "agx-orin-32gb@super");
    const KnobSpace space = knob_space(load_board("agx-orin-32gb@super"));
    const PowerMode top = space.top();
    const Forecast high = forecaster(top);
    for (const Knob knob : {Knob::kCpuClock, Knob::kGpuClock, Knob::kMemClock}) {
      PowerMode low = top;
      low.set(knob, top.get(knob) / 3);
      const Forecast slow = forecaster(low);
      EXPECT_GE(slow.tpot_s.value, high.tpot_s.value) << engine.name;
      EXPECT_GE(slow.ttft_s.value, high.ttft_s.value) << engine.name;
      EXPECT_LT(slow.decode_power_w.value, high.decode_power_w.value) << engine.name;
      EXPECT_LE(slow.prefill_power_w.value, high.prefill_power_w.value) << engine.name;
    }
  }
}

TEST(Forecast, BadRequestsAndNamesAreRefused) {
  Request request;
  request.prompt_tokens = 0;
  EXPECT_THROW(forecaster_of("vllm", "llama-3.2-1b", "f16", "agx-orin", request), UsageError);
  request = {};
  request.generated_tokens = 0;
  EXPECT_THROW(forecaster_of("vllm", "llama-3.2-1b", "f16", "agx-orin", request), UsageError);
  request = {};
  request.concurrency = 0;
  EXPECT_THROW(forecaster_of("vllm", "llama-3.2-1b", "f16", "agx-orin", request), UsageError);
  EXPECT_THROW(find_engine("ollama"), Error);
  EXPECT_EQ(find_engine("vLLM").name, "vllm");
}

}  // namespace
}  // namespace ridgewatt::llm
