// Tests `ridgewatt predict`, `pareto` and `evaluate predictors` on the command line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/report/result.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/board_fixture.h"

namespace ridgewatt::cli {
namespace {

using testing::ProgramResult;
using testing::run_program;

class PredictCommand : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
  Sweep board_ = testing::small_board_sweep({16});
  std::string sweep_ = folder_.write("sweep.csv", write_sweep_csv({board_}));

  // A file with every `stride`-th row.
  std::string samples(std::size_t stride) {
    Sweep some = board_;
    some.observations.clear();
    for (std::size_t i = 0; i < board_.observations.size(); i += stride) {
      some.observations.push_back(board_.observations[i]);
    }
    return folder_.write("samples.csv", write_sweep_csv({some}));
  }

  static Json json_of(const std::string& arguments) {
    const ProgramResult result = run_program(arguments + " --quiet --format json");
    EXPECT_EQ(result.status, 0) << arguments << '\n' << result.output;
    return report::without_schema(Json::parse(result.output));
  }
};

TEST_F(PredictCommand, EveryAskedModeHasAMeanWithinItsInterval) {
  const Json rows = json_of("predict --samples " + samples(7) + " --query " + sweep_);
  ASSERT_EQ(rows.size(), board_.observations.size());
  for (const auto& row : rows) {
    for (const std::string name : {"time", "power", "energy"}) {
      const std::string unit = name == "time" ? "_ms" : name == "power" ? "_w" : "_j";
      EXPECT_GT(row[name + "_lo" + unit].get<double>(), 0);
      EXPECT_LE(row[name + "_lo" + unit], row[name + unit]);
      EXPECT_LE(row[name + unit], row[name + "_hi" + unit]);
    }
  }
}

TEST_F(PredictCommand, ADisturbedProfileIsNamedAndItsMeasurementIsNotTheAnswer) {
  Sweep some = board_;
  some.observations.clear();
  for (std::size_t i = 0; i < board_.observations.size(); i += 23) {
    some.observations.push_back(board_.observations[i]);
  }
  ASSERT_LE(some.observations.size(), 12U);
  const auto ask = [&](const std::string& command) {
    return run_program(command + " --samples " +
                       folder_.write("some.csv", write_sweep_csv({some})));
  };
  const std::string remark = "the profile of ";
  EXPECT_EQ(ask("predict --query " + sweep_).output.find(remark), std::string::npos);
  Observation& disturbed = some.observations[4];
  disturbed.time_s *= 0.5;
  disturbed.power_w *= 0.5;
  const ProgramResult predicted = ask("predict --query " + sweep_);
  EXPECT_NE(predicted.output.find(remark + describe(disturbed.point.mode)), std::string::npos)
      << predicted.output;
  // With half the time and power, the row would be on the front.
  const ProgramResult front = ask("pareto --query " + sweep_ + " --format json");
  EXPECT_NE(front.output.find(remark), std::string::npos) << front.output;
  const Json rows = report::without_schema(Json::parse(
      front.output.substr(front.output.find_first_of("[{"),
                          front.output.find_last_of("]}") + 1 - front.output.find_first_of("[{"))));
  for (const auto& row : rows) {
    EXPECT_GT(std::abs(row["time_ms"].get<double>() / (1e3 * disturbed.time_s) - 1), 1e-6);
  }
  const ProgramResult tuned = ask("tune");
  EXPECT_NE(tuned.output.find(remark + describe(disturbed.point.mode)), std::string::npos)
      << tuned.output;
}

TEST_F(PredictCommand, SuggestsWhatBudgetsOfPowerNeed) {
  const std::string next =
      "predict --samples " + samples(9) + " --query " + sweep_ + " --suggest 4 --budgets ";
  const Json low = json_of(next + "6:8"), high = json_of(next + "12");
  ASSERT_EQ(low.size(), 4U);
  ASSERT_EQ(high.size(), 4U);
  for (const auto& row : low) {
    for (const auto& other : high) {
      EXPECT_LT(row["power_w"].get<double>(), other["power_w"].get<double>());
    }
  }
}

TEST_F(PredictCommand, AdviceAddsProfilingAndLostTimeForEachScenario) {
  const Json rows = json_of("predict --device agx-orin --advise --minibatch-time 250");
  std::set<std::string> scenarios;
  for (const auto& row : rows) {
    scenarios.insert(row["scenario"].get<std::string>());
    EXPECT_NEAR(row["total_h"].get<double>(),
                row["profiling_h"].get<double>() + row["lost_h"].get<double>(), 1e-9);
  }
  EXPECT_EQ(scenarios.size(), 4U);
  const Json own = json_of(
      "predict --device agx-orin --advise --minibatch-time 250 --training-hours 2 --trainings 3");
  EXPECT_LT(own.size(), rows.size());
  // A job of one hour is over before a profile of 25 s per minibatch pays.
  const auto brief = testing::run_program(
      "predict --device orin-nano --advise --minibatch-time 25000 --training-hours 1");
  EXPECT_THAT(brief.output, ::testing::HasSubstr("job: the preset needs no profile and loses "
                                                 "0.454 h"));
}

// label: slow
TEST_F(PredictCommand, EvaluationScoresMethodsAndDrawsFigures) {
  const std::string svg = (folder_.path() / "scores.svg").string();
  const std::string evaluate = "evaluate predictors --sweep " + sweep_ + " --reference " + sweep_;
  const Json rows =
      json_of(evaluate + " --methods auto,linear --sizes 8,16 --runs 2 --figures " + svg);
  ASSERT_EQ(rows.size(), 4U);
  // With the same sweep as reference, the few-shot predictor is better than a line.
  EXPECT_LT(rows[0]["time_mape_pct"].get<double>(), rows[2]["time_mape_pct"]);
  EXPECT_NE(read_file(svg).find("</svg>"), std::string::npos);
  const Json misled = json_of(evaluate + " --sizes 8 --runs 2 --shuffle-reference");
  EXPECT_GT(misled[0]["time_mape_pct"].get<double>(), rows[0]["time_mape_pct"]);
  EXPECT_EQ(json_of(evaluate + " --sizes 8 --runs 2 --threads 1"),
            json_of(evaluate + " --sizes 8 --runs 2 --threads 2"));
}

// label: slow
TEST_F(PredictCommand, ModesChosenForBudgetsKeepThemBetter) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto sweep = testing::shared_folder() / "data/agx-orin/training/mobilenet_v3.csv";
  const std::string evaluate =
      "evaluate predictors --sizes 20 --runs 3 --sweep " + sweep.string() + " --sampling ";
  const Json designed = json_of(evaluate + "designed")[0];
  const Json chosen = json_of(evaluate + "budgets")[0];
  EXPECT_LT(chosen["area_w"].get<double>(), designed["area_w"].get<double>());
  EXPECT_LT(chosen["penalty_pct"].get<double>(), 2);
  // With a budget above the power of the board, no answer can be wrong. With one below, there is no
  // answer.
  EXPECT_EQ(json_of(evaluate + "random --budgets 90")[0]["over_pct"], 0);
  const Json none = json_of(evaluate + "random --budgets 1")[0];
  EXPECT_TRUE(none["over_pct"].is_null() && none["penalty_pct"].is_null()) << none;
}

