#include "ridgewatt/answer/explain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::answer {
namespace {

constexpr char kBoard[] = "orin-nano-8gb";

ExplainQuestion question_of(const std::string& model = "zoo:resnet50") {
  ExplainQuestion question;
  question.workload.model = model;
  question.device = kBoard;
  return question;
}

EstimateRow estimated(const ExplainQuestion& question, const std::string& mode) {
  EstimateQuestion asked;
  asked.modes = mode;
  asked.device = question.device;
  return estimate_on_board(asked, question.workload.load(), question.device).rows.front();
}

ExplainAnswer explained(ExplainQuestion question, double measured_s,
                        std::optional<double> power_w = {}) {
  question.measured_s = measured_s;
  question.power_w = power_w;
  return explain(question);
}

double probability_of(const ExplainAnswer& found, SlowCause cause) {
  const auto row = std::find_if(found.rows.begin(), found.rows.end(),
                                [&](const auto& one) { return one.cause == cause; });
  return row == found.rows.end() ? 0 : row->probability;
}

TEST(Explain, WhatTheTwinExpectsHasNoCause) {
  const auto expected = estimated(question_of(), "maxn").estimate.total;
  const auto found = explained(question_of(), expected.period_s, expected.power_w);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kNone);
  EXPECT_FALSE(found.rows.front().gain);
  EXPECT_NEAR(found.gap_s(), 0, 1e-12);
}

TEST(Explain, ANetworkWithoutImagesHasNoCauseInTheirSize) {
  const auto has_size = [](const ExplainAnswer& found) {
    return std::any_of(found.rows.begin(), found.rows.end(),
                       [](const auto& row) { return row.cause == SlowCause::kInputSize; });
  };
  EXPECT_TRUE(has_size(explained(question_of(), 0.1)));
  EXPECT_FALSE(has_size(explained(question_of("zoo:llama_small_decode"), 0.1)));
}

// What slows a run down does not explain a fast one: it follows all other rows, and takes no part
// of the gap.
// A cause explains at most what it can add, and the rest counts as not explained.
TEST(Explain, NoCauseExplainsMoreThanItAdds) {
  const ExplainAnswer found = explained(question_of(), 3600);
  for (const ExplainRow& row : found.rows) {
    if (row.cause == SlowCause::kNone) {
      EXPECT_GT(row.time_s, 0.99 * found.gap_s());
    } else {
      EXPECT_LT(row.time_s, 60) << name_of(row.cause);
    }
  }
}

TEST(Explain, AFastRunIsNotExplainedByWhatSlowsIt) {
  const double expected_s = estimated(question_of(), "maxn").estimate.total.period_s;
  for (const double factor : {0.35, 0.6, 0.8, 0.95}) {
    const auto found = explained(question_of(), factor * expected_s);
    bool against = false;
    for (const ExplainRow& row : found.rows) {
      EXPECT_GE(row.against, against) << factor;
      against = row.against;
      const bool slower = row.prognosis.time_s > (1 + 1e-9) * expected_s;
      EXPECT_EQ(row.against, row.cause != SlowCause::kNone && slower) << name_of(row.cause);
      EXPECT_LE(row.time_s, 1e-12) << name_of(row.cause);
    }
    EXPECT_TRUE(against) << factor;
    EXPECT_LE(found.rows.front().prognosis.time_s, (1 + 1e-9) * expected_s) << factor;
  }
}

// No mode of the board draws so little or so much: that is said, and names no cause.
TEST(Explain, APowerThatNoModeHasIsLeftOut) {
  const double expected_s = estimated(question_of(), "maxn").estimate.total.period_s;
  const auto without = explained(question_of(), 2 * expected_s);
  EXPECT_EQ(without.power_fault, "");
  for (const double power_w : {0.5, 2000.0}) {
    const auto found = explained(question_of(), 2 * expected_s, power_w);
    EXPECT_NE(
        found.power_fault.find(power_w < 1 ? "below the idle power" : "above the power limit"),
        std::string::npos)
        << found.power_fault;
    EXPECT_EQ(found.rows.front().cause, without.rows.front().cause);
    EXPECT_DOUBLE_EQ(found.rows.front().probability, without.rows.front().probability);
  }
  const auto usual = explained(question_of(), 2 * expected_s,
                               estimated(question_of(), "maxn").estimate.total.power_w);
  EXPECT_EQ(usual.power_fault, "");
}

