#include "ridgewatt/answer/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/base/error.h"

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

TEST(Explain, ProbabilitiesSumToOneAndPartsToTheGap) {
  const double expected_s = estimated(question_of(), "maxn").estimate.total.period_s;
  for (const double factor : {0.01, 0.5, 0.9, 1.0, 1.3, 2.5, 40.0}) {
    const auto found = explained(question_of(), factor * expected_s);
    double probability = 0, part_s = 0;
    for (const auto& row : found.rows) {
      EXPECT_GT(row.probability, 0);
      probability += row.probability;
      part_s += row.time_s;
    }
    EXPECT_NEAR(probability, 1, 1e-12);
    EXPECT_NEAR(part_s, (factor - 1) * expected_s, 1e-9 * expected_s + 1e-12);
    EXPECT_TRUE(
        std::is_sorted(found.rows.begin(), found.rows.end(),
                       [](const auto& a, const auto& b) { return a.probability > b.probability; }));
  }
}

// Time and power of another preset point to that preset, and name it.
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

// A claimed time replaces the twin's: a measurement equal to the claim has no cause, whatever the
// twin estimates.
TEST(Explain, AClaimScalesEveryEstimate) {
  ExplainQuestion question = question_of();
  question.claimed_s = 3 * estimated(question, "maxn").estimate.total.period_s;
  const auto found = explained(question, *question.claimed_s);
  EXPECT_EQ(found.rows.front().cause, SlowCause::kNone);
  EXPECT_DOUBLE_EQ(found.expected_s, *question.claimed_s);
}

TEST(Explain, ARateIsATimePerBatch) {
  ExplainQuestion question = question_of();
  question.batch = 8;
  question.samples_per_s = 100;
  EXPECT_DOUBLE_EQ(explain(question).measured_s, 0.08);
}

// Loaders and storage explain only what loads data; memory only what nearly fills it.
TEST(Explain, CausesThatCannotBeAreLeftOut) {
  const auto inference = explained(question_of(), 0.1);
  EXPECT_EQ(probability_of(inference, SlowCause::kLoader), 0);
  EXPECT_EQ(probability_of(inference, SlowCause::kStorage), 0);
  EXPECT_EQ(probability_of(inference, SlowCause::kMemoryPressure), 0);
  EXPECT_EQ(probability_of(inference, SlowCause::kPythonCaller), 0);  // PyTorch is Python
  ExplainQuestion training = question_of();
  training.workload.kind = WorkloadKind::kTraining;
  EXPECT_GT(probability_of(explained(training, 2.0), SlowCause::kStorage), 0);
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
