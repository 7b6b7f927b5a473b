// Tests forecasts: sums of their parts, and how they change with clocks, context and sequences.
#include "ridgewatt/llm/forecast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ridgewatt/base/error.h"
#include "ridgewatt/llm/engine_file.h"
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

// label: slow
TEST(Forecast, EveryEnginePredictsOnEveryBoardWithARate) {
  for (const ShippedEngine& engine : engines()) {
    for (const char* board :
         {"agx-orin-32gb@super", "agx-orin", "orin-nano-8gb@super", "orin-nx-16gb", "thor"}) {
      const auto forecast =
          forecaster_of(engine.name, "llama-3.2-1b", "q4_k_m", board)(top_of(board));
      for (const PredictedValue& figure :
           {forecast.ttft_s, forecast.tpot_s, forecast.tokens_per_s, forecast.prefill_power_w,
            forecast.decode_power_w, forecast.joules_per_token, forecast.request_j}) {
        EXPECT_GT(figure.low, 0) << engine.name << board;
        EXPECT_LE(figure.low, figure.value) << engine.name << board;
        EXPECT_LE(figure.value, figure.high) << engine.name << board;
        EXPECT_LT(figure.low, figure.high) << engine.name << board;
      }
      EXPECT_FALSE(forecast.limited_by.empty());
    }
  }
}

// In all presets: power is between idle power and the module's limit, prefill draws at least as
// much power as decode, and no phase exceeds the roofs of its traffic and work.
TEST(Forecast, FiguresEndWherePhysicsEnds) {
  for (const char* name : {"agx-orin", "orin-nano-8gb@super", "xavier-nx", "nano", "thor"}) {
    const Board board = load_board(name);
    for (const auto& [engine, quantization] :
         {std::pair{"llama.cpp", "q4_k_m"}, std::pair{"vllm", "int8"}, std::pair{"vllm", "f16"}}) {
      const auto forecaster = forecaster_of(engine, "llama-3.2-1b", quantization, name);
      const auto description = read_language_model("zoo:llama-3.2-1b").description;
      const auto tensors = quantized(description, find_recipe(quantization));
      const auto [prompt, step] = phases_of(*request_work(description, tensors, {}));
      for (const auto& preset : presets(board)) {
        const Forecast f = forecaster(preset.mode);
        for (const PredictedValue& power : {f.prefill_power_w, f.decode_power_w}) {
          EXPECT_GE(power.low, f.idle_w) << name << engine;
          EXPECT_LE(power.low, power.value) << name << engine;
          EXPECT_LE(power.value, power.high) << name << engine;
          EXPECT_LE(power.high, board.power_limit_w.value()) << name << engine;
        }
        EXPECT_GE(f.prefill_power_w.value, f.decode_power_w.value) << name << engine;
        const double bytes_per_s = peak_bandwidth(board, preset.mode);
        const double flop_per_s = peak_flops(board, preset.mode, forecaster.arithmetic());
        EXPECT_GE(f.tpot_s.low, step.traffic_bytes / bytes_per_s) << name << engine;
        EXPECT_GE(f.ttft_s.low, prompt.traffic_bytes / bytes_per_s) << name << engine;
        EXPECT_GE(f.ttft_s.low, prompt.work_flop / flop_per_s) << name << engine;
      }
    }
  }
}

// The published rates of llama-bench (docs/results/discrete_gpus.md). The factor of the host was
// fitted to the first four.
TEST(Forecast, LlamaCppOnDiscreteGpusIsAsPublished) {
  struct Published {
    const char *board, *quantization;
    double tokens_per_s;
    bool fitted;
  };
  const Published rows[] = {
      {"rtx-4090", "q4_k_m", 127.74, true},  {"rtx-4090", "f16", 54.34, true},
      {"rtx-3090", "q4_k_m", 111.74, true},  {"rtx-3090", "f16", 46.51, true},
      {"a40", "q4_k_m", 88.95, false},       {"a40", "f16", 33.95, false},
      {"a100-sxm", "q4_k_m", 133.38, false}, {"a100-sxm", "f16", 53.18, false}};
  for (const Published& row : rows) {
    const Forecast f =
        forecaster_of("llama.cpp", "llama-3-8b", row.quantization, row.board,
                      {.prompt_tokens = 1, .generated_tokens = 1024})(top_of(row.board));
    EXPECT_LE(f.tokens_per_s.low, row.tokens_per_s) << row.board << row.quantization;
    EXPECT_GE(f.tokens_per_s.high, row.tokens_per_s) << row.board << row.quantization;
    if (!row.fitted) continue;
    EXPECT_NEAR(f.tokens_per_s.value / row.tokens_per_s, 1, 0.1) << row.board << row.quantization;
  }
}