// The probability of a row is the sum over the hypotheses that contain its cause; each has at most
// two causes.
TEST(Explain, PartsAddUpToTheGapAndProbabilitiesToAtMostTwo) {
  const double expected_s = estimated(question_of(), "maxn").estimate.total.period_s;
  for (const double factor : {0.01, 0.5, 0.9, 1.0, 1.3, 2.5, 40.0}) {
    const auto found = explained(question_of(), factor * expected_s);
    double probability = 0, part_s = 0;
    for (const auto& row : found.rows) {
      EXPECT_GT(row.probability, 0);
      probability += row.probability;
      part_s += row.time_s;
    }
    EXPECT_GE(probability, 1 - 1e-12);
    EXPECT_LE(probability, 2);
    EXPECT_NEAR(part_s, (factor - 1) * expected_s, 1e-9 * expected_s + 1e-12);
    EXPECT_TRUE(
        std::is_sorted(found.rows.begin(), found.rows.end(), [](const auto& a, const auto& b) {
          return std::pair(a.against, -a.probability) < std::pair(b.against, -b.probability);
        }));
  }
}

// Time and power of another preset point to that preset, and the answer names it.
TEST(Explain, AnotherPresetIsRecognizedByTimeAndPower) {
  ExplainQuestion question = question_of();
  question.device = "agx-orin";
  const auto there = estimated(question, "15W").estimate.total;
  const auto found = explained(question, there.period_s, there.power_w);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kPowerMode);
  EXPECT_EQ(found.rows.front().prognosis.setting, "MODE_15W");
  EXPECT_GT(*found.rows.front().gain, 1.5);
}

// A number far below any possible time was taken before the GPU finished.
TEST(Explain, TooFastIsATimerThatStopsEarly) {
  const double expected_s = estimated(question_of(), "maxn").estimate.total.period_s;
  const auto found = explained(question_of(), expected_s / 20);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kAsynchronousTiming);
}

// A claimed time replaces the twin's estimate: a measurement equal to the claim has no cause,
// whatever the twin estimates.
TEST(Explain, AClaimScalesEveryEstimate) {
  ExplainQuestion question = question_of();
  question.claimed_s = 3 * estimated(question, "maxn").estimate.total.period_s;
  const auto found = explained(question, *question.claimed_s);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kNone);
  EXPECT_DOUBLE_EQ(found.time.expected, *question.claimed_s);
}

// Clocks that nobody locked cost a little. Only published times of Jetson boards are compared with
// locked clocks.
TEST(Explain, AClaimWithLockedClocksIsMissedByUnlockedOnes) {
  ExplainQuestion question = question_of("zoo:resnet18");
  question.device = "nano";
  question.claimed_s = 0.010;
  const auto setting = [](const ExplainAnswer& found) -> std::string {
    for (const auto& row : found.rows) {
      if (row.cause == SlowCause::kPowerMode) return row.prognosis.setting;
    }
    return {};
  };
  EXPECT_NE(setting(explained(question, 0.012)).find("not locked"), std::string::npos);
  question.seen.emplace().clocks = estimated(question, "maxn").mode;
  EXPECT_EQ(setting(explained(question, 0.012)).find("not locked"), std::string::npos);
  question = question_of("zoo:resnet18");
  question.device = "h100-sxm";
  question.claimed_s = 0.010;
  EXPECT_EQ(setting(explained(question, 0.012)), "");
}

TEST(Explain, ACloserClaimLeavesLessToItsError) {
  ExplainQuestion question = question_of();
  question.claimed_s = 0.020;
  const auto usual = explained(question, 0.024);
  question.claimed_error = 0.03;
  const auto close = explained(question, 0.024);
  EXPECT_LT(close.time.high - close.time.low, 0.4 * (usual.time.high - usual.time.low));
  EXPECT_LT(probability_of(close, SlowCause::kNone), 0.2 * probability_of(usual, SlowCause::kNone));
}

