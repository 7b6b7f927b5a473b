#include "ridgewatt/evaluate/board_findings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::evaluate {
namespace {

using twin::TwinParam;

void set(twin::Twin& twin, TwinParam param, double value) {
  twin.values[static_cast<std::size_t>(param)] = value;
}

// A Nano that draws no power but what a test gives it.
twin::Twin bare_nano() {
  twin::Twin twin = twin::prior_twin(load_board("nano"));
  for (const auto& spec : twin::twin_parameters()) {
    if (spec.power) set(twin, spec.param, 1e-30);
  }
  for (const auto param : {TwinParam::kGpuVoltageRise, TwinParam::kGpuVoltageKnee,
                           TwinParam::kCpuVoltageRise, TwinParam::kCpuVoltageKnee}) {
    set(twin, param, 0.5);
  }
  return twin;
}

Finding finding(FindingForm form, const std::string& to, const std::string& unit) {
  Finding f;
  f.board = "nano";
  f.model = "zoo:vgg16";
  f.batch = 8;
  f.form = form;
  f.to = to;
  f.unit = unit;
  f.lo = -std::numeric_limits<double>::infinity();
  f.hi = std::numeric_limits<double>::infinity();
  return f;
}

FindingVerdict judge(const Finding& f, const twin::Twin& twin) {
  return judge_board_findings(std::span(&f, 1),
                              [&](const std::string&) -> const twin::Twin& { return twin; })
      .front();
}

TEST(BoardFindings, TheFileNamesKnownBoardsAndItsSources) {
  std::set<std::string> ids;
  for (const auto& f : board_findings()) {
    EXPECT_TRUE(ids.insert(f.id).second) << f.id;
    EXPECT_EQ(load_board(f.board).name, f.board) << f.id;
    EXPECT_FALSE(f.source.empty() || f.sentence.empty()) << f.id;
    EXPECT_LE(f.lo, f.hi) << f.id;
    EXPECT_GE(f.margin, 0) << f.id;
  }
  for (const char* board : {"nano", "xavier-nx", "orin-nx-16gb", "agx-xavier", "agx-orin"}) {
    const auto all = board_findings();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Finding& f) {
      return concerns(f, board);
    })) << board;
  }
}

TEST(BoardFindings, QuantitiesAreTheTwins) {
  const twin::Twin twin = twin::load_twin(load_board("nano"));
  const auto cost = workload::DeployedWorkload("zoo:vgg16").at(8);
  const twin::Estimator estimator(twin, cost);
  const PowerMode low{0, 0, hz_of_mhz(460.8), 0, ""};
  Finding f = finding(FindingForm::kValue, "", "ms");
  f.at = "gpu=460";  // the table has 460.8
  EXPECT_DOUBLE_EQ(judge(f, twin).lo, 1e3 * estimator(low).period_s);
  f.unit = "s";
  f.samples = 3200;  // 400 minibatches
  EXPECT_DOUBLE_EQ(judge(f, twin).lo, 400 * estimator(low).period_s);
  f.samples = 0;
  f.quantity = FindingQuantity::kEnergy;
  f.unit = "J";
  EXPECT_DOUBLE_EQ(judge(f, twin).lo, estimator(low).energy_j() / 8);
  f.form = FindingForm::kChange;
  f.quantity = FindingQuantity::kPower;
  f.to = "gpu=921.6";
  f.unit = "%";
  EXPECT_NEAR(judge(f, twin).lo, 100 * (estimator({}).power_w / estimator(low).power_w - 1), 1e-9);
}

// Power that never changes: the fastest clock needs the least energy, and every clock the same
// power.
TEST(BoardFindings, ConstantPowerIsBestAtTheHighestClock) {
  twin::Twin twin = bare_nano();
  set(twin, TwinParam::kBasePower, 5);
  EXPECT_NEAR(judge(finding(FindingForm::kBestClock, "gpu", "MHz"), twin).lo, 921.6, 1e-9);
  EXPECT_EQ(judge(finding(FindingForm::kInterior, "gpu", "yes"), twin).hi, 0);
  EXPECT_EQ(judge(finding(FindingForm::kSaving, "gpu", "%"), twin).lo, 0);
  EXPECT_EQ(judge(finding(FindingForm::kSlowdown, "gpu", "%"), twin).lo, 0);
  EXPECT_EQ(judge(finding(FindingForm::kDominated, "all", "%"), twin).lo, 0);
  Finding span = finding(FindingForm::kSpan, "gpu", "W");
  span.quantity = FindingQuantity::kPower;
  EXPECT_NEAR(judge(span, twin).lo, 0, 1e-6);
  Finding idle = finding(FindingForm::kValue, "", "W");
  idle.quantity = FindingQuantity::kIdlePower;
  EXPECT_NEAR(judge(idle, twin).lo, 5, 1e-6);
}