TEST_F(PredictCommand, NoMoreModesAreChosenThanThereAre) {
  Sweep few = board_;
  few.observations.resize(9);
  few.observations.push_back(few.observations[0]);
  const std::string sweep = folder_.write("few.csv", write_sweep_csv({few}));
  for (const std::string sampling : {"designed", "budgets"}) {
    const ProgramResult result = run_program("evaluate predictors --sizes 10 --runs 1 --sweep " +
                                             sweep + " --sampling " + sampling);
    EXPECT_EQ(result.status, 2) << result.output;
    EXPECT_NE(result.output.find("cannot take 10 samples from a sweep of 9 rows"),
              std::string::npos)
        << result.output;
  }
}

TEST_F(PredictCommand, NothingIsSuggestedForBudgetsThatNoModeKeeps) {
  const ProgramResult result = run_program("predict --samples " + samples(9) + " --query " +
                                           sweep_ + " --suggest 1 --budgets 0.01");
  EXPECT_EQ(result.status, 3) << result.output;
}

// A predictor that returns the learned values has no error on them, so such rows do not test
// intervals.
TEST_F(PredictCommand, CoverageIsOfRowsThatWereNotLearnedFrom) {
  const std::string evaluate =
      "evaluate predictors --methods linear --runs 1 --sweep " + sweep_ + " --sizes ";
  const std::string all = std::to_string(board_.observations.size());
  const Json everything = json_of(evaluate + all)[0];
  EXPECT_TRUE(everything["time_coverage_pct"].is_null()) << everything;
  EXPECT_TRUE(everything["power_width_ratio"].is_null()) << everything;
  EXPECT_TRUE(everything["time_mape_pct"].is_number());
  // With a single row held out, the coverage is 0 or 100 %.
  const std::string all_but_one = std::to_string(board_.observations.size() - 1);
  const double share = json_of(evaluate + all_but_one)[0]["time_coverage_pct"];
  EXPECT_TRUE(share == 0 || share == 100) << share;
}

