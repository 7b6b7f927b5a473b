// Tests the question about language models: sums, units and choices are compared with values
// computed by hand.
#include "ridgewatt/answer/language.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/answer/language_tune.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/base/statistics.h"
#include "ridgewatt/llm/forecast.h"

namespace ridgewatt::answer {
namespace {

using ::testing::HasSubstr;

LanguageAnswer ask(const LanguageQuestion& question, const char* model = "zoo:llama-3.1-8b",
                   const char* board = "agx-orin") {
  return ask_language(question, llm::read_language_model(model), {load_board(board)});
}

LanguageQuestion question_of(const char* quantization, const char* modes = "maxn") {
  LanguageQuestion question;
  question.quantizations = {quantization};
  question.modes = modes;
  return question;
}

TEST(Language, MemoryIsTheSumByHand) {
  LanguageQuestion question = question_of("q4_k_m");
  question.request = {.prompt_tokens = 3000, .generated_tokens = 1096, .concurrency = 2};
  question.contexts = {8192};
  const LanguageAnswer found = ask(question);
  const llm::Fit& fit = found.memory_of(found.rows.front()).fit;
  // 8 heads of 128 numbers of 2 bytes, keys and values, 32 layers: 131,072 bytes per token.
  EXPECT_EQ(fit.kv_bytes, 2.0 * 4096 * 131072);
  EXPECT_EQ(found.memory_of(found.rows.front()).at_contexts.front().kv_bytes, 2.0 * 8192 * 131072);
  EXPECT_NEAR(fit.weights_bytes / (1 << 30), 4.58, 0.003 * 4.58);  // llama.cpp's table
  EXPECT_DOUBLE_EQ(LanguageMemory::needed_bytes(fit) + fit.system_bytes + fit.left_bytes(),
                   fit.board_bytes);
}

TEST(Language, FiguresOfARowBelongTogether) {
  LanguageQuestion question = question_of("q4_k_m");
  question.request = {.prompt_tokens = 512, .generated_tokens = 256, .concurrency = 4};
  const LanguageAnswer found = ask(question);
  const llm::Forecast& row = found.rows.front().forecast;
  EXPECT_NEAR(row.tokens_per_s.value, 4 / row.tpot_s.value, 1e-9 * row.tokens_per_s.value);
  EXPECT_NEAR(row.joules_per_token.value, row.decode_power_w.value * row.tpot_s.value / 4,
              1e-9 * row.joules_per_token.value);
  EXPECT_NEAR(row.request_s, row.ttft_s.value + 255 * row.tpot_s.value, 1e-9 * row.request_s);
  for (const llm::PredictedValue* figure :
       {&row.ttft_s, &row.tpot_s, &row.tokens_per_s, &row.prefill_power_w, &row.decode_power_w,
        &row.joules_per_token, &row.request_j}) {
    EXPECT_LT(figure->low, figure->value);
    EXPECT_GT(figure->high, figure->value);
  }
}

TEST(Language, BoardsAreOneOrAllOrAList) {
  const auto boards = boards_named("orin-nano@super, thor");
  ASSERT_EQ(boards.size(), 2U);
  EXPECT_EQ(boards[0].name, "orin-nano-8gb");
  EXPECT_EQ(boards[0].bsp, "super");
  EXPECT_EQ(boards[1].name, "thor");
  EXPECT_EQ(boards_named("nano").size(), 1U);
  EXPECT_EQ(boards_named("nano, thor, nano").size(), 2U);
  EXPECT_EQ(boards_named("all").size(), list_boards().size());
  EXPECT_THROW(boards_named("nano,thorn"), NotFoundError);
  EXPECT_THROW(boards_named(""), NotFoundError);
}

// Every step reads each cached token once. In a model without windows, the time of a step is
// therefore linear in the context.
TEST(Language, TimePerTokenIsLinearInContext) {
  LanguageQuestion question = question_of("f16");
  question.contexts = {1000, 5000, 21000, 85000};
  const std::vector<double> step_s = ask(question).rows.front().step_s;
  const double first = (step_s[1] - step_s[0]) / 4000;
  EXPECT_GT(first, 0);
  EXPECT_NEAR((step_s[2] - step_s[1]) / 16000, first, 1e-6 * first);
  EXPECT_NEAR((step_s[3] - step_s[2]) / 64000, first, 1e-6 * first);
}

// Decoding one sequence reads every weight for two FLOP. A prompt of 512 tokens uses each weight
// that it reads 512 times.
TEST(Language, PhasesLieOnBothSidesOfTheRidge) {
  const LanguageAnswer found = ask(question_of("f16"));
  const double ridge = roof_of(found.boards.front(), found.rows.front().mode).ridge();
  const auto& steps = found.weights.front().steps;
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_GT(steps[0].intensity(), ridge);
  EXPECT_LT(steps[1].intensity(), 2);
  EXPECT_NEAR(steps[1].intensity(), 1, 0.2);
  // 2 x 7.5e9 parameters of layers and head; all but the head are used for each of the 512 tokens.
  EXPECT_NEAR(steps[0].work_flop, 2 * 512 * 6.98e9, 0.05 * 2 * 512 * 6.98e9);
}

// The ridge counts the multiprocessors that a preset leaves on, as the times do.
TEST(Language, ARidgeCountsTheSmsOfItsPreset) {
  const Board board = load_board("agx-orin");
  PowerMode mode = find_preset(board, "MODE_15W").mode;
  const double with_six = roof_of(board, mode).ridge();
  mode.cpu_cores = 5;  // no preset
  EXPECT_NEAR(with_six / roof_of(board, mode).ridge(), 6.0 / 16, 1e-12);
}

TEST(Language, CombinationsThatDoNotExistAreRefused) {
  LanguageQuestion question = question_of("q4_k_m");
  question.runtimes = {"tensorrt-llm"};
  try {
    ask(question);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("tensorrt-llm does not run q4_k_m: it takes f16"));
  }
  question.runtimes = {"tensorrt-llm", "llama.cpp"};
  const LanguageAnswer found = ask(question);
  EXPECT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.left_out.size(), 1U);
  // Ampere does not compute in FP8; Blackwell does.
  question = question_of("fp8");
  question.runtimes = {"tensorrt-llm"};
  EXPECT_THROW(ask(question), UsageError);
  EXPECT_EQ(ask(question, "zoo:llama-3.1-8b", "thor").rows.size(), 1U);
}