// A lower power limit lowers the clock of a discrete GPU until it holds: no phase is faster, and
// none draws more. Governors are not modelled.
TEST(Forecast, APowerLimitSlowsADiscreteGpu) {
  const auto names_clock = ::testing::Contains(::testing::HasSubstr("the power limit, at a GPU"));
  for (const char* name : {"rtx-4090", "a100-sxm", "v100-pcie"}) {
    const auto forecaster = forecaster_of("llama.cpp", "llama-3.1-8b", "q4_k_m", name);
    Forecast last;
    last.ttft_s.value = last.tpot_s.value = std::numeric_limits<double>::infinity();
    double slowest_s = 0;
    for (const Preset& preset : presets(load_board(name))) {
      const Forecast f = forecaster(preset.mode);
      const double limit_w = *power_limit_w(preset.mode);
      EXPECT_LE(f.ttft_s.value, last.ttft_s.value * (1 + 1e-9)) << name << preset.name;
      EXPECT_LE(f.tpot_s.value, last.tpot_s.value * (1 + 1e-9)) << name << preset.name;
      EXPECT_LE(f.tpot_s.low, f.tpot_s.value) << name << preset.name;
      EXPECT_LT(f.prefill_power_w.low, f.prefill_power_w.high) << name << preset.name;
      if (!f.over_limit) {
        EXPECT_LE(f.decode_power_w.value, limit_w * (1 + 1e-6)) << name << preset.name;
        EXPECT_LE(f.prefill_power_w.value, limit_w * (1 + 1e-6)) << name << preset.name;
      }
      if (slowest_s == 0) {
        slowest_s = f.ttft_s.value;
        EXPECT_THAT(f.bounded_by, names_clock) << name;
      }
      last = f;
    }
    EXPECT_GT(slowest_s, 1.2 * last.ttft_s.value) << name;
  }
  PowerMode governed;
  governed.governor = "schedutil";
  EXPECT_THROW(forecaster_of("llama.cpp", "llama-3.1-8b", "q4_k_m", "rtx-4090")(governed),
               NotSupportedError);
}

// A board whose power exceeds its limit would lower its clocks. How far is not known, so only the
// upper ends of the times grow.
TEST(Forecast, ABoardOverItsLimitMayTakeLonger) {
  Board free = load_board("nano");
  free.power_limit_w = 1000;
  const auto description = read_language_model("zoo:qwen3-0.6b").description;
  const auto tensors = quantized(description, find_recipe("q4_k_m"));
  const PowerMode top = top_of("nano");
  const Forecast unlimited =
      Forecaster(find_engine("llama.cpp"), description, tensors, free, {})(top);
  const Forecast limited =
      Forecaster(find_engine("llama.cpp"), description, tensors, load_board("nano"), {})(top);
  ASSERT_GT(unlimited.decode_power_w.value, 10);
  EXPECT_FALSE(unlimited.over_limit);
  EXPECT_TRUE(limited.over_limit);
  EXPECT_DOUBLE_EQ(limited.tpot_s.value, unlimited.tpot_s.value);
  EXPECT_GT(limited.tpot_s.high, unlimited.tpot_s.high);
  EXPECT_GT(limited.ttft_s.high, unlimited.ttft_s.high);
  EXPECT_DOUBLE_EQ(limited.decode_power_w.value, 10);
  EXPECT_LT(limited.decode_power_w.low, 10);
  EXPECT_THAT(limited.widened_by, ::testing::Contains(::testing::HasSubstr("limit of 10 W")));
}

// If the power limit cuts a figure, the forecast names the limit.
TEST(Forecast, ItSaysWhatCutsAFigure) {
  const Forecast f = forecaster_of("llama.cpp", "llama-3.1-8b", "q4_k_m", "nano")(top_of("nano"));
  EXPECT_DOUBLE_EQ(f.decode_power_w.high, 10);
  EXPECT_THAT(f.bounded_by, ::testing::Contains("decode_power_w: the module's limit"));
}