TEST(Explain, ACauseThatIsRuledOutIsNotListed) {
  ExplainQuestion question = question_of();
  const double time_s = 3 * estimated(question, "maxn").estimate.total.period_s;
  const SlowCause first = explained(question, time_s).rows.front().cause;
  question.ruled_out = {first, SlowCause::kPrecision};
  const auto found = explained(question, time_s);
  double parts_s = 0;
  for (const auto& row : found.rows) {
    EXPECT_NE(row.cause, first);
    EXPECT_NE(row.cause, SlowCause::kPrecision);
    parts_s += row.time_s;
  }
  EXPECT_NEAR(parts_s, found.gap_s(), 1e-9 * time_s);
  question.ruled_out = {SlowCause::kNone};
  EXPECT_THROW((void)explained(question, time_s), UsageError);
}

TEST(Explain, AModeThatWasSeenIsTheCause) {
  ExplainQuestion question = question_of();
  const double time_s = 2 * estimated(question, "maxn").estimate.total.period_s;
  const double before = probability_of(explained(question, time_s), SlowCause::kPowerMode);
  question.seen_mode = "7W";
  const auto found = explained(question, time_s);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kPowerMode);
  EXPECT_GT(found.rows.front().probability, std::max(0.6, before));
  question.seen_mode = "maxn";
  EXPECT_LT(probability_of(explained(question, time_s), SlowCause::kPowerMode), before);
  question.seen_mode = "presets";
  EXPECT_THROW((void)explained(question, time_s), UsageError);
}

TEST(Explain, ARateIsATimePerBatch) {
  ExplainQuestion question = question_of();
  question.batch = 8;
  question.samples_per_s = 100;
  EXPECT_DOUBLE_EQ(explain(question).time.measured, 0.08);
}

// Loaders and storage can be causes only if the program loads data, and memory only if it is nearly
// full.
TEST(Explain, CausesThatCannotBeAreLeftOut) {
  const auto inference = explained(question_of(), 0.1);
  EXPECT_EQ(probability_of(inference, SlowCause::kLoader), 0);
  EXPECT_EQ(probability_of(inference, SlowCause::kStorage), 0);
  EXPECT_EQ(probability_of(inference, SlowCause::kMemoryPressure), 0);
  EXPECT_EQ(probability_of(inference, SlowCause::kPythonCaller), 0);  // eager PyTorch is Python
  ExplainQuestion training = question_of();
  training.workload.kind = WorkloadKind::kTraining;
  EXPECT_GT(probability_of(explained(training, 2.0), SlowCause::kStorage), 0);
}

// The preset leaves 6 of 16 multiprocessors on. Lower clocks and fewer cores switch no other on.
TEST(Explain, ALowerClockIsNotFaster) {
  ExplainQuestion question = question_of();
  question.device = "agx-orin";
  question.mode = "MODE_15W";
  question.batch = 16;
  const ExplainAnswer answer = explained(question, 0.4);
  const double expected_s = answer.time.expected;
  std::set<SlowCause> found;
  for (const auto& row : answer.rows) {
    using enum SlowCause;
    if (!std::set{kGpuClock, kCpuClock, kMemoryClock, kThermal, kThreads}.contains(row.cause)) {
      continue;
    }
    found.insert(row.cause);
    EXPECT_GT(row.prognosis.time_s, expected_s) << name_of(row.cause);
  }
  EXPECT_THAT(found, ::testing::IsSupersetOf({SlowCause::kGpuClock, SlowCause::kThermal}));
  // 318.75 instead of 420.75 MHz: between no effect, and a time in inverse proportion.
  question.seen.emplace();
  question.seen->clocks.gpu_clock_hz = 318.75e6;
  const ExplainAnswer watched = explained(question, 0.4);
  for (const auto& row : watched.rows) {
    if (row.cause != SlowCause::kGpuClock) continue;
    EXPECT_GT(row.prognosis.time_s, 1.05 * expected_s);
    EXPECT_LT(row.prognosis.time_s, 1.33 * expected_s);
  }
}