TEST(Language, TheUsualEngineIsTheFirstThatReadsTheFormat) {
  for (const char* board : {"agx-orin", "thor"}) {
    for (const auto& [quantization, engine] :
         {std::pair("q4_k_m", "llama.cpp"), {"fp8", "vllm"}, {"nvfp4", "vllm"}, {"awq", "vllm"}}) {
      const LanguageAnswer found = ask(question_of(quantization), "zoo:llama-3.1-8b", board);
      EXPECT_EQ(found.setting_of(found.rows.front()).engine->name, engine) << quantization;
    }
  }
}

// Kernels that widen FP8 need compute capability 8.0, which Orin has and Xavier does not.
TEST(Language, Fp8NeedsUnitsOrKernelsThatWidenIt) {
  LanguageQuestion question = question_of("fp8");
  question.runtimes = {"vllm"};
  EXPECT_EQ(ask(question, "zoo:llama-3.2-1b").rows.size(), 1U);
  try {
    ask(question, "zoo:llama-3.2-1b", "xavier-nx");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr("its GPU neither computes in FP8 nor widens it"));
  }
}

// The roof must be that of the arithmetic in which the engine computes products.
TEST(Language, NoPhaseLiesAboveItsRoof) {
  for (const char* quantization : {"int8", "fp8", "f16"}) {
    LanguageQuestion question = question_of(quantization, "presets");
    question.runtimes = {"vllm"};
    for (const char* board : {"agx-orin", "thor"}) {
      const LanguageAnswer found = ask(question, "zoo:llama-3.1-8b", board);
      for (const auto& row : found.rows) {
        const LanguageRoof roof = roof_of(found, row);
        const auto& steps = found.weights.front().steps;
        for (const auto& [step, figure] :
             {std::pair{steps[0], row.forecast.ttft_s}, std::pair{steps[1], row.forecast.tpot_s}}) {
          const double least_s =
              std::max(step.work_flop / roof.flop_per_s, step.traffic_bytes / roof.bytes_per_s);
          EXPECT_GE(figure.low, least_s * (1 - 1e-9)) << quantization << board;
        }
      }
    }
  }
}