// A GPU without 8-bit units widens 8-bit weights: products are not faster, and the forecast states
// the reason.
TEST(Forecast, WhatTheGpuCannotMultiplyIsSaid) {
  const auto reason = ::testing::Contains(::testing::HasSubstr("fp8: the GPU has no units"));
  const auto orin = forecaster_of("vllm", "llama-3.2-1b", "fp8", "agx-orin");
  EXPECT_THAT(orin.widened_by(), reason);
  EXPECT_EQ(orin.arithmetic(), Arithmetic::kFp16);
  const auto thor = forecaster_of("vllm", "llama-3.2-1b", "fp8", "thor");
  EXPECT_THAT(thor.widened_by(), ::testing::Not(reason));
  EXPECT_EQ(thor.arithmetic(), Arithmetic::kFp8);
  EXPECT_EQ(forecaster_of("vllm", "llama-3.2-1b", "int8", "agx-orin").arithmetic(),
            Arithmetic::kInt8);
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

// Several sequences at once: each takes longer, but the total throughput rises. A longer context
// takes longer.
TEST(Forecast, SequencesShareTheWeights) {
  for (const char* engine : {"tensorrt-llm", "llama.cpp", "vllm"}) {
    Request one, eight;
    eight.concurrency = 8;
    const auto board = "agx-orin-32gb@super";
    const auto alone = forecaster_of(engine, "llama-3.1-8b", "int8", board, one);
    const auto together = forecaster_of(engine, "llama-3.1-8b", "int8", board, eight);
    const Forecast a = alone(top_of(board)), b = together(top_of(board));
    EXPECT_GT(b.tpot_s.value, a.tpot_s.value) << engine;
    EXPECT_LT(b.tpot_s.value, 3 * a.tpot_s.value) << engine;
    EXPECT_GT(b.tokens_per_s.value, 2 * a.tokens_per_s.value) << engine;
    EXPECT_LT(b.joules_per_token.value, a.joules_per_token.value) << engine;
    EXPECT_GT(b.ttft_s.value, 4 * a.ttft_s.value) << engine;
    EXPECT_FALSE(together.widened_by().empty());
    EXPECT_GT(alone.step_s(top_of(board), 8192), alone.step_s(top_of(board), 512)) << engine;
  }
}

// The time per token is the mean over the steps of the generation, also if a window limits the
// growth of a step.
TEST(Forecast, ATokenIsTheMeanOfItsSteps) {
  for (const char* model : {"llama-3.2-1b", "gemma3-1b"}) {
    Request request;
    request.prompt_tokens = 300;
    request.generated_tokens = 1000;
    const auto forecaster =
        forecaster_of("tensorrt-llm", model, "f16", "agx-orin-32gb@super", request);
    const PowerMode top = top_of("agx-orin-32gb@super");
    double sum = 0;
    for (std::int64_t i = 1; i < request.generated_tokens; ++i) {
      sum += forecaster.step_s(top, request.prompt_tokens + i);
    }
    EXPECT_NEAR(forecaster(top).tpot_s.value, sum / 999, 2e-3 * sum / 999) << model;
  }
}

// Two of eight experts are active: a token of Mixtral takes the time of 12.9 B parameters, not of
// 46.7 B.
TEST(Forecast, OnlyRoutedExpertsAreRead) {
  const auto board = "thor";
  const double mixture =
      forecaster_of("vllm", "mixtral-8x7b", "awq", board)(top_of(board)).tpot_s.value;
  const double small =
      forecaster_of("vllm", "llama-3.1-8b", "awq", board)(top_of(board)).tpot_s.value;
  const double large =
      forecaster_of("vllm", "llama-3.3-70b", "awq", board)(top_of(board)).tpot_s.value;
  EXPECT_GT(mixture, 0.9 * small);
  EXPECT_LT(mixture, 0.45 * large);
}

// An interval wider than a factor of 6 states which quantity is most uncertain, and says if it
// belongs to a step.
TEST(Forecast, WideIntervalsStateAReason) {
  const auto wide = [](const PredictedValue& one) { return one.high > 6 * one.low; };
  const Board board = load_board("agx-orin-32gb");
  std::size_t steps = 0;
  for (const char* quantization : {"q4_k_m", "q5_1", "q8_0", "f16"}) {
    const auto forecaster =
        forecaster_of("llama.cpp", "llama-3.2-1b", quantization, "agx-orin-32gb");
    for (const auto& preset : presets(board)) {
      const Forecast found = forecaster(preset.mode);
      const bool step = wide(found.tpot_s) || wide(found.joules_per_token);
      if (found.over_limit) continue;  // has a reason of its own
      EXPECT_EQ(!found.widened_by.empty(), wide(found.ttft_s) || wide(found.request_j) || step)
          << preset.name;
      if (!step) continue;
      EXPECT_THAT(found.widened_by, ::testing::Contains(::testing::HasSubstr("time per token: ")));
      ++steps;
    }
  }
  EXPECT_GT(steps, 0U);
}

// Intervals are wider for boards and engines without measured cells, and the forecast states why.
TEST(Forecast, IntervalsAreWiderWhereLessIsKnown) {
  const auto width = [](const PredictedValue& one) { return one.high / one.low; };
  const auto home = forecaster_of("tensorrt-llm", "llama-3.1-8b", "f16", "agx-orin-32gb@super");
  const auto away = forecaster_of("tensorrt-llm", "llama-3.1-8b", "f16", "thor");
  const auto unseen = forecaster_of("mlc", "llama-3.1-8b", "f16", "agx-orin-32gb@super");
  EXPECT_TRUE(home.widened_by().empty());
  EXPECT_THAT(away.widened_by(), ::testing::ElementsAre(::testing::HasSubstr("another board")));
  EXPECT_THAT(unseen.widened_by(), ::testing::ElementsAre(::testing::HasSubstr("another board"),
                                                          ::testing::HasSubstr("no prompt")));
  const Forecast at_home = home(top_of("agx-orin-32gb@super"));
  EXPECT_GT(width(away(top_of("thor")).tpot_s), width(at_home.tpot_s));
  EXPECT_GT(width(unseen(top_of("agx-orin-32gb@super")).tpot_s), width(at_home.tpot_s));
}

// Issue 24: the time per token is bound by the weights. No board reads them faster than its memory
// allows.
TEST(Forecast, TensorRtInInt8IsBoundByItsWeights) {
  const auto description = read_language_model("zoo:llama-3.2-1b").description;
  const auto tensors = quantized(description, find_recipe("int8"));
  const Forecast found = forecaster_of("tensorrt-llm", "llama-3.2-1b", "int8",
                                       "agx-orin-32gb@super")(top_of("agx-orin-32gb@super"));
  const double least_s =
      decode_step(description, tensors, StoredType::kF16, 512, 1).bytes() / 204.8e9;
  EXPECT_GT(found.tpot_s.value, least_s);
  EXPECT_LT(found.tpot_s.value, 2 * least_s);
  EXPECT_EQ(found.limited_by, "weights");
  EXPECT_GT(found.decode_power_w.value, 25);
  EXPECT_LT(found.decode_power_w.value, 60);
}

// The predicted power must not exceed what an Orin Nano can draw.
TEST(Forecast, AnOrinNanoDrawsLess) {
  const auto small = "orin-nano-8gb@super", large = "agx-orin-32gb@super";
  for (const ShippedEngine& engine : engines()) {
    const Forecast nano = forecaster_of(engine.name, "llama-3.2-1b", "q4_0", small)(top_of(small));
    const Forecast agx = forecaster_of(engine.name, "llama-3.2-1b", "q4_0", large)(top_of(large));
    EXPECT_LT(nano.decode_power_w.value, 25) << engine.name;
    EXPECT_LT(nano.prefill_power_w.value, 27) << engine.name;
    EXPECT_LT(nano.decode_power_w.value, 0.75 * agx.decode_power_w.value) << engine.name;
  }
}

TEST(EngineFile, ComesBackAsItWasWritten) {
  const std::string text = engines_toml(shipped_engine_file());
  EXPECT_EQ(engines_toml(parse_engines(text, "engines.toml")), text);
}

TEST(EngineFile, DamageIsNamed) {
  const std::string text = engines_toml(shipped_engine_file());
  const auto refused = [&](const std::string& old, const std::string& now) {
    std::string damaged = text;
    const auto found = damaged.find(old);
    ASSERT_NE(found, std::string::npos) << old;
    damaged.replace(found, old.size(), now);
    EXPECT_THROW(parse_engines(damaged, "engines.toml"), InputError) << now;
  };
  refused("weights = [", "weights = [-");
  refused("weights = [", "weights = [nan, ");
  refused("rows = ", "rows = -");
  refused("cache = ", "cash = ");
  refused("step_scale = ", "step_scale = 0 # ");
  refused("title = ", "titel = ");
  refused("dynamic_power = ", "dynamic_power = -");
  refused("[[engine]]", "[engine]");
  EXPECT_THROW(parse_engines("", "engines.toml"), InputError);
  EXPECT_THROW(parse_engines("engine = 3", "engines.toml"), InputError);
  EXPECT_THROW(parse_engines(text.substr(0, text.size() / 2), "engines.toml"), InputError);
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
