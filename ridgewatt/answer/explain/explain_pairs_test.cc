// Tests two causes at once, from what a watched run shows about them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/answer/estimate.h"
#include "ridgewatt/answer/explain.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/device/mode_text.h"
#include "ridgewatt/sweep/mode_list.h"

namespace ridgewatt::answer {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

ExplainQuestion watched_question(const std::string& device) {
  ExplainQuestion question;
  question.workload.model = "zoo:resnet50";
  question.workload.runtime = Runtime::kTensorRt;
  question.device = device;
  question.seen.emplace();
  question.seen->hot.emplace();  // no alarm was raised
  question.seen->over_current.emplace();
  return question;
}

twin::Breakdown estimated_in(const ExplainQuestion& question, const std::string& mode) {
  EstimateQuestion asked;
  asked.modes = mode;
  asked.device = question.device;
  return estimate_on_board(asked, question.workload.load(), question.device).rows.front().estimate;
}

std::vector<SlowCause> first_two(const ExplainQuestion& question) {
  const ExplainAnswer found = explain(question);
  return {found.rows.at(0).cause, found.rows.at(1).cause};
}

// The preset lowers the GPU clock, and a lock lowers it further. The time follows from the lower
// clock, not from both factors.
TEST(ExplainPairs, APresetAndAClockActInOneMode) {
  ExplainQuestion question = watched_question("agx-orin");
  PowerMode mode = select_modes(load_board(question.device), "MODE_50W").front();
  question.seen->limits = mode;
  mode.gpu_clock_hz = 420.75e6;
  question.seen->clocks = mode;
  const twin::Breakdown there = estimated_in(question, mode_text(mode));
  question.seen->gpu_load = there.gpu_load;
  question.measured_s = there.total.period_s;
  question.power_w = there.total.power_w;
  EXPECT_THAT(first_two(question),
              UnorderedElementsAre(SlowCause::kPowerMode, SlowCause::kGpuClock));
}

// Each wait slows down the whole program, so the times multiply.
TEST(ExplainPairs, AQuotaAndAWaitForStorageMultiply) {
  ExplainQuestion question = watched_question("orin-nano-8gb");
  const twin::Breakdown expected = estimated_in(question, "maxn");
  question.seen->limits = select_modes(load_board(question.device), "maxn").front();
  question.seen->io_wait_share = 0.6;
  question.seen->storage_bytes_per_s = 5e7;
  question.seen->quota_cores = 1;
  question.seen->quota_wait_share = 0.5;
  question.measured_s = expected.total.period_s / (1 - 0.6) * 4;
  question.seen->gpu_load = expected.gpu_load * (1 - 0.6) / 4;
  EXPECT_THAT(first_two(question), UnorderedElementsAre(SlowCause::kStorage, SlowCause::kCpuQuota));
}

// If another preset is observed to be active, it is a row even if it costs no time.
TEST(ExplainPairs, APresetThatWasSeenIsARowEvenIfItCostsNothing) {
  ExplainQuestion question = watched_question("xavier-nx");
  question.mode = "MODE_15W_6CORE";
  const auto fewer = select_modes(load_board(question.device), "MODE_15W_4CORE").front();
  const double expected_s = estimated_in(question, question.mode).total.period_s;
  ASSERT_NEAR(estimated_in(question, "MODE_15W_4CORE").total.period_s / expected_s, 1, 0.03);
  question.measured_s = expected_s;
  question.seen->limits = fewer;
  const ExplainAnswer found = explain(question);
  const auto row = std::find_if(found.rows.begin(), found.rows.end(),
                                [](const auto& one) { return one.cause == SlowCause::kPowerMode; });
  ASSERT_NE(row, found.rows.end());
  EXPECT_THAT(row->signs.at(0), HasSubstr("MODE_15W_4CORE is active"));
  EXPECT_GT(row->probability, row->prior);
}

// Throttling keeps at least a third of the clock; a lock may fix it at the lowest level.
TEST(ExplainPairs, AVeryLowClockIsLockedNotThrottled) {
  ExplainQuestion question = watched_question("agx-orin");
  question.seen->hot.reset();  // not observable
  question.seen->over_current.reset();
  question.seen->clocks.gpu_clock_hz = 318.75e6;
  question.measured_s = estimated_in(question, "gpu=318.75").total.period_s;
  question.seen->gpu_load = 0.97;
  EXPECT_EQ(first_two(question).front(), SlowCause::kGpuClock);
}

}  // namespace
}  // namespace ridgewatt::answer