TEST(Language, WithoutARuntimeTheFirstThatRunsIt) {
  EXPECT_EQ(ask(question_of("q6_k")).settings.front().engine->name, "llama.cpp");
  EXPECT_EQ(ask(question_of("awq")).settings.front().engine->name, "vllm");
  const LanguageAnswer usual = ask({});
  EXPECT_EQ(usual.settings.front().engine->name, "llama.cpp");
  EXPECT_EQ(usual.weights.front().name, "q4_k_m");
  LanguageQuestion every;
  every.runtimes = runtimes_named("all");
  EXPECT_EQ(ask(every).settings.size(), every.runtimes.size());
}

TEST(Language, RequestsThatMeanNothingAreRefused) {
  for (const llm::Request& request :
       {llm::Request{.prompt_tokens = 0}, llm::Request{.generated_tokens = 0},
        llm::Request{.concurrency = 0}, llm::Request{.prompt_tokens = -5},
        llm::Request{.prompt_tokens = std::int64_t{1} << 62},
        llm::Request{.prompt_tokens = 1 << 20, .concurrency = 1 << 20}}) {
    LanguageQuestion question = question_of("q4_k_m");
    question.request = request;
    EXPECT_THROW(ask(question), UsageError);
  }
  LanguageQuestion question = question_of("q4_k_m");
  question.contexts = {0};
  EXPECT_THROW(ask(question), UsageError);
  EXPECT_THROW(ask(question_of("q9_z")), UsageError);
  question = question_of("q4_k_m");
  question.runtimes = {"no-such-engine"};
  EXPECT_THROW(ask(question), UsageError);
}

TEST(Language, WhatDoesNotFitHasFiguresAndIsOnNoFront) {
  const LanguageAnswer found =
      ask(question_of("q4_k_m", "presets"), "zoo:llama-3.3-70b", "orin-nano-8gb");
  EXPECT_FALSE(found.memory.front().fit.fits());
  for (const LanguageRow& row : found.rows) {
    EXPECT_GT(row.forecast.tpot_s.value, 0);
    EXPECT_FALSE(row.on_front);
  }
}

TEST(Language, NoRowBeatsOneOnTheFront) {
  const LanguageAnswer found =
      ask(question_of("q4_k_m", "all"), "zoo:qwen3-0.6b", "orin-nano-8gb@super");
  std::size_t on = 0;
  for (const LanguageRow& front : found.rows) {
    if (!front.on_front) continue;
    ++on;
    for (const LanguageRow& row : found.rows) {
      EXPECT_FALSE(row.forecast.tokens_per_s.value > front.forecast.tokens_per_s.value &&
                   row.forecast.joules_per_token.value < front.forecast.joules_per_token.value);
    }
  }
  EXPECT_GT(on, 1U);
}

class TuneLanguage : public ::testing::Test {
 protected:
  static LanguageAnswer rows(const llm::Request& request = {}) {
    LanguageQuestion question = question_of("q4_k_m", "all");
    question.request = request;
    question.contexts = {1024};
    return ask(question, "zoo:llama-3.2-1b", "orin-nano-8gb@super");
  }
  // The `share` quantile of a figure over all rows, as a limit that some modes meet and some do
  // not.
  static double of_rows(const LanguageAnswer& rows, double share,
                        llm::PredictedValue llm::Forecast::*figure) {
    std::vector<double> values;
    for (const LanguageRow& row : rows.rows) values.push_back((row.forecast.*figure).value);
    return quantile(values, share);
  }
};

// The result of the search must equal the best of all rows.
TEST_F(TuneLanguage, OneModeIsTheBestOfAllRowsWithinLimits) {
  LanguageTuneQuestion question;
  const LanguageAnswer all = rows();
  const double power_w = std::max(of_rows(all, 0.7, &llm::Forecast::decode_power_w),
                                  of_rows(all, 0.7, &llm::Forecast::prefill_power_w));
  const double tpot_s = of_rows(all, 0.6, &llm::Forecast::tpot_s);
  question.limits = {.power_w = power_w, .tpot_s = tpot_s};
  const auto found = tune_language(question, all);
  const auto keeps = [&](const llm::Forecast& forecast) {
    return forecast.prefill_power_w.value <= power_w && forecast.decode_power_w.value <= power_w &&
           forecast.tpot_s.value <= tpot_s;
  };
  double least = 1e300;
  for (const LanguageRow& row : found.language.rows) {
    if (keeps(row.forecast)) least = std::min(least, row.forecast.request_j.value);
  }
  double shortest = 1e300;  // of the rows within 1 %
  for (const LanguageRow& row : found.language.rows) {
    if (keeps(row.forecast) && row.forecast.request_j.value <= 1.01 * least) {
      shortest = std::min(shortest, row.forecast.request_s);
    }
  }
  const LanguagePlan& best = found.settings.front().best.value();
  EXPECT_TRUE(best.one_mode());
  EXPECT_TRUE(keeps(best.forecast));
  EXPECT_NEAR(best.forecast.request_s, shortest, 1e-9 * shortest);
  EXPECT_LE(best.forecast.request_j.value, 1.01 * least * (1 + 1e-9));
}