ExplainQuestion language_question(double tokens_per_s) {
  ExplainQuestion question;
  question.workload.model = "zoo:llama-3.1-8b";
  question.device = "agx-orin";
  question.engine = "llama.cpp";
  question.language.quantization = "q4_k_m";
  question.tokens_per_s = tokens_per_s;
  return question;
}

llm::Forecast forecast_of(const ExplainQuestion& question, const std::string& mode) {
  LanguageRequest request = question.language;
  request.model = question.workload.model;
  request.device = question.device;
  request.runtime = question.engine;
  request.question.modes = mode;
  return ask_language(request).rows.front().forecast;
}

TEST(ExplainLanguage, TheForecastHasNoCause) {
  ExplainQuestion question = language_question(1);
  const auto expected = forecast_of(question, "maxn");
  question.tokens_per_s = expected.tokens_per_s.value;
  question.first_token_s = expected.ttft_s.value;
  question.power_w = expected.decode_power_w.value;
  const auto found = explain(question);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kNone);
  EXPECT_EQ(found.of, ExplainedTime::kToken);
  EXPECT_NEAR(found.gap_s(), 0, 1e-9);
  EXPECT_NEAR(found.first_token->gap(), 0, 1e-9);
}

TEST(ExplainLanguage, AnotherPresetIsRecognized) {
  ExplainQuestion question = language_question(1);
  const auto there = forecast_of(question, "15W");
  question.tokens_per_s = there.tokens_per_s.value;
  question.first_token_s = there.ttft_s.value;
  question.power_w = there.decode_power_w.value;
  const auto found = explain(question);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kPowerMode);
  EXPECT_EQ(found.rows.front().prognosis.setting, "MODE_15W");
}

// Both times are as long as on a CPU of twelve cores: with 8 B parameters in Q4, 12 Cortex-A78AE
// cores decode a few tokens per second, and process a prompt at little more than ten times that
// rate.
TEST(ExplainLanguage, SlowTokensAndAVerySlowPromptAreTheCpu) {
  ExplainQuestion question = language_question(4);
  question.first_token_s = 60;
  const auto found = explain(question);
  const double on_cpu = probability_of(found, SlowCause::kCpuFallback) +
                        probability_of(found, SlowCause::kPartialOffload);
  EXPECT_GT(on_cpu, 0.5);
}

TEST(ExplainLanguage, PartsAddUpToTheGapOfTheFigureThatIsGiven) {
  ExplainQuestion question = language_question(1);
  question.tokens_per_s.reset();
  question.first_token_s = 5;
  const auto found = explain(question);
  EXPECT_EQ(found.of, ExplainedTime::kFirstToken);
  double part_s = 0;
  for (const auto& row : found.rows) part_s += row.time_s;
  EXPECT_NEAR(part_s, found.gap_s(), 1e-9);
  EXPECT_DOUBLE_EQ(found.time.measured, 5);
}

// The preset leaves 6 of 16 multiprocessors on. A lower clock does not switch the others on.
TEST(ExplainLanguage, ALowerClockIsNotFaster) {
  ExplainQuestion question = language_question(3);
  question.mode = "MODE_15W";
  question.seen.emplace();
  question.seen->clocks.gpu_clock_hz = 306e6;
  const auto found = explain(question);
  std::size_t clocks = 0;
  for (const auto& row : found.rows) {
    if (row.cause != SlowCause::kGpuClock && row.cause != SlowCause::kThermal) continue;
    ++clocks;
    EXPECT_GT(row.prognosis.time_s, found.time.expected) << name_of(row.cause);
  }
  EXPECT_EQ(clocks, 2U);
}