// The GPU's energy per cycle goes with the square of a voltage that is flat below a knee and rises
// above it, beside a little constant power: waiting longer below the knee gains nothing, going
// faster above it costs. The minimum is at the knee.
TEST(BoardFindings, AVoltageKneeIsTheBestClock) {
  constexpr double kKnee = 0.6;
  twin::Twin twin = bare_nano();
  set(twin, TwinParam::kBasePower, 0.5);
  set(twin, TwinParam::kGpuBusyPower, 10);
  set(twin, TwinParam::kGpuVoltageKnee, kKnee);
  set(twin, TwinParam::kGpuVoltageRise, 0.6);
  Finding best = finding(FindingForm::kBestClock, "gpu", "MHz");
  best.lo = best.hi = kKnee * 921.6;
  EXPECT_EQ(judge(best, twin).verdict, Verdict::kReproduced) << judge(best, twin).lo;
  best.lo = best.hi = 921.6;
  EXPECT_EQ(judge(best, twin).verdict, Verdict::kNotReproduced);
  EXPECT_EQ(judge(finding(FindingForm::kInterior, "gpu", "yes"), twin).lo, 1);
  EXPECT_GT(judge(finding(FindingForm::kSaving, "gpu", "%"), twin).lo, 10);
  Finding ratio = finding(FindingForm::kSpanRatio, "gpu/cpu", "x");
  ratio.quantity = FindingQuantity::kPower;
  EXPECT_GT(judge(ratio, twin).lo, 10);  // the CPU draws nothing, it only hands over
}

TEST(BoardFindings, WhatWasNotPublishedIsARange) {
  const twin::Twin twin = twin::load_twin(load_board("nano"));
  Finding f = finding(FindingForm::kValue, "", "ms");
  f.at = "gpu=460.8|921.6";
  const FindingVerdict open = judge(f, twin);
  EXPECT_EQ(open.verdict, Verdict::kReproduced);  // no bound at all
  EXPECT_LT(open.lo, open.hi);
  EXPECT_EQ(open.why, "not published: gpu");
  f.hi = open.lo;  // the fast one alone
  EXPECT_EQ(judge(f, twin).verdict, Verdict::kCannotTell);
  f.margin = open.hi - open.lo + 1e-9;
  EXPECT_EQ(judge(f, twin).verdict, Verdict::kReproduced);
  f.margin = 0;
  f.hi = open.lo / 2;
  EXPECT_EQ(judge(f, twin).verdict, Verdict::kNotReproduced);
}

TEST(BoardFindings, WhatCannotBeAskedCannotBeTold) {
  const twin::Twin twin = twin::load_twin(load_board("nano"));
  Finding f = finding(FindingForm::kValue, "", "ms");
  f.at = "governor=nosuch";
  const FindingVerdict judged = judge(f, twin);
  EXPECT_EQ(judged.verdict, Verdict::kCannotTell);
  EXPECT_TRUE(std::isnan(judged.lo));
  EXPECT_NE(judged.why.find("nosuch"), std::string::npos) << judged.why;
  f.at = "gpu";
  EXPECT_THROW(judge(f, twin), InputError);
  f.at = "gpu=fast";
  EXPECT_THROW(judge(f, twin), InputError);
  f.at = "";
  f.unit = "furlong";
  EXPECT_THROW(judge(f, twin), InputError);
}

TEST(BoardFindings, ARatioConcernsBothBoards) {
  Finding f = finding(FindingForm::kRatio, "board=xavier-nx", "x");
  EXPECT_TRUE(concerns(f, "nano"));
  EXPECT_TRUE(concerns(f, "xavier-nx"));
  EXPECT_FALSE(concerns(f, "agx-orin"));
}

}  // namespace
}  // namespace ridgewatt::evaluate