TEST_F(TuneLanguage, AModeForEachPhaseCountsItsSwitches) {
  LanguageTuneQuestion question;
  question.phases = true;
  // A long prompt with a limit on its first token: the prompt needs high clocks, decoding does not.
  const LanguageAnswer all = rows({.prompt_tokens = 1024, .generated_tokens = 512});
  const double ttft_s = 1.3 * of_rows(all, 0, &llm::Forecast::ttft_s);
  question.limits.ttft_s = ttft_s;
  const auto found = tune_language(question, all);
  const TunedLanguage& tuned = found.settings.front();
  ASSERT_TRUE(tuned.best && tuned.one_mode);
  const LanguagePlan& best = *tuned.best;
  EXPECT_LE(best.forecast.request_j.value,
            1.01 * tuned.one_mode->forecast.request_j.value * (1 + 1e-9));
  EXPECT_EQ(best.prefill.cpu_cores, best.decode.cpu_cores);
  EXPECT_LE(best.forecast.ttft_s.value, ttft_s);
  if (best.one_mode()) return;
  const auto row_of = [&](const PowerMode& mode) -> const LanguageRow& {
    return *std::find_if(found.language.rows.begin(), found.language.rows.end(),
                         [&](const LanguageRow& row) { return row.mode == mode; });
  };
  const llm::Forecast &prompt = row_of(best.prefill).forecast,
                      &decode = row_of(best.decode).forecast;
  EXPECT_DOUBLE_EQ(best.switch_s, mode_switch_s(best.prefill, best.decode));
  EXPECT_NEAR(best.forecast.request_s,
              prompt.ttft_s.value + 511 * decode.tpot_s.value + 2 * best.switch_s, 1e-9);
  EXPECT_NEAR(best.forecast.ttft_s.value, prompt.ttft_s.value + best.switch_s, 1e-12);
  const double switches_j =
      2 * best.switch_s * std::max(prompt.prefill_power_w.value, decode.decode_power_w.value);
  EXPECT_NEAR(best.forecast.request_j.value,
              prompt.prefill_power_w.value * prompt.ttft_s.value +
                  decode.decode_power_w.value * decode.tpot_s.value * 511 + switches_j,
              1e-6 * best.forecast.request_j.value);
}

// Compares with all pairs of a few modes, one by one.
TEST_F(TuneLanguage, PairsAreTheBestOfAllPairs) {
  LanguageAnswer few = rows({.prompt_tokens = 2048, .generated_tokens = 128});
  std::vector<LanguageRow> kept;
  for (std::size_t i = 0; i < few.rows.size(); i += 41) kept.push_back(few.rows[i]);
  few.rows = kept;
  const double power_w = std::max(of_rows(few, 0.7, &llm::Forecast::decode_power_w),
                                  of_rows(few, 0.7, &llm::Forecast::prefill_power_w));
  const double ttft_s = of_rows(few, 0.5, &llm::Forecast::ttft_s);
  for (const LanguageGoal goal : {LanguageGoal::kEnergy, LanguageGoal::kTokenEnergy,
                                  LanguageGoal::kTime, LanguageGoal::kTokenTime}) {
    LanguageTuneQuestion question;
    question.goal = goal;
    question.phases = true;
    question.limits = {.power_w = power_w, .ttft_s = ttft_s};
    const auto found = tune_language(question, few);
    double least = 1e300;
    for (const LanguageRow& prompt : kept) {
      for (const LanguageRow& decode : kept) {
        if (prompt.mode.cpu_cores != decode.mode.cpu_cores) continue;
        const llm::Forecast &p = prompt.forecast, &d = decode.forecast;
        const double away_s = mode_switch_s(prompt.mode, decode.mode);
        if (p.prefill_power_w.value > power_w || d.decode_power_w.value > power_w) continue;
        if (p.ttft_s.value + away_s > ttft_s) continue;
        const double worst_w = std::max(p.prefill_power_w.value, d.decode_power_w.value);
        const double energy = p.prefill_power_w.value * p.ttft_s.value +
                              127 * d.joules_per_token.value + 2 * away_s * worst_w;
        const double time = p.ttft_s.value + 127 * d.tpot_s.value + 2 * away_s;
        const double value = goal == LanguageGoal::kEnergy        ? energy
                             : goal == LanguageGoal::kTokenEnergy ? d.joules_per_token.value
                             : goal == LanguageGoal::kTime        ? time
                                                                  : d.tpot_s.value + away_s / 127;
        least = std::min(least, value);
      }
    }
    const auto& best = found.settings.front().best;
    if (least > 1e299) {
      EXPECT_FALSE(best);
      continue;
    }
    ASSERT_TRUE(best) << name_of(goal);
    EXPECT_LE(goal_value(goal, best->forecast), 1.01 * least * (1 + 1e-9)) << name_of(goal);
    EXPECT_GE(goal_value(goal, best->forecast), least * (1 - 1e-9)) << name_of(goal);
  }
}