// If the tokens are as fast as expected and the prompt is late, the gap and the gains are of the
// prompt.
TEST(ExplainLanguage, TheGapIsOfTheTimeThatDeviatesMore) {
  ExplainQuestion question = language_question(1);
  const auto expected = forecast_of(question, "maxn");
  question.tokens_per_s = expected.tokens_per_s.value;
  question.first_token_s = 4 * expected.ttft_s.value;
  const auto found = explain(question);
  EXPECT_EQ(found.gap_of, ExplainedTime::kFirstToken);
  EXPECT_NEAR(found.gap_s(), 3 * expected.ttft_s.value, 1e-9);
  double part_s = 0, gain = 1;
  for (const auto& row : found.rows) {
    part_s += row.time_s;
    gain = std::max(gain, row.gain.value_or(1));
  }
  EXPECT_NEAR(part_s, found.gap_s(), 1e-9);
  EXPECT_GT(gain, 1.5);
}

const ExplainRow& row_of(const ExplainAnswer& found, SlowCause cause) {
  return *std::find_if(found.rows.begin(), found.rows.end(),
                       [&](const ExplainRow& row) { return row.cause == cause; });
}

// A claim is of the GPU. It makes no CPU faster.
TEST(ExplainLanguage, AClaimDoesNotSpeedUpTheCpu) {
  ExplainQuestion question = language_question(8);
  const double alone_s = row_of(explain(question), SlowCause::kCpuFallback).prognosis.time_s;
  question.claimed_tokens_per_s = 40;
  const auto claimed = explain(question);
  EXPECT_NEAR(row_of(claimed, SlowCause::kCpuFallback).prognosis.time_s, alone_s, 1e-9 * alone_s);
  EXPECT_NEAR(row_of(claimed, SlowCause::kNone).prognosis.time_s, 1.0 / 40, 1e-12);
}

TEST(Explain, AClaimDoesNotSpeedUpTheCpu) {
  ExplainQuestion question = question_of();
  const double expected_s = estimated(question, "maxn").estimate.total.period_s;
  const double alone_s =
      row_of(explained(question, 50 * expected_s), SlowCause::kCpuFallback).prognosis.time_s;
  question.claimed_s = expected_s / 2;
  const auto claimed = explained(question, 50 * expected_s);
  const auto& on_cpu = row_of(claimed, SlowCause::kCpuFallback).prognosis;
  EXPECT_NEAR(on_cpu.time_s, alone_s, 1e-9 * alone_s);
}

TEST(ExplainLanguage, AModelThatDoesNotFitIsSaid) {
  ExplainQuestion question = language_question(5.5);
  EXPECT_EQ(explain(question).memory_fault, "");
  question.device = "orin-nano-8gb@super";
  question.engine = "vllm";
  question.language.quantization = "f16";
  EXPECT_THAT(explain(question).memory_fault, ::testing::HasSubstr("GiB: it does not fit"));
}

TEST(ExplainLanguage, WhatTheUserKnowsCounts) {
  ExplainQuestion question = question_of("zoo:llama-3.1-8b");
  question.device = "agx-orin";
  question.tokens_per_s = 10;
  question.seen_mode = "30W";
  question.ruled_out = {SlowCause::kPrecision};
  const auto found = explain(question);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kPowerMode);
  EXPECT_EQ(probability_of(found, SlowCause::kPrecision), 0);
}

TEST(ExplainLanguage, AnEngineOfTheGpuHasNoLayersOnTheCpu) {
  ExplainQuestion question = question_of("zoo:llama-3.1-8b");
  question.device = "agx-orin";
  question.tokens_per_s = 5;
  for (const char* engine : {"llama.cpp", "mlc"}) {
    question.engine = engine;
    const ExplainAnswer found = explain(question);
    for (const SlowCause cause : {SlowCause::kCpuFallback, SlowCause::kPartialOffload}) {
      EXPECT_EQ(probability_of(found, cause) > 0, question.engine == "llama.cpp") << engine;
    }
  }
}

// 16 sequences share the rate, so the time per token of each sequence is 16 times longer.
TEST(ExplainLanguage, TheRateIsOfAllSequences) {
  ExplainQuestion question = language_question(32);
  question.language.question.request.concurrency = 16;
  EXPECT_DOUBLE_EQ(explain(question).time.measured, 0.5);
}