TEST_F(PredictCommand, FewClocksAreScoredAgainstTheMeasuredOptimum) {
  const Json rows = json_of("evaluate clocks --count 3 --sweep " + sweep_);
  ASSERT_GT(rows.size(), 0U);
  for (const auto& row : rows) {
    EXPECT_GE(row["excess_pct"].get<double>(), 0);
    EXPECT_EQ(row["within"].get<int>(), row["excess_pct"].get<double>() <= 1 ? 1 : 0);
  }
}

TEST_F(PredictCommand, ClocksAreNotSearchedWhereThereAreNone) {
  const std::string sweep = folder_.write("batches.csv",
                                          "workload,kind,batch,gpu_mhz,time_ms,power_w\n"
                                          "a,inference,1,900,10,5\n"
                                          "a,inference,2,900,20,5\n");
  const ProgramResult result = run_program("evaluate clocks --sweep " + sweep);
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  EXPECT_NE(result.output.find("GPU clock"), std::string::npos) << result.output;
}

// label: slow
TEST_F(PredictCommand, AnUnseenTwinIsAPriorOfTheEvaluation) {
  RIDGEWATT_REQUIRE_SHARED();
  const auto data = testing::shared_folder() / "data/agx-orin";
  const std::string inference = (data / "inference/resnet50.csv").string();
  const std::string training = (data / "training/resnet18.csv").string();
  const Json rows = json_of("evaluate predictors --sizes 10 --runs 1 --sampling designed --sweep " +
                            training + " --device agx-orin --twin-sweep " + inference);
  EXPECT_LT(rows[0]["time_mape_pct"].get<double>(), 9);
  const ProgramResult nothing_left = run_program("evaluate predictors --sweep " + training +
                                                 " --device agx-orin --twin-sweep " + training);
  EXPECT_EQ(nothing_left.status, 2) << nothing_left.output;
}

