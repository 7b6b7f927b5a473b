// Tests the text of answers: jobs, confidence, and the limits to relax if there is no answer.
#include "ridgewatt/report/tune_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/text.h"

namespace ridgewatt::report {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(JobText, IsStatedInHoursAndWattHours) {
  EXPECT_EQ(duration_text(4980), "1 h 23 min");
  EXPECT_EQ(duration_text(245), "4 min 5 s");
  EXPECT_EQ(duration_text(12.34), "12.3 s");
  EXPECT_EQ(duration_text(59.99), "1 min 0 s");
  EXPECT_EQ(duration_text(3599.7), "1 h 0 min");
  EXPECT_EQ(energy_text(3600), "1 Wh");
  EXPECT_EQ(energy_text(3600 * 1500.0), "1.5 kWh");
}

TEST(LimitReport, OptionsBearTheUnitOfTheCommandLine) {
  EXPECT_EQ(limit_option(tune::LimitKind::kPower, 10.35), "--max-power 10.35");
  EXPECT_EQ(limit_option(tune::LimitKind::kLatency, 0.0412), "--max-latency 41.2");
  EXPECT_EQ(limit_option(tune::LimitKind::kSlowdown, 0.125), "--max-slowdown 12.5%");
}

TEST(LimitReport, APresetsNameIsNoCap) {
  EXPECT_THAT(preset_note({"15W", "", "MAXN"}, {17.6, 30, 40}),
              HasSubstr("not a cap: 15W draws 17.6 W here"));
  EXPECT_EQ(preset_note({"15W"}, {12}),
            "a preset sets cores and clocks; the power in its name is the vendor's budget for the "
            "module, not a cap");
  EXPECT_EQ(preset_note({"MAXN", ""}, {60, 70}), "");
  // A power limit that the firmware enforces is a cap.
  const Board gpu = load_board("a100-sxm-40gb");
  EXPECT_EQ(name_without_cap("200W", find_preset(gpu, "200W").mode), "");
  const Board orin = load_board("agx-orin");
  const PowerMode low = find_preset(orin, "MODE_15W").mode;
  EXPECT_EQ(name_without_cap("MODE_15W", low), "MODE_15W");
  EXPECT_EQ(sms_note(orin, {low}), "MODE_15W leaves 6 of 16 SMs on");
  EXPECT_EQ(sms_note(orin, {find_preset(orin, "MAXN").mode}), "");
}

TEST(LimitReport, WaitsInThePowerAreARemark) {
  EXPECT_EQ(waits_note(0.05), "");
  EXPECT_THAT(waits_note(0.417), HasSubstr("waits for data, up to 42 % of the time"));
}

// Computed by hand: 20 instead of 16 ms is 25 % more, 0.2 instead of 0.4 J is half.
TEST(TuneReport, GainAndCostAgainstMaxnAreASentence) {
  answer::TuneAnswer report;
  const auto point = [&](const char* name, int batch, double time_s, double power_w) {
    return tune::compared(report.outcome.goal, name,
                          Observation{{{4, 1e9, 1e9, 2e9, ""}, batch}, time_s, power_w});
  };
  report.outcome.compared = {point("MAXN", 1, 0.016, 25)};
  report.outcome.best = point("answer", 1, 0.020, 10);
  EXPECT_THAT(tune_sentences(report),
              ElementsAre("50 % less energy and 60 % less power for 25 % more time than MAXN"));
  report.outcome.best = point("answer", 4, 0.032, 25);
  EXPECT_THAT(tune_sentences(report),
              ElementsAre("50 % less time and 50 % less energy per sample at batch 4 than MAXN at "
                          "batch 1"));
  // The effect of the mode alone: at batch 4, MAXN takes 25 ms at 40 W.
  report.outcome.highest = point("MAXN", 4, 0.025, 40);
  EXPECT_THAT(tune_sentences(report),
              ElementsAre("20 % less energy and 38 % less power for 28 % more time than MAXN at "
                          "batch 4; its best batch is 1"));
  report.outcome.goal.limits.power_w = 30;
  report.outcome.highest = point("MAXN", 4, 0.025, 40);
  EXPECT_THAT(tune_sentences(report),
              ElementsAre(HasSubstr("than MAXN at batch 4, which is outside the limits; its best "
                                    "batch within them is 1")));
  report.outcome.goal.limits = {};
  report.outcome.highest.reset();
  report.outcome.compared = {point("highest mode", 1, 0.016, 25)};
  EXPECT_THAT(tune_sentences(report), ElementsAre(HasSubstr("than the highest mode at batch 1")));
  // At a request rate, the energy of a request contains idle power, and power while busy says
  // little.
  report.outcome.compared = {point("MAXN", 1, 0.016, 25)};
  report.outcome.compared.front().serving = {.energy_j = 0.8};
  report.outcome.best = point("answer", 1, 0.032, 15);
  report.outcome.best->serving = {.energy_j = 0.6};
  EXPECT_THAT(
      tune_sentences(report),
      ElementsAre("25 % less energy per request (with idle power) for 100 % more time than MAXN"));
  report.outcome.best = report.outcome.compared.front();
  EXPECT_THAT(tune_sentences(report), IsEmpty());
  report.outcome.slower_presets = {{"MODE_50W", "MODE_30W", Knob::kCpuClock, 1497.6}};
  EXPECT_THAT(tune_sentences(report),
              ElementsAre("MODE_50W is slower than MODE_30W here because it caps the CPU at 1497.6 "
                          "MHz"));
}

TEST(TuneReport, TheRuleIsStatedIfTheAnswerIsNotTheLeast) {
  answer::TuneAnswer report;
  auto& found = report.outcome;
  found.goal.objective = tune::Objective::kEnergy;
  const auto point = [&](double clock_hz, double time_s) {
    return tune::compared(found.goal, "",
                          Observation{{{4, 1e9, clock_hz, 2e9, ""}, 1}, time_s, 10});
  };
  found.compared = {point(1e9, 0.02)};
  found.best = point(1e9, 0.02);
  found.least = point(0.5e9, 0.0199);
  found.tie = 0.01;
  EXPECT_THAT(tune_sentences(report),
              Contains("of the points within 1 % of the least energy (0.199 J: 4 cores, CPU 1000, "
                       "GPU 500, memory 2000 MHz), the answer is the fastest"));
  found.tie = 0.04;
  found.surest = true;
  EXPECT_THAT(tune_sentences(report), Contains(AllOf(HasSubstr("within 4 % of the least"),
                                                     HasSubstr("most probably meets the limits"))));
}

// MODE_15W of the AGX Orin leaves 6 of 16 SMs on. A mode of a preset is set by its cores and
// clocks, so neither profiles nor predictions show this.
TEST(TuneReport, APresetWithFewerSmsIsNotedForEveryOrigin) {
  answer::TuneAnswer report;
  const auto note = [&](Provenance provenance, const std::string& board) {
    report.source.provenance = provenance;
    report.source.origin.board = board;
    // The fake board has the clocks of JetPack 5.1.
    const bool fake = board.starts_with("fake:");
    const PowerMode mode =
        find_preset(load_board(fake ? "agx-orin@jp5.1" : "agx-orin"), "MODE_15W").mode;
    report.outcome.compared = {
        tune::compared(report.outcome.goal, "MODE_15W", Observation{{mode, 4}, 0.02, 19.7})};
    return preset_note(report);
  };
  for (const char* board : {"agx-orin", "fake:agx-orin"}) {
    EXPECT_THAT(note(Provenance::kPredicted, board), HasSubstr("MODE_15W leaves 6 of 16 SMs on"));
    EXPECT_THAT(note(Provenance::kFake, board), HasSubstr("with all SMs on, and may be too fast"));
  }
  for (const char* board : {"", "local-of-nowhere", "fake:nothing"}) {
    EXPECT_THAT(note(Provenance::kProfiled, board), ::testing::Not(HasSubstr("SMs"))) << board;
  }
}

TEST(TuneReport, AProfiledAnswerNearALimitIsACaution) {
  answer::TuneAnswer report;
  report.outcome.goal.limits.power_w = 30;
  report.source.device = "agx-orin";
  const auto cautions = [&](double power_w, Provenance provenance) {
    report.source.provenance = provenance;
    report.outcome.best = tune::compared(report.outcome.goal, "answer",
                                         Observation{{{4, 1e9, 1e9, 2e9, ""}, 1}, 0.02, power_w});
    return tune_cautions(report);
  };
  EXPECT_THAT(cautions(29.9, Provenance::kFake),
              ElementsAre(HasSubstr("only 0.33 % below --max-power 30")));
  EXPECT_THAT(cautions(29, Provenance::kFake), IsEmpty());
  EXPECT_THAT(cautions(29.9, Provenance::kModelled), IsEmpty());  // has a confidence
}

// Rows of a model cost no time on a board.
TEST(TuneReport, ASearchInRowsOfAModelIsNotOnTheBoard) {
  answer::TuneAnswer report;
  report.trace.profiled.resize(2);
  report.trace.board_time_s = 14.6;
  report.source.origin.provenance = Provenance::kPredicted;
  EXPECT_THAT(tune_remarks(report), Contains(HasSubstr("according to rows that are predicted")));
  report.source.origin.provenance = Provenance::kFake;
  EXPECT_THAT(tune_remarks(report), Contains(HasSubstr("on the board")));
}

TEST(TuneReport, AnAnswerThatWaitsForDataSaysSo) {
  answer::TuneAnswer report;
  report.outcome.best = tune::compared(report.outcome.goal, "answer",
                                       Observation{{{4, 1e9, 1e9, 2e9, ""}, 1}, 0.02, 10});
  report.outcome.wait_share = 0.05;
  EXPECT_THAT(tune_sentences(report), IsEmpty());
  report.outcome.wait_share = 0.488;
  EXPECT_THAT(tune_sentences(report), ElementsAre(HasSubstr("waits for data 49 % of the time")));
  EXPECT_THAT(tune_sentences(report), ElementsAre(HasSubstr("--workers")));
}

// A card and a Jetson in one ranking: their powers count different things.
TEST(TuneReport, ARankingSaysWhatDoesNotCompare) {
  const auto remarks = [](const std::vector<std::string>& boards, double wait_share) {
    answer::TuneReply reply;
    reply.ranking.emplace();
    for (const auto& name : boards) {
      answer::TuneAnswer found;
      found.source.device = found.source.origin.board = name;
      found.source.origin.runtime = Runtime::kPytorchEager;
      found.outcome.wait_share = wait_share;
      found.outcome.best = tune::compared(found.outcome.goal, "answer",
                                          Observation{{{4, 1e9, 1e9, 2e9, ""}, 1}, 0.02, 10});
      reply.ranking->answers.push_back(found);
    }
    const Result result = reply_result(reply, false);
    const Json said = result.json.value("remarks", Json::array());
    EXPECT_EQ(said, Json(result.remarks));
    return result.remarks;
  };
  EXPECT_THAT(remarks({"agx-orin", "nano"}, 0), IsEmpty());
  EXPECT_THAT(remarks({"a40", "h100-sxm"}, 0), IsEmpty());
  EXPECT_THAT(remarks({"a40", "nano"}, 0), ElementsAre(HasSubstr("of the card alone")));
  EXPECT_THAT(remarks({"a40", "h100-sxm"}, 0.4),
              ElementsAre(HasSubstr("waiting for data: a40 40 %, h100-sxm 40 %")));
}

TEST(TuneReport, AMissNamesEveryLimitAndWhatToRelax) {
  answer::TuneAnswer report;
  report.outcome.goal.rate_hz = 30;
  report.outcome.goal.limits.power_w = 10;
  report.trace.considered = 3;
  const Observation seen{{{4, 1e9, 1e9, 2e9, ""}, 1}, 0.040, 10.5};
  report.outcome.miss = tune::compared(report.outcome.goal, "nearest miss", seen);
  report.outcome.relaxations = {{tune::LimitKind::kPower, 11, seen.point}};
  report.outcome.boards = {{"orin-nx-16gb", "scaled, not validated", 8.91}};
  std::string text;
  for (const auto& line : tune_headline(report)) text += line + "\n";
  EXPECT_THAT(text, HasSubstr("time between batches 40 ms is 20.0 % over"));
  EXPECT_THAT(text, HasSubstr("power 10.5 W is 5.0 % over"));
  EXPECT_THAT(text, HasSubstr("--max-power 11 has an answer"));
  EXPECT_THAT(text, HasSubstr("orin-nx-16gb (8.91 W)"));
  const Json json = tune_to_json(report);
  EXPECT_EQ(json["nearest_miss"]["broken"].size(), 2u);
  EXPECT_EQ(json["relaxations"][0]["option"], "--max-power 11");
  EXPECT_EQ(json["mends"], json["relaxations"]);  // deprecated name
}

}  // namespace
}  // namespace ridgewatt::report