TEST(ExplainLanguage, RefusesWhatOtherModelsHave) {
  ExplainQuestion batch = language_question(7);
  batch.batch = 4;
  EXPECT_THROW(explain(batch), UsageError);
  ExplainQuestion measured = language_question(7);
  measured.measured_s = 1;
  EXPECT_THROW(explain(measured), UsageError);
  ExplainQuestion engines = language_question(7);
  engines.language.quantization = "q4_k_m,q8_0";
  EXPECT_THROW(explain(engines), UsageError);
}

// Every documented cause appears in one of the tables.
TEST(Explain, EveryCauseCanBeFound) {
  ExplainQuestion training = question_of();
  training.workload.kind = WorkloadKind::kTraining;
  training.batch = 64;
  training.device = "agx-orin";  // close to its power limit
  training.workload.runtime = Runtime::kPytorchEager;
  ExplainQuestion engine = question_of();
  engine.workload.runtime = Runtime::kTensorRt;
  std::set<SlowCause> causes;
  for (const auto& found : {explained(training, 60), explained(engine, 0.5)}) {
    for (const auto& row : found.rows) causes.insert(row.cause);
  }
  ExplainQuestion language = language_question(1);
  language.device = "orin-nano-8gb";
  language.language.quantization = "q8_0";
  const auto slow = explain(language);
  for (const auto& row : slow.rows) causes.insert(row.cause);
  EXPECT_EQ(causes.size(), count_of<SlowCause>());
}

double probability_with(measure::SeenRun seen, SlowCause cause) {
  ExplainQuestion question = question_of();
  question.seen = std::move(seen);
  const double expected_s = estimated(question_of(), "maxn").estimate.total.period_s;
  return probability_of(explained(question, 2 * expected_s), cause);
}

// Evidence raises the probability of its cause; evidence that was looked for but not found lowers
// it.
TEST(ExplainSigns, RaiseAndLowerTheirCauses) {
  const double before = probability_with({}, SlowCause::kContention);
  EXPECT_GT(probability_with({.other_cores = 3}, SlowCause::kContention), 1.5 * before);
  EXPECT_LT(probability_with({.other_cores = 0.02}, SlowCause::kContention), before);
  EXPECT_GT(probability_with({.quota_cores = 1, .quota_wait_share = 0.6}, SlowCause::kCpuQuota),
            0.5);
  EXPECT_GT(probability_with({.hot = std::vector<std::string>{"gpu-throttle-alert"}},
                             SlowCause::kThermal),
            0.4);
}

TEST(ExplainSigns, CiteWhatWasSeen) {
  ExplainQuestion question = question_of();
  question.seen = measure::SeenRun{.cpus_online = 6, .cpus_allowed = 6};
  question.seen->limits.gpu_clock_hz = 625e6;  // the board's limit: no other preset is active
  question.seen->clocks.gpu_clock_hz = 306e6;
  const double measured_s = 1.8 * estimated(question_of(), "maxn").estimate.total.period_s;
  const auto found = explained(question, measured_s);
  EXPECT_THAT(found.seen, ::testing::ElementsAre(::testing::HasSubstr("GPU clock 306 of "),
                                                 ::testing::HasSubstr("stays at one level")));
  for (const auto& row : found.rows) {
    if (row.cause == SlowCause::kGpuClock) {
      EXPECT_EQ(row.signs, found.seen);
    } else if (row.cause == SlowCause::kContention) {
      EXPECT_THAT(row.signs, ::testing::IsEmpty());
    }
  }
  EXPECT_GT(probability_of(found, SlowCause::kGpuClock),
            2 * probability_of(explained(question_of(), measured_s), SlowCause::kGpuClock));
}

