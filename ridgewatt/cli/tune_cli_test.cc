// The contract of `ridgewatt tune` and `ridgewatt evaluate strategies` on the command line.
#include <gtest/gtest.h>

#include <algorithm>

#include "ridgewatt/base/json.h"
#include "ridgewatt/base/test_support.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/board_fixture.h"

namespace ridgewatt {
namespace {

using testing::ProgramResult;
using testing::run_program;

class TuneCommand : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  std::string sweep_ =
      folder_.write("sweep.csv", write_sweep_csv({testing::small_board_sweep({4, 16})}));

  Json tune(const std::string& arguments, int status = 0) {
    const ProgramResult result =
        run_program("tune --quiet --format json --sweep " + sweep_ + " " + arguments);
    EXPECT_EQ(result.status, status) << result.output;
    // Without an answer a line on standard error follows the JSON.
    return Json::parse(result.output.substr(0, result.output.rfind('}') + 1));
  }
};

TEST_F(TuneCommand, AnswersWithAProfiledPointOfTheSweep) {
  const Json answer = tune("--max-power 12 --profiles 12 --seed 3");
  EXPECT_EQ(answer["feasible"], true);
  EXPECT_LE(answer["power_w"].get<double>(), 12);
  EXPECT_EQ(answer["provenance"], "replayed");
  EXPECT_EQ(answer["strategy"], "auto");
  EXPECT_EQ(answer["seed"], 3);
  EXPECT_NEAR(answer["energy_j"].get<double>(),
              answer["power_w"].get<double>() * answer["time_ms"].get<double>() / 1e3, 1e-9);
  ASSERT_LE(answer["profiled"].size(), 12u);
  bool found = false;
  for (const auto& step : answer["profiled"]) {
    found = found || (step["mode"] == answer["mode"] && step["batch"] == answer["batch"]);
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(tune("--max-power 12 --profiles 12 --seed 3"), answer);
}

TEST_F(TuneCommand, NoSolutionIsJsonAndExitStatusThree) {
  const Json answer = tune("--max-power 1", 3);
  EXPECT_EQ(answer["feasible"], false);
  EXPECT_GT(answer["nearest_miss"]["power_w"].get<double>(), 1);
}

TEST_F(TuneCommand, ExhaustiveIsTheOptimumAndSlowdownHolds) {
  const Json best = tune("--minimize energy --max-slowdown 10% --strategy exhaustive");
  const Json found = tune("--minimize energy --max-slowdown 10% --profiles 15");
  EXPECT_GE(found["objective"].get<double>(), best["objective"].get<double>());
  EXPECT_LE(found["objective"].get<double>(), 1.05 * best["objective"].get<double>());
}

TEST_F(TuneCommand, ObservationsAreKeptForTheNextQuestion) {
  const std::string kept = (folder_.path() / "kept.csv").string();
  const Json first = tune("--max-power 12 --profiles 8 --observations " + kept);
  EXPECT_EQ(read_sweep(kept).observations.size(), first["profiled"].size());
  const Json second = tune("--max-power 12 --profiles 1 --observations " + kept);
  EXPECT_LE(second["objective"].get<double>(), first["objective"].get<double>());
}

TEST_F(TuneCommand, UsageErrorsAreOneLineAndStatusTwo) {
  for (const char* arguments :
       {"", "--max-power -1", "--minimize speed", "--strategy luck", "--profiles 0",
        "--max-slowdown x", "--time-budget 5parsec", "--confidence 2", "--batch 7"}) {
    const std::string from = *arguments == '\0' ? "" : "--sweep " + sweep_ + " ";
    const ProgramResult result = run_program("tune " + from + arguments);
    EXPECT_EQ(result.status, 2) << arguments << '\n' << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

TEST_F(TuneCommand, TwinAnswersWithIntervalsAndSaysItIsModelled) {
  const ProgramResult result =
      run_program("tune zoo:resnet18 --device agx-orin --max-power 25 --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json answer = Json::parse(result.output);
  EXPECT_EQ(answer["provenance"], "modelled");
  EXPECT_LE(answer["power_w"].get<double>(), 25);
  EXPECT_LT(answer["time_lo_ms"].get<double>(), answer["time_ms"].get<double>());
  EXPECT_EQ(answer["considered"], 18096);
  EXPECT_TRUE(answer["profiled"].empty());
  EXPECT_EQ(answer["fits_memory"], true);
}

TEST_F(TuneCommand, EvaluationScoresEveryStrategyOnTheSameProblems) {
  const ProgramResult result = run_program("evaluate strategies --quiet --training " + sweep_ +
                                           " --only 'energy' --seeds 1 --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json scores = Json::parse(result.output);
  ASSERT_GT(scores.size(), 1u);
  for (const auto& score : scores) {
    EXPECT_EQ(score["problems"], scores[0]["problems"]);
    EXPECT_GE(score["mean_penalty_pct"].get<double>(), 0);
    EXPECT_EQ(score["violations_pct"], 0);
  }
}

}  // namespace
}  // namespace ridgewatt
