#include "ridgewatt/evaluate/board_findings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/device/board.h"
#include "ridgewatt/evaluate/finding/setting.h"
#include "ridgewatt/io/csv_reader.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/twin/estimate.h"
#include "ridgewatt/workload/deployed_workload.h"

namespace ridgewatt::evaluate {
namespace {

using twin::TwinParam;

void set(twin::Twin& twin, TwinParam param, double value) {
  twin.values[static_cast<std::size_t>(param)] = value;
}

// A Nano whose power comes only from the parameters that a test sets.
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
  f.accepted_lo = f.lo;
  f.accepted_hi = f.hi;
  return f;
}

FindingVerdict judge(const Finding& f, const twin::Twin& twin) {
  return judge_board_findings(std::span(&f, 1),
                              [&](const std::string&) -> const twin::Twin& { return twin; })
      .front();
}

TEST(BoardFindings, TheFilesNameKnownBoardsAndTheirPlaces) {
  std::set<std::string> ids;
  std::set<std::string> boards;
  for (const auto& f : board_findings()) {
    EXPECT_TRUE(ids.insert(f.id).second) << f.id;
    if (!f.board.empty()) {
      EXPECT_EQ(load_board(f.board).name, f.board) << f.id;
      boards.insert(f.board);
    }
    EXPECT_FALSE(f.source.empty() || f.place.empty() || f.sentence.empty()) << f.id;
    EXPECT_LE(f.lo, f.hi) << f.id;
    EXPECT_LE(f.accepted_lo, f.lo) << f.id;
    EXPECT_GE(f.accepted_hi, f.hi) << f.id;
  }
  for (const char* board : {"nano", "xavier-nx", "orin-nx-16gb", "agx-xavier", "agx-orin"}) {
    EXPECT_TRUE(boards.contains(board)) << board;
  }
}

// The accepted range is 20 % of a figure, 20 % but at least 5 percentage points of a change, 3 % of
// a table's value, and no tolerance beyond a published bound.
TEST(BoardFindings, TheAcceptedRangeFollowsFromTheFact) {
  std::map<std::string, Finding> by_id;
  for (const auto& f : board_findings()) by_id[f.id] = f;
  EXPECT_DOUBLE_EQ(by_id.at("S207").accepted_lo, 0.8 * 349);  // an epoch
  EXPECT_DOUBLE_EQ(by_id.at("S207").accepted_hi, 1.2 * 349);
  EXPECT_DOUBLE_EQ(by_id.at("S156").accepted_lo, -10.4);  // energy, -5.4 %
  EXPECT_DOUBLE_EQ(by_id.at("S250").accepted_hi, -22.3 + 5);
  EXPECT_DOUBLE_EQ(by_id.at("S248").accepted_hi, 1.2 * 632);
  EXPECT_DOUBLE_EQ(by_id.at("S146").accepted_hi, 20);  // an upper bound
  EXPECT_DOUBLE_EQ(by_id.at("R128").accepted_hi, -28 + 5.6);
  EXPECT_DOUBLE_EQ(by_id.at("S009").accepted_hi, 1.03 * 1479);  // highest CPU clock of the Nano
}

// Whole sections are held out, so that a mode and the change to that mode are on the same side.
TEST(BoardFindings, AThirdIsKeptAsideBySections) {
  std::map<std::string, std::set<bool>> sections;
  int asked = 0, aside = 0;
  for (const auto& f : board_findings()) {
    sections[f.study + f.place.substr(0, f.place.find(',')) + '/' + f.board + f.model].insert(
        f.kept_aside());
    if (!f.cannot.empty() || f.about() != FindingKind::kBehavior) continue;
    ++asked;
    aside += f.kept_aside() ? 1 : 0;
  }
  for (const auto& [section, sides] : sections) EXPECT_EQ(sides.size(), 1) << section;
  EXPECT_GT(aside, asked / 5);
  EXPECT_LT(aside, asked / 2);
}

// The reference material lists every figure of the three studies. The findings must include all of
// them.
TEST(BoardFindings, NoPublishedFigureIsLeftOut) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto folder = testing::shared_folder() / "data" / "published";
  std::set<std::string> ids;
  for (const auto& f : board_findings()) ids.insert(f.id.substr(0, f.id.find('.')));
  for (const char* file : {"sigmetrics23.csv", "powertrain.csv", "rpe.csv"}) {
    const std::string text = read_file(folder / file);
    CsvReader csv(text, file);
    while (csv.next()) EXPECT_TRUE(ids.contains(std::string(csv.field(0)))) << csv.field(0);
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

// With constant power, the highest clock needs the least energy, and the power is the same at every
// clock.
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

// The GPU's energy per cycle grows with the square of the voltage, which is flat below a knee and
// rises above it; a small constant power is added. Slower clocks below the knee save nothing, and
// faster clocks above it cost energy. The minimum is at the knee.
TEST(BoardFindings, AVoltageKneeIsTheBestClock) {
  constexpr double kKnee = 0.6;
  twin::Twin twin = bare_nano();
  set(twin, TwinParam::kBasePower, 0.5);
  set(twin, TwinParam::kGpuBusyPower, 10);
  set(twin, TwinParam::kGpuVoltageKnee, kKnee);
  set(twin, TwinParam::kGpuVoltageRise, 0.6);
  Finding best = finding(FindingForm::kBestClock, "gpu", "MHz");
  best.lo = best.hi = kKnee * 921.6;  // compared in steps of the clock, without the accepted range
  EXPECT_EQ(judge(best, twin).verdict, Verdict::kReproduced) << judge(best, twin).lo;
  best.lo = best.hi = 921.6;
  EXPECT_EQ(judge(best, twin).verdict, Verdict::kNotReproduced);
  EXPECT_EQ(judge(finding(FindingForm::kInterior, "gpu", "yes"), twin).lo, 1);
  EXPECT_GT(judge(finding(FindingForm::kSaving, "gpu", "%"), twin).lo, 10);
  Finding ratio = finding(FindingForm::kSpanRatio, "gpu/cpu", "x");
  ratio.quantity = FindingQuantity::kPower;
  EXPECT_GT(judge(ratio, twin).lo, 10);  // the CPU draws no power here
}

TEST(BoardFindings, WhatWasNotPublishedIsARange) {
  const twin::Twin twin = twin::load_twin(load_board("nano"));
  Finding f = finding(FindingForm::kValue, "", "ms");
  f.at = "gpu=460.8|921.6";
  const FindingVerdict open = judge(f, twin);
  EXPECT_EQ(open.verdict, Verdict::kReproduced);  // there is no bound
  EXPECT_LT(open.lo, open.hi);
  EXPECT_EQ(open.why, "not published: gpu");
  f.accepted_hi = open.lo;  // only the value at the fast clock
  EXPECT_EQ(judge(f, twin).verdict, Verdict::kCannotTell);
  f.accepted_hi = open.hi;
  EXPECT_EQ(judge(f, twin).verdict, Verdict::kReproduced);
  f.accepted_hi = open.lo / 2;
  EXPECT_EQ(judge(f, twin).verdict, Verdict::kNotReproduced);
  f.at = "gpu=460.8+921.6";  // a fact about both clocks
  EXPECT_EQ(judge(f, twin).why, "");
  EXPECT_EQ(judge(f, twin).hi, open.hi);
}

TEST(BoardFindings, WhatCannotBeAskedHasItsReason) {
  const twin::Twin twin = twin::load_twin(load_board("nano"));
  Finding f = finding(FindingForm::kValue, "", "ms");
  f.at = "governor=nosuch";
  const FindingVerdict judged = judge(f, twin);
  EXPECT_EQ(judged.verdict, Verdict::kCannotAsk);
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

// Modes c and g of the training study differ in more knobs than the GPU clock.
TEST(BoardFindings, ModesHaveAllTheirKnobs) {
  const twin::Twin twin = twin::load_twin(load_board("agx-xavier"));
  const auto twin_of = [&](const std::string&) -> const twin::Twin& { return twin; };
  Setting setting;
  setting.board = "agx-xavier";
  const auto found = settings_of(setting, "mode=c workers=2 storage=hdd epoch=first", twin_of);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].mode.cpu_cores, 8);
  EXPECT_NEAR(found[0].mode.cpu_clock_hz, 1190.4e6, 1);
  EXPECT_NEAR(found[0].mode.gpu_clock_hz, 905.25e6, 1);
  EXPECT_NEAR(found[0].mode.mem_clock_hz, 1331.2e6, 1);
  EXPECT_EQ(found[0].workers, 2);
  EXPECT_TRUE(found[0].first_epoch);
  EXPECT_EQ(settings_of(setting, "mode=a+b+c cores=2|4", twin_of).size(), 6);
  EXPECT_EQ(alternatives_of(setting, "mode=a+b; gpu=all", twin_of).size(), 2 + 14);
  EXPECT_THROW(settings_of(setting, "mode=z", twin_of), NotFoundError);
  EXPECT_THROW(settings_of(setting, "epoch=second", twin_of), InputError);
}

// Three settings. The middle one is as fast as the first and needs more energy.
TEST(BoardFindings, OrdersAndFrontsAreOfTheAlternatives) {
  const twin::Twin twin = twin::load_twin(load_board("nano"));
  Finding f = finding(FindingForm::kOrder, "gpu=921.6+460.8+230.4", "yes");
  EXPECT_EQ(judge(f, twin).lo, 1);  // in order of increasing time
  f.to = "gpu=460.8+921.6+230.4";
  EXPECT_EQ(judge(f, twin).lo, 0);
  f.form = FindingForm::kLeast;
  EXPECT_EQ(judge(f, twin).lo, 1);  // the highest clocks are the fastest
  f.form = FindingForm::kMost;
  EXPECT_EQ(judge(f, twin).lo, 0);
  f.form = FindingForm::kExtremes;
  f.unit = "x";
  const double ratio = judge(f, twin).lo;
  EXPECT_GT(ratio, 2);
  EXPECT_LT(ratio, 4.01);
  f.form = FindingForm::kSpread;
  f.unit = "%";
  EXPECT_NEAR(judge(f, twin).lo, 100 * (1 / ratio - 1), 1e-9);
  f.form = FindingForm::kFront;
  f.unit = "count";
  f.to = "gpu=921.6 mem=1600; gpu=921.6 mem=1600; gpu=76.8 mem=204";
  EXPECT_EQ(judge(f, twin).lo, 2);  // equal ones do not dominate; the slow one wastes energy
  f.form = FindingForm::kOnFront;
  f.unit = "yes";
  f.at = "gpu=76.8 mem=204";
  EXPECT_EQ(judge(f, twin).lo, 0);
}

// If the data is in memory, an epoch takes the minibatches of the estimator. From storage, the
// first epoch takes longer.
TEST(BoardFindings, EpochsAreFedFromStorage) {
  const twin::Twin twin = twin::load_twin(load_board("agx-xavier"));
  Finding f = finding(FindingForm::kValue, "", "s");
  f.board = "agx-xavier";
  f.model = "zoo:lenet5";
  f.kind = WorkloadKind::kTraining;
  f.batch = 16;
  f.at = "workers=4 data=mnist";
  f.quantity = FindingQuantity::kCompute;
  const double epoch_s = judge(f, twin).lo;
  f.at = "workers=4";
  f.samples = 60000;
  EXPECT_NEAR(epoch_s, judge(f, twin).lo, 1e-9 * epoch_s);
  f.samples = 0;
  f.quantity = FindingQuantity::kStall;
  f.model = "zoo:mobilenet_v3_gld";
  f.at = "workers=0 data=gld23k storage=hdd epoch=later";
  const double later_s = judge(f, twin).lo;
  f.at = "workers=0 data=gld23k storage=hdd epoch=first";
  const double first_s = judge(f, twin).lo;
  EXPECT_GT(first_s, later_s + 23080 * 8e-3);  // one seek per file
  f.at = "workers=0 data=gld23k storage=hdd epoch=later cache=dropped";
  EXPECT_DOUBLE_EQ(judge(f, twin).lo, first_s);
  f.form = FindingForm::kChange;
  f.unit = "%";
  f.to = "workers=1|4";
  EXPECT_LT(judge(f, twin).lo, judge(f, twin).hi);
}

TEST(BoardFindings, DescriptionsComeFromBoardsAndNetworks) {
  const twin::Twin twin = twin::load_twin(load_board("nano"));
  Finding f = finding(FindingForm::kValue, "", "count");
  f.quantity = FindingQuantity::kCudaCores;
  EXPECT_EQ(judge(f, twin).lo, 128);
  f.quantity = FindingQuantity::kGpuClocks;
  EXPECT_EQ(judge(f, twin).lo, 12);
  f.quantity = FindingQuantity::kMemory;
  f.unit = "GiB";
  EXPECT_DOUBLE_EQ(judge(f, twin).lo, 4);
  f.quantity = FindingQuantity::kParameters;
  f.unit = "million";
  EXPECT_NEAR(judge(f, twin).lo, 138.36, 0.01);  // VGG-16
  f.quantity = FindingQuantity::kMacs;
  f.unit = "billion";
  EXPECT_NEAR(judge(f, twin).lo, 15.5, 0.05);
}

TEST(BoardFindings, ARatioConcernsBothBoards) {
  Finding f = finding(FindingForm::kRatio, "board=xavier-nx", "x");
  EXPECT_TRUE(concerns(f, "nano"));
  EXPECT_TRUE(concerns(f, "xavier-nx"));
  EXPECT_FALSE(concerns(f, "agx-orin"));
}

}  // namespace
}  // namespace ridgewatt::evaluate