TEST_F(PredictCommand, BudgetsThatAreNoneAreRefused) {
  const std::string next =
      "predict --samples " + samples(9) + " --query " + sweep_ + " --suggest 1 --budgets ";
  for (const std::string budgets :
       {"17-50", "a:b", "50:17", "0:10", "1:2:3", "1:nan", "1:1e9", ":", "''"}) {
    const ProgramResult result = run_program(next + budgets);
    EXPECT_EQ(result.status, 2) << budgets << '\n' << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

TEST_F(PredictCommand, NoPowerExceedsTheLimitOfTheBoard) {
  const std::string one =
      folder_.write("one.csv",
                    "workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w\n"
                    "w,training,16,12,2201.6,1300.5,3199,66.9,52.3\n");
  const Json found = json_of("predict --samples " + one + " --device agx-orin");
  ASSERT_GT(found.size(), 1000u);
  double most_w = 0;
  for (const auto& row : found) {
    most_w = std::max({most_w, row["power_w"].get<double>(), row["power_hi_w"].get<double>()});
    EXPECT_LE(row["power_w"].get<double>(), row["power_hi_w"].get<double>());
  }
  EXPECT_DOUBLE_EQ(most_w, 60);
}

TEST_F(PredictCommand, UsageErrorsAreOneLineAndStatusTwo) {
  for (const std::string arguments :
       {"predict", "predict --advise", "predict --device agx-orin --advise",
        "predict --minibatch-time 5", "predict --device agx-orin --suggest 3 --budgets 17:50",
        "evaluate predictors", "evaluate clocks --sweep x --count 0"}) {
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2) << arguments << '\n' << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

// A prediction from fake samples is marked as fake in every row; one from a recording is marked as
// a prediction.
// label: slow
TEST_F(PredictCommand, RowsCarryWhereTheyComeFrom) {
  Sweep fake = board_;
  fake.provenance = Provenance::kFake;
  fake.board = "agx-orin";
  const std::string samples_path = folder_.write("fake.csv", write_sweep_csv({fake}));
  const std::string out = (folder_.path() / "predicted.csv").string();
  const auto result = run_program("predict --samples " + samples_path + " --query " + sweep_ +
                                  " --quiet -o " + out);
  ASSERT_EQ(result.status, 0) << result.output;
  for (const auto& row : read_sweeps(out)) {
    EXPECT_EQ(row.provenance, Provenance::kFake);
    EXPECT_EQ(row.board, "agx-orin");
    EXPECT_EQ(row.workload, board_.workload);
  }
  for (const auto& row : json_of("predict --samples " + samples(7) + " --query " + sweep_)) {
    EXPECT_EQ(row["provenance"], "predicted");
  }
  for (const auto& row : json_of("pareto --sweep " + samples_path)) {
    EXPECT_EQ(row["provenance"], "fake");
  }
}

// label: slow
TEST_F(PredictCommand, OneOfSeveralWorkloadsIsChosenByName) {
  Sweep other = board_;
  other.workload = "other";
  const std::string both = folder_.write("both.csv", write_sweep_csv({board_, other}));
  for (const std::string& command :
       {"predict --query " + sweep_ + " --samples ", std::string("pareto --sweep ")}) {
    const auto refused = run_program(command + both);
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.output.find("--workload"), std::string::npos) << refused.output;
    EXPECT_EQ(run_program(command + both + " --workload other").status, 0);
    EXPECT_EQ(run_program(command + both + " --workload other:inference").status, 0);
    EXPECT_NE(run_program(command + both + " --workload none").status, 0);
  }
}

// The command in the hint of an error must work.
// label: slow
TEST_F(PredictCommand, AFileWithoutItsOptionIsShownTheLine) {
  for (const char* command : {"predict", "tune --max-power 40 --profiles 3 -q --device x"}) {
    const auto refused = run_program(std::string(command) + ' ' + sweep_ + " extra");
    EXPECT_EQ(refused.status, 2) << refused.output;
  }
  const auto refused = run_program("predict --query " + sweep_ + " " + sweep_);
  EXPECT_EQ(refused.status, 2);
  const auto begin = refused.output.find("'ridgewatt ");
  ASSERT_NE(begin, std::string::npos) << refused.output;
  const auto end = refused.output.find('\'', begin + 1);
  const std::string line = refused.output.substr(begin + 11, end - begin - 11);
  EXPECT_EQ(line, "predict --samples " + sweep_);
  EXPECT_EQ(run_program(line + " --query " + sweep_).status, 0);
}

TEST_F(PredictCommand, ParetoTakesASweepAsItsArgument) {
  const auto named = run_program("pareto --format csv -q --sweep " + sweep_);
  ASSERT_EQ(named.status, 0) << named.output;
  EXPECT_EQ(run_program("pareto --format csv -q " + sweep_).output, named.output);
  for (const std::string other : {"--sweep ", "--samples "}) {
    EXPECT_EQ(run_program("pareto " + sweep_ + " " + other + sweep_).status, 2) << other;
  }
}

// A sweep has no intervals. The rows of `estimate` have, but they are not read, which is said.
TEST_F(PredictCommand, AFrontOfModelledRowsShowsNoInterval) {
  const std::string rows = (folder_.path() / "modes.csv").string();
  ASSERT_EQ(run_program("estimate zoo:lenet5 --device agx-orin --modes presets --batch 4 -q "
                        "--format csv -o " +
                        rows)
                .status,
            0);
  for (const auto& row : json_of("pareto --sweep " + rows)) {
    for (const char* end : {"time_lo_ms", "time_hi_ms", "power_lo_w", "energy_hi_j"}) {
      EXPECT_TRUE(row[end].is_null()) << end;
    }
  }
  const ProgramResult table = run_program("pareto --wide " + rows);
  EXPECT_EQ(table.output.find("from"), table.output.find("from the file")) << table.output;
  EXPECT_NE(table.output.find("the rows are modelled"), std::string::npos) << table.output;
}

// The requested costs are shown on any width of the terminal.
TEST_F(PredictCommand, PresetsAreComparedInTheCostsAskedFor) {
  ASSERT_EQ(
      run_program("sweep example --device agx-orin --workload lenet5 --mode-count 400 -q -o " +
                  (folder_.path() / "example.csv").string())
          .status,
      0);
  const std::string line =
      "pareto --device agx-orin --presets --sweep " + (folder_.path() / "example.csv").string();
  const auto hidden = [&](const std::string& costs) {
    const auto shown = run_program(line + costs);
    EXPECT_EQ(shown.status, 0) << shown.output;
    return shown.output.substr(std::min(shown.output.find("hidden:"), shown.output.size()));
  };
  const std::string by_energy = hidden(" --x time --y energy"), by_power = hidden("");
  EXPECT_EQ(by_energy.find("energy change"), std::string::npos) << by_energy;
  EXPECT_NE(by_energy.find("power change"), std::string::npos) << by_energy;
  EXPECT_EQ(by_power.find("power change"), std::string::npos) << by_power;
  EXPECT_NE(by_power.find("energy change"), std::string::npos) << by_power;
}

TEST_F(PredictCommand, SamplesOfAnotherBoardAreRefused) {
  const std::string agx =
      folder_.write("agx.csv", "cpu_cores,gpu_mhz,time_ms,power_w\n12,1300.5,10,30\n");
  for (const std::string command : {"predict", "pareto", "tune"}) {
    const auto result = run_program(command + " --device nano --samples " + agx);
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_NE(result.output.find("cpu_cores 12 is not a value that board nano has"),
              std::string::npos)
        << result.output;
    EXPECT_NE(result.output.find("line 2"), std::string::npos) << result.output;
  }
}

// label: slow
TEST_F(PredictCommand, AnExampleSweepAnswersTheFirstQuestions) {
  const std::string path = (folder_.path() / "example.csv").string();
  ASSERT_EQ(run_program("sweep example --device agx-orin -o " + path).status, 0);
  const std::string training = " --workload resnet18:training";
  for (const std::string& command :
       {"predict --device agx-orin --samples " + path + training,
        "pareto --sweep " + path + training, "tune --sweep " + path + training + " --max-power 30",
        "schedule plan --training-sweep " + path + " --inference-sweep " + path +
            " --arrival-rate 60 --max-latency 500 --max-power 40"}) {
    const auto result = run_program(command + " --format json --quiet");
    ASSERT_EQ(result.status, 0) << command << result.output;
    EXPECT_NE(result.output.find("\"provenance\": \"fake\""), std::string::npos) << command;
    EXPECT_EQ(result.output.find("replayed"), std::string::npos) << command;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