// Two causes with evidence for both come before all other causes.
TEST(ExplainSigns, TwoCausesAtOnceAreBothFound) {
  ExplainQuestion question = question_of();
  const auto estimate = estimated(question, "gpu=306").estimate;
  const auto& slow = estimate.total;
  question.seen = measure::SeenRun{
      .gpu_load = estimate.gpu_load / 2, .quota_cores = 0.5, .quota_wait_share = 0.6};
  question.seen->hot.emplace();  // no alarm was raised
  question.seen->over_current.emplace();
  question.seen->clocks.gpu_clock_hz = 306e6;
  question.seen->limits = select_modes(load_board(question.device), "maxn").front();
  const auto found = explained(question, 2 * slow.period_s);
  EXPECT_EQ(found.rows[0].cause, SlowCause::kCpuQuota);
  EXPECT_EQ(found.rows[1].cause, SlowCause::kGpuClock);
  EXPECT_GT(found.rows[1].probability, 2 * found.rows[1].prior);
  EXPECT_GT(found.rows[1].time_s, 0);
}

// Decoding of inputs adds time outside the GPU; a lower GPU clock adds time on the GPU.
TEST(ExplainSigns, TheLoadOfTheGpuTellsWhereTheTimeGoes) {
  const auto with_load = [](double load, SlowCause cause) {
    ExplainQuestion question = question_of();
    question.workload.runtime = Runtime::kTensorRt;
    const double expected_s = estimated(question, "maxn").estimate.total.period_s;
    question.seen = measure::SeenRun{.gpu_load = load};
    return probability_of(explained(question, 2 * expected_s), cause);
  };
  EXPECT_GT(with_load(0.45, SlowCause::kPrePostProcessing),
            3 * with_load(0.95, SlowCause::kPrePostProcessing));
  EXPECT_GT(with_load(0.95, SlowCause::kGpuClock), with_load(0.95, SlowCause::kHostCopy));
  EXPECT_LT(with_load(0.45, SlowCause::kGpuClock), with_load(0.45, SlowCause::kPrePostProcessing));
}

// If a timer stopped early, its time is shorter than the time between marks. If the program is
// really that fast, the marks show it.
TEST(ExplainSigns, MarksTellAMisreadNumberFromAFastProgram) {
  const double expected_s = estimated(question_of(), "maxn").estimate.total.period_s;
  const auto with_marks = [&](double marked_s) {
    ExplainQuestion question = question_of();
    question.seen = measure::SeenRun{.marked_s = marked_s};
    return explained(question, 0.4 * expected_s);
  };
  EXPECT_EQ(with_marks(expected_s).rows.front().cause, SlowCause::kAsynchronousTiming);
  EXPECT_LT(probability_of(with_marks(0.4 * expected_s), SlowCause::kAsynchronousTiming),
            0.3 * probability_of(explained(question_of(), 0.4 * expected_s),
                                 SlowCause::kAsynchronousTiming));
}

// Heat lowers the GPU clock first. A governor lowers the clock of a GPU that waits for the CPU.
// Probabilities stay within their range even if two causes together make a sign rarer.
TEST(ExplainSigns, ACpuClockFarBelowTheGpuClockIsNotHeat) {
  ExplainQuestion question = question_of();
  const auto there = estimated(question, "cpu=115.2").estimate;
  question.seen = measure::SeenRun{.gpu_load = there.gpu_load};
  question.seen->clocks.gpu_clock_hz = 0.9 * 625e6;
  question.seen->clocks.cpu_clock_hz = 115e6;
  const auto found = explained(question, there.total.period_s);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kCpuClock);
  for (const auto& row : found.rows) {
    EXPECT_GE(row.probability, 0);
    EXPECT_LE(row.probability, 1 + 1e-9);
  }
}

TEST(Explain, RefusesWhatItCannotExplain) {
  EXPECT_THROW(explain(question_of()), UsageError);
  ExplainQuestion both = question_of();
  both.measured_s = 1;
  both.samples_per_s = 1;
  EXPECT_THROW(explain(both), UsageError);
  ExplainQuestion modes = question_of();
  modes.measured_s = 1;
  modes.mode = "presets";
  EXPECT_THROW(explain(modes), UsageError);
}

}  // namespace
}  // namespace ridgewatt::answer