// A plan with a single mode is the row of that mode, with its intervals.
TEST_F(TuneLanguage, OneModeHasTheIntervalsOfItsRow) {
  const auto found = tune_language({}, rows({.prompt_tokens = 1024, .generated_tokens = 512}));
  const LanguagePlan& best = *found.settings.front().best;
  const auto& all = found.language.rows;
  const auto row = std::find_if(all.begin(), all.end(),
                                [&](const LanguageRow& one) { return one.mode == best.decode; });
  ASSERT_NE(row, all.end());
  EXPECT_EQ(best.forecast.request_j.low, row->forecast.request_j.low);
  EXPECT_EQ(best.forecast.request_j.high, row->forecast.request_j.high);
  EXPECT_EQ(best.forecast.request_s, row->forecast.request_s);
}

TEST_F(TuneLanguage, SwitchesTakeWhatWasPublished) {
  const PowerMode low{4, 729.6e6, 306e6, 2133e6, ""}, high{4, 1510.4e6, 624.75e6, 3199e6, ""};
  EXPECT_DOUBLE_EQ(mode_switch_s(low, low), 0);
  EXPECT_DOUBLE_EQ(mode_switch_s(low, high), 0.014);
  PowerMode gpu = low;
  gpu.gpu_clock_hz = 408e6;
  EXPECT_DOUBLE_EQ(mode_switch_s(low, gpu), 0.005);
}

TEST_F(TuneLanguage, AHigherConfidenceKeepsLimitsByMore) {
  LanguageTuneQuestion question;
  question.goal = LanguageGoal::kTime;
  const LanguageAnswer all = rows();
  const double power_w = 1.01 * std::max(of_rows(all, 1, &llm::Forecast::decode_power_w),
                                         of_rows(all, 1, &llm::Forecast::prefill_power_w));
  question.limits.power_w = power_w;
  const auto even = tune_language(question, all);
  question.confidence = 0.95;
  const auto sure = tune_language(question, all);
  ASSERT_TRUE(even.settings.front().best && sure.settings.front().best);
  // The 95 % end of the interval must be within the limit.
  EXPECT_LE(sure.settings.front().best->forecast.decode_power_w.high, power_w * (1 + 1e-9));
  EXPECT_LE(even.settings.front().best->forecast.request_s,
            sure.settings.front().best->forecast.request_s);
}

TEST_F(TuneLanguage, WithoutAnAnswerTheNearestSaysWhatItBreaks) {
  LanguageTuneQuestion question;
  question.limits = {.power_w = 1000, .tokens_per_s = 1e6};
  const auto found = tune_language(question, rows());
  const TunedLanguage& tuned = found.settings.front();
  EXPECT_FALSE(tuned.best);
  ASSERT_TRUE(tuned.miss);
  ASSERT_EQ(tuned.broken.size(), 1U);
  EXPECT_THAT(tuned.broken.front(), HasSubstr("tokens per second"));
  question.limits.power_w = std::nan("");
  EXPECT_THROW(tune_language(question, found.language), UsageError);
}

}  // namespace
}  // namespace ridgewatt::answer
