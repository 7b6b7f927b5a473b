#include "ridgewatt/study/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "ridgewatt/base/error.h"
#include "ridgewatt/base/random.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/study/study_analysis.h"
#include "ridgewatt/study/study_bench.h"
#include "ridgewatt/study/study_log.h"
#include "ridgewatt/sweep/quality.h"

namespace ridgewatt::study {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kTwoFactors = R"(
name = "two"
command = "true {a} {b}"
repeats = 4
[[factor]]
name = "a"
levels = [1, 2, 3]
[[factor]]
name = "b"
levels = ["x", "y"]
[factor.texts]
y = "why {who}"
[parameters]
who = "{a}!"
)";

TEST(Study, PlanHasEveryCellOnceABlockInAnOrderOfItsOwn) {
  const Study study = parse_study(kTwoFactors, "two.toml");
  const auto runs = plan_study(study, 3);
  ASSERT_EQ(runs.size(), 24u);
  std::set<std::vector<StudyCell>> orders;
  for (std::size_t block = 0; block < 4; ++block) {
    std::vector<StudyCell> order;
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_EQ(runs[block * 6 + i].block, std::to_string(block + 1));
      order.push_back(runs[block * 6 + i].cell);
    }
    EXPECT_EQ(std::set<StudyCell>(order.begin(), order.end()).size(), 6u);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 1u);
  const auto again = plan_study(study, 3);
  EXPECT_TRUE(std::equal(runs.begin(), runs.end(), again.begin(),
                         [](const auto& a, const auto& b) { return a.cell == b.cell; }));
}

TEST(Study, CommandsAreFilled) {
  const Study study = parse_study(kTwoFactors, "two.toml");
  EXPECT_EQ(fill_command(study.command, study, {"2", "x"}), "true 2 x");
  EXPECT_EQ(fill_command(study.command, study, {"2", "y"}), "true 2 why 2!");
  EXPECT_EQ(fill_command("echo ${HOME} {b}", study, {"2", "x"}), "echo ${HOME} x");
  EXPECT_THROW(fill_command("{nobody}", study, {"2", "x"}), UsageError);
}

TEST(Study, FaultsNameTheKey) {
  const auto fault = [](const std::string& toml) {
    try {
      parse_study(toml, "s.toml");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("no fault");
  };
  EXPECT_THAT(fault("name = 1"), HasSubstr("'name' must be a string"));
  EXPECT_THAT(fault("name = \"x\"\ncommand = \"c\""), HasSubstr("'factor' is missing"));
  EXPECT_THAT(fault("nam = 1"), HasSubstr("'nam' is not a key"));
  EXPECT_THAT(fault("name = \"x"), HasSubstr("s.toml line"));
  const std::string head = "name = \"x\"\ncommand = \"c\"\n[[factor]]\nname = \"a\"\n";
  EXPECT_THAT(fault(head + "levels = []"), HasSubstr("'factor.levels' must have"));
  EXPECT_THAT(fault(head + "levels = [1, 1]"), HasSubstr("twice"));
  EXPECT_THAT(fault(head + "levels = [1, inf]"), HasSubstr("not a finite number"));
  EXPECT_THAT(fault(head + "levels = [1]\nminimum = 2"), HasSubstr("of at least 2"));
  EXPECT_THAT(fault(head + "levels = [\"x\"]\nminimum = 2"), HasSubstr("with numeric levels"));
  EXPECT_THAT(fault(head + "levels = [\"x\"]\nchoices = [\"y\"]"), HasSubstr("has no level 'x'"));
  EXPECT_THAT(fault(head + "levels = 5"), HasSubstr("only if the factor is a clock"));
  EXPECT_THAT(fault(head + "levels = [1]\noptional = true"),
              HasSubstr("'factor.optional' applies only to"));
  EXPECT_THAT(fault(head + "levels = [1]\n[factor.needs]\n2 = \"true\""),
              HasSubstr("'factor.needs' has a key that is not a level"));
  EXPECT_THAT(fault("fallback = \"f\"\n" + head + "levels = [1]"),
              HasSubstr("'fallback' needs the key 'check'"));
}

TEST(Study, EveryShippedStudyLoadsAndItsCommandsAreWhole) {
  const auto names = list_studies();
  EXPECT_EQ(names.size(), 16u);
  for (const auto& name : names) {
    Study study = load_study(name);
    EXPECT_EQ(study.name, name);
    EXPECT_FALSE(study.question.empty());
    study.parameters["ridgewatt"] = "ridgewatt";
    study.parameters["device"] = "local";
    StudyCell cell;
    for (auto& factor : study.factors) {
      if (factor.levels.empty()) factor.levels = {"1", "2"};
    }
    for (const auto& run : plan_study(study, 1)) {
      EXPECT_EQ(fill_command(study.command, study, run.cell).find('{'), std::string::npos) << name;
      for (const auto* text : {&study.fake_command, &study.fallback, &study.before}) {
        EXPECT_EQ(fill_command(*text, study, run.cell).find('{'), std::string::npos) << name;
      }
    }
  }
  EXPECT_THROW(load_study("nothing"), NotFoundError);
}

// A level of a shipped study that its command does not understand is refused before anything runs.
TEST(Study, LevelsOfEveryShippedStudyAreChecked) {
  for (const auto& name : list_studies()) {
    const Study shipped = load_study(name);
    for (const auto& factor : shipped.factors) {
      const auto fault = [&](const std::string& levels) -> std::string {
        Study study = shipped;
        try {
          change_study(study, {.parameters = {}, .levels = {factor.name + "=" + levels}});
        } catch (const UsageError& error) {
          return error.what();
        }
        return "";
      };
      EXPECT_THAT(fault(""), HasSubstr("has an empty level")) << name;
      EXPECT_THAT(fault("nan"), HasSubstr("not a finite number")) << name;
      if (is_board_factor(factor.name)) continue;  // the board decides
      EXPECT_EQ(fault(fmt::format("{}", fmt::join(factor.levels, ", "))), "") << name;
      EXPECT_THAT(fault(factor.levels[0] + "," + factor.levels[0]), HasSubstr("twice")) << name;
      for (const char* level : {"no-such-level", "-1", "0.5", "1e9"}) {
        EXPECT_THAT(fault(level), HasSubstr(level)) << name << " " << factor.name;
      }
    }
  }
}

TEST(Study, LevelsFollowTheFile) {
  const auto fault = [](const std::string& factor, const std::string& levels) -> std::string {
    Study study = parse_study(
        "name = \"s\"\ncommand = \"true {f} {batch}\"\n[[factor]]\nname = " + factor, "s.toml");
    const std::string name = study.factors[0].name;
    try {
      change_study(study, {.parameters = {}, .levels = {name + "=" + levels}});
    } catch (const UsageError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(fault("\"f\"\nlevels = [\"x\", \"\"]", "y,z"), "");  // no choices: any word
  EXPECT_EQ(fault("\"f\"\nlevels = [\"x\", \"\"]", "y,"), "");   // the file has an empty level
  EXPECT_EQ(fault("\"f\"\nlevels = [0.5, 1]", "0.25,-3"), "");
  EXPECT_THAT(fault("\"f\"\nlevels = [0.5, 1]", "x"), HasSubstr("must be a number"));
  EXPECT_THAT(fault("\"f\"\nlevels = [2]\nminimum = 0\nmaximum = 3", "4"),
              HasSubstr("must be a whole number from 0 to 3"));
  EXPECT_THAT(fault("\"batch\"\nlevels = [2]", "0"), HasSubstr("must be a whole number from 1"));
  EXPECT_THAT(fault("\"f\"\nlevels = [\"on\", \"of\"]\nchoices = [\"on\", \"off\", \"of\"]", "fof"),
              HasSubstr("has no level 'fof'"));
  EXPECT_THAT(fault("\"f\"\nlevels = [\"a\"]\n[factor.texts]\na = \"b\"", "c"),
              HasSubstr("choose one of a"));
}

// Energy = 10 x 1.2^(a = 2) x 0.9^(b = y), with noise of `sd` in each run and 20 % in each block.
std::vector<StudyResult> synthetic(const Study& study, double sd, std::uint64_t seed,
                                   double interaction = 1) {
  Random random(seed);
  std::vector<StudyResult> results;
  std::map<std::string, double> blocks;
  for (const auto& run : plan_study(study, seed)) {
    if (!blocks.contains(run.block)) blocks[run.block] = std::exp(0.2 * random.normal());
    double energy_j = 10 * blocks[run.block] * std::exp(sd * random.normal());
    if (run.cell[0] == "2") energy_j *= 1.2;
    if (run.cell[0] == "3") energy_j *= 0.7;
    if (run.cell[1] == "y") energy_j *= 0.9 * (run.cell[0] == "3" ? interaction : 1);
    results.push_back({run.cell, run.block, {{"energy_j", energy_j}, {"time_s", 1}}});
  }
  return results;
}

const StudyEffect& effect(const StudyAnalysis& analysis, const std::string& to) {
  return *std::find_if(analysis.effects.begin(), analysis.effects.end(),
                       [&](const auto& e) { return e.response == "energy_j" && e.to == to; });
}

TEST(StudyAnalysis, EffectsAreRecoveredExactlyWithoutNoiseWhateverTheBlocks) {
  const Study study = parse_study(kTwoFactors, "two.toml");
  const StudyAnalysis analysis = analyze_study(study, synthetic(study, 0, 5, 1.5), false);
  EXPECT_NEAR(effect(analysis, "2").ratio, 1.2, 1e-12);
  EXPECT_NEAR(effect(analysis, "2").lo, 1.2, 1e-9);
  // b = y: 0.9 at two levels of a, 1.35 at the third level.
  EXPECT_NEAR(effect(analysis, "y").ratio, std::cbrt(0.9 * 0.9 * 1.35), 1e-12);
  // The effect of a from 1 to 3 is 1.5 times as large if b is y.
  ASSERT_FALSE(analysis.interactions.empty());
  EXPECT_NEAR(analysis.interactions.front().ratio, 1.5, 1e-9);
  EXPECT_TRUE(analysis.interactions.front().shown());
}

// label: slow
TEST(StudyAnalysis, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const Study study = parse_study(kTwoFactors, "two.toml");
  int held = 0;
  int false_alarms = 0;
  static constexpr int kTrials = 1000;
  for (int i = 0; i < kTrials; ++i) {
    const auto analysis =
        analyze_study(study, synthetic(study, 0.05, static_cast<std::uint64_t>(i) + 1), false);
    const auto& e = effect(analysis, "2");
    held += e.lo <= 1.2 && 1.2 <= e.hi ? 1 : 0;
    false_alarms += analysis.interactions.front().shown() ? 1 : 0;
  }
  // 95 % of 1,000, within three standard deviations.
  EXPECT_NEAR(held, 950, 21);
  EXPECT_NEAR(false_alarms, 50, 21);
}

TEST(StudyAnalysis, FindingsAreWordsFromTheNumbers) {
  const Study study = parse_study(kTwoFactors, "two.toml");
  const StudyAnalysis analysis = analyze_study(study, synthetic(study, 0, 5), false);
  EXPECT_THAT(
      analysis.findings,
      ::testing::Contains(HasSubstr("raising a from 1 to 3 cuts energy by 30.0 %, 30.0 to 30.0")));
  EXPECT_THAT(analysis.findings,
              ::testing::Contains(HasSubstr("b y instead of x cuts energy by 10.0 %")));
  EXPECT_THAT(analysis.findings, ::testing::Contains(HasSubstr("no difference in time is shown")));
}

// Energy is lowest at the highest level in two of three groups. The median of the best levels is
// therefore the highest level, but the mean saving is above zero because of the third group.
TEST(StudyAnalysis, TheSentenceOfAnOptimumSaysWhichFigureIsOfWhat) {
  const Study study = parse_study(
      "name = \"s\"\ncommand = \"true\"\nrepeats = 3\n[[factor]]\nname = \"cpu_mhz\"\n"
      "levels = [1, 2, 3]\n",
      "s.toml");
  std::vector<StudyResult> results;
  for (const auto& [block, energies_j] : std::map<std::string, std::array<double, 3>>{
           {"1", {3, 2, 1}}, {"2", {3, 2, 1}}, {"3", {3, 7, 10}}}) {
    for (int level = 1; level <= 3; ++level) {
      results.push_back({{std::to_string(level)},
                         block,
                         {{"energy_j", energies_j[static_cast<std::size_t>(level) - 1]},
                          {"time_s", 4.0 - level}}});
    }
  }
  const StudyAnalysis analysis = analyze_study(study, results, false);
  ASSERT_EQ(analysis.optima.size(), 1u);
  EXPECT_EQ(analysis.optima[0].highest, 2);
  EXPECT_NEAR(analysis.optima[0].saving.mean, 0.7 / 3, 1e-9);
  EXPECT_THAT(analysis.findings,
              ::testing::Contains(::testing::AllOf(
                  HasSubstr("energy is least at cpu_mhz 3 (median of 3 groups; inside the range in "
                            "0, at the highest level in 2); the best level of each group takes "
                            "23.3 % less than the highest"),
                  HasSubstr("with 66.7 % more time (means)"))));
}

// If the study varies the batch, the names of all figures per sample start with sample_.
TEST(StudyAnalysis, FiguresOfBatchesArePerSampleInName) {
  Study study = parse_study(
      "name = \"s\"\ncommand = \"true\"\nrepeats = 2\n"
      "responses = [\"minibatch_s\", \"energy_j\"]\n"
      "[[factor]]\nname = \"batch\"\nlevels = [1, 4]\n",
      "s.toml");
  std::vector<StudyResult> results;
  for (const auto& run : plan_study(study, 1)) {
    results.push_back({run.cell,
                       run.block,
                       {{"minibatch_s", 4},
                        {"minibatch_energy_j", 8},
                        {"stall_s", 1},
                        {"compute_s", 3},
                        {"energy_j", 80}}});
  }
  use_samples(study, results);
  EXPECT_EQ(study.responses, (std::vector<std::string>{"sample_s", "energy_j"}));
  for (const auto& result : results) {
    const double batch = result.cell[0] == "1" ? 1 : 4;
    EXPECT_EQ(result.responses, (Responses{{"sample_s", 4 / batch},
                                           {"sample_energy_j", 8 / batch},
                                           {"sample_stall_s", 1 / batch},
                                           {"sample_compute_s", 3 / batch},
                                           {"energy_j", 80}}));
  }
  const auto findings = analyze_study(study, results, false).findings;
  EXPECT_THAT(findings, ::testing::Contains(HasSubstr("cuts time per sample by 75.0 %")));
  for (const auto& finding : findings) EXPECT_THAT(finding, Not(HasSubstr("minibatch")));
}

TEST(StudyAnalysis, BlocksThatDifferTooMuchTellNothing) {
  Study study = parse_study(
      "name = \"n\"\ncommand = \"true {batch}\"\nrepeats = 2\n[[factor]]\nname = "
      "\"batch\"\nlevels = [1, 4]\n",
      "n.toml");
  // The effect is a factor of 10 in one block and 0.1 in the other.
  const std::vector<StudyResult> results = {{{"1"}, "1", {{"sample_s", 1}}},
                                            {{"4"}, "1", {{"sample_s", 10}}},
                                            {{"1"}, "2", {{"sample_s", 1}}},
                                            {{"4"}, "2", {{"sample_s", 0.1}}}};
  EXPECT_THAT(
      analyze_study(study, results, false).findings,
      ::testing::Contains("raising batch from 1 to 4: time per sample varies too much between "
                          "2 blocks to tell"));
}

// A sparse sweep, or an interrupted study, may have no pair of runs to compare.
TEST(StudyAnalysis, AFactorWithoutRunsToCompareIsSaidToBeUnknown) {
  const Study study = parse_study(
      "name = \"s\"\ncommand = \"true {batch} {cpu_mhz}\"\nrepeats = 2\n"
      "[[factor]]\nname = \"batch\"\nlevels = [1, 4]\n"
      "[[factor]]\nname = \"cpu_mhz\"\nlevels = [100, 200]\n",
      "s.toml");
  std::vector<StudyResult> results = {{{"1", "100"}, "1", {{"time_s", 1}}},
                                      {{"4", "200"}, "1", {{"time_s", 2}}}};
  const auto unknown = [](const char* factor) {
    return ::testing::Contains(
        HasSubstr(std::string("the effect of ") + factor + " is not known: no two runs"));
  };
  const auto sparse = analyze_study(study, results, true);
  EXPECT_TRUE(sparse.effects.empty());
  EXPECT_THAT(sparse.findings, unknown("batch"));
  EXPECT_THAT(sparse.findings, unknown("cpu_mhz"));
  results.push_back({{"4", "100"}, "1", {{"time_s", 3}}});
  const auto full = analyze_study(study, results, true);
  EXPECT_THAT(full.findings, Not(unknown("batch")));
  EXPECT_THAT(full.findings, Not(unknown("cpu_mhz")));
}

// Levels that the machine lacks are left out and reported before anything runs.
TEST(StudyBench, WhatDoesNotRunHereIsLeftOutOrReplaced) {
  const testing::TemporaryFolder folder;
  const platform::LocalDevice device =
      platform::open_local_device("local", folder.path().string());  // without knobs
  const std::string text = R"(
name = "n"
command = "exit 3"
check = "false"
fallback = "test {a} != c && echo 'note hello' >&$RIDGEWATT_MARK_FD; echo 'value v 2' >&$RIDGEWATT_MARK_FD; test -e {file}"
before = "touch {file}"
repeats = 2
[parameters]
file = ")" + (folder.path() / "before").string() +
                           R"("
[[factor]]
name = "a"
levels = ["x", "y"]
[factor.needs]
y = "exit 1"
[[factor]]
name = "governor"
optional = true
levels = ["fixed", "schedutil"]
)";
  Study study = parse_study(text, "n.toml");
  CommandBench bench(device, {.settle_s = 0});
  bench.prepare(study);
  ASSERT_EQ(study.factors.size(), 1u);
  EXPECT_EQ(study.factors[0].levels, std::vector<std::string>{"x"});
  ASSERT_EQ(bench.remarks().size(), 3u);
  EXPECT_THAT(bench.remarks()[0], HasSubstr("'false' fails here"));
  EXPECT_THAT(bench.remarks()[1], HasSubstr("the factor is left out"));
  EXPECT_THAT(bench.remarks()[2], HasSubstr("a y is left out"));
  const auto responses = bench.run(study, {"x"});
  EXPECT_EQ(responses.at("value v"), 2);
  EXPECT_EQ(bench.notes(), std::vector<std::string>{"hello"});
  // The file of runs also keeps a note only once.
  StudyLog log((folder.path() / "s.db").string(), study, "local", 1);
  log.add_note("hello");
  log.add_note("hello");
  EXPECT_EQ(StudyLog((folder.path() / "s.db").string(), study, "local", 1).notes(),
            std::vector<std::string>{"hello"});
  // Without a fallback, a command that fails is an error. So is a missing factor that is not
  // optional.
  Study strict = parse_study(text, "n.toml");
  strict.fallback.clear();
  EXPECT_THROW(CommandBench(device, {}).prepare(strict), NotSupportedError);
  strict = parse_study(text, "n.toml");
  strict.factors[1].optional = false;
  EXPECT_THROW(CommandBench(device, {}).prepare(strict), NotSupportedError);
  EXPECT_THROW(CommandBench(device, {.full_fan = true}), NotSupportedError);
}

TEST(StudyLog, KeepsRunsAndKnowsThem) {
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "study.db").string();
  Study study = parse_study(kTwoFactors, "two.toml");
  const auto runs = plan_study(study, 1);
  {
    StudyLog log(path, study, "local", 1);
    log.add(runs[0], {{"time_s", 0.1 + 0.2}});
    EXPECT_TRUE(log.has(runs[0]));
    EXPECT_FALSE(log.has(runs[1]));
    EXPECT_THROW(log.add(runs[0], {}), Error);
  }
  StudyLog again(path, study, "local", 1);
  ASSERT_EQ(again.results().size(), 1u);
  EXPECT_EQ(again.results()[0].responses.at("time_s"), 0.1 + 0.2);
  EXPECT_EQ(again.results()[0].cell, runs[0].cell);
  // Another seed, board or parameter makes it another study.
  EXPECT_FALSE(StudyLog(path, study, "local", 2).has(runs[0]));
  study.parameters["who"] = "me";
  EXPECT_FALSE(StudyLog(path, study, "local", 1).has(runs[0]));
  EXPECT_THROW(StudyLog(folder.write("other", "text that is no database"), study, "local", 1),
               Error);
}

TEST(StudyReplay, InteriorMinimumInEveryGroupOfTheLoudVaSweeps) {
  RIDGEWATT_REQUIRE_SHARED();
  const struct {
    const char* board;
    std::size_t groups;
    double lo_mhz, hi_mhz;
  } boards[] = {{"nano", 13, 614, 768}, {"xavier-nx", 18, 701, 1008}};
  for (const auto& board : boards) {
    const Sweep sweep = read_sweep(
        (testing::shared_folder() / "data" / board.board / "inference/inception_v1_triton.csv")
            .string());
    Study study = load_study("frequency");
    std::vector<std::string> left_out;
    const auto results = replay_study(study, trusted_rows(sweep, check_quality(sweep)), left_out);
    EXPECT_EQ(left_out, std::vector<std::string>{"cpu_mhz"});
    const StudyAnalysis analysis = analyze_study(study, results, true);
    ASSERT_EQ(analysis.optima.size(), 1u);
    const auto& optimum = analysis.optima[0];
    EXPECT_EQ(optimum.groups.size(), board.groups);
    EXPECT_EQ(optimum.interior, static_cast<int>(board.groups));
    for (const auto& group : optimum.groups) {
      EXPECT_GE(group.level, board.lo_mhz);
      EXPECT_LE(group.level, board.hi_mhz);
      EXPECT_GT(group.saving, 0);
    }
  }
}

}  // namespace
}  // namespace ridgewatt::study
