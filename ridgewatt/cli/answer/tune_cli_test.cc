// Tests `ridgewatt tune` and `ridgewatt evaluate strategies` on the command line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/sweep/sweep.h"
#include "ridgewatt/tune/board_fixture.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
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
    // If there is no answer, a line on standard error follows the JSON.
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

TEST_F(TuneCommand, StatesHowProbablyNothingIsBetterAndEndsAtThat) {
  const Json whole = tune("--max-power 12 --profiles 40");
  const Json ended = tune("--max-power 12 --profiles 40 --near-best 0.8");
  EXPECT_EQ(ended["stopped_because"], "probably near the best");
  EXPECT_GE(ended["near_best"].get<double>(), 0.8);
  EXPECT_LT(ended["profiled"].size(), whole["profiled"].size());
  EXPECT_GE(whole["near_best"].get<double>(), ended["near_best"].get<double>());
}

TEST_F(TuneCommand, NoSolutionIsJsonAndExitStatusThree) {
  const Json answer = tune("--max-power 1", 3);
  EXPECT_EQ(answer["feasible"], false);
  EXPECT_GT(answer["nearest_miss"]["power_w"].get<double>(), 1);
}

TEST_F(TuneCommand, ObservationsAreKeptForTheNextQuestion) {
  const std::string kept = (folder_.path() / "kept.csv").string();
  const Json first = tune("--max-power 12 --profiles 8 --observations " + kept);
  EXPECT_EQ(read_sweep(kept).observations.size(), first["profiled"].size());
  const Json second = tune("--max-power 12 --profiles 1 --observations " + kept);
  EXPECT_LE(second["objective"].get<double>(), first["objective"].get<double>());
}

// label: board
TEST_F(TuneCommand, GovernorsOfABoardAreProfiledAndCompared) {
  const std::string board =
      "tune --quiet --format json --device fake:agx-orin --profiles 2 --store " +
      (folder_.path() / "tune.db").string() + " --state-dir " +
      (folder_.path() / "state").string() +
      " --window 5 --settle-window 0.05 --idle 0.1 --batch 4 --governors ";
  const std::string program = " -- " + (testing::build_folder() / "ridgewatt").string() +
                              " fake-run zoo:mobilenet_v2 --batch 4 --device fake:agx-orin --quiet";
  const ProgramResult unknown = run_program(board + "turbo" + program);
  EXPECT_EQ(unknown.status, 2) << unknown.output;
  EXPECT_NE(unknown.output.find("no such governor"), std::string::npos);
  const ProgramResult known = run_program(board + "schedutil" + program);
  ASSERT_EQ(known.status, 0) << known.output;
  const Json answer = Json::parse(known.output);
  ASSERT_FALSE(answer["compared"].empty()) << known.output;
  const Json governor = answer["compared"].back();
  EXPECT_EQ(governor["name"], "governor schedutil");
  EXPECT_GT(governor["time_ms"].get<double>(), 0);
}

TEST_F(TuneCommand, BatchesAreSeparatedByCommas) {
  const ProgramResult result = run_program("tune zoo:lenet5 --device agx-orin --batch 1 4");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.output, HasSubstr("separated by commas"));
  EXPECT_THAT(result.output, HasSubstr("give --batch 1,4"));
}

// label: board
TEST_F(TuneCommand, ThreadsAndBatchAreChosenWithoutAPowerSensor) {
  std::filesystem::create_directories(folder_.path() / "tree/sys/devices/system/cpu");
  folder_.write("tree/sys/devices/system/cpu/online", "0-3\n");
  // A sample takes 8 ms / threads, and each batch 2 ms more.
  const std::string program = folder_.write(
      "program.py",
      "import os, sys, time\n"
      "step, first = 0.008 * int(sys.argv[2]) / int(sys.argv[1]) + 0.002, time.monotonic()\n"
      "time.sleep(12 * step)\n"
      "for i in range(12):\n"
      "  os.write(int(os.environ['RIDGEWATT_MARK_FD']), b'minibatch %.9f\\n' % (first + i * "
      "step))\n");
  const std::string tune = "tune --quiet --device local --sysroot " +
                           (folder_.path() / "tree").string() + " --state-dir " +
                           (folder_.path() / "state").string() + " --store " +
                           (folder_.path() / "tune.db").string() + " --profiles 12 --window 5 ";
  const std::string command = " -- python3 " + program + " ";
  const ProgramResult found =
      run_program(tune + "--batch 1,2,4 --format json" + command + "{threads} {batch}");
  ASSERT_EQ(found.status, 0) << found.output;
  const Json answer = Json::parse(found.output);
  EXPECT_EQ(answer["mode"], Json({{"cpu_cores", 4}}));
  EXPECT_EQ(answer["batch"], 4);
  EXPECT_NEAR(answer["time_ms"].get<double>(), 10, 1e-3);
  EXPECT_EQ(answer["provenance"], "measured");
  EXPECT_TRUE(answer["power_w"].is_null());
  EXPECT_TRUE(answer["search_energy_j"].is_null());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "tune.db"));  // a store needs power values
  const ProgramResult text = run_program(tune + "--batch 1,2" + command + "{threads} {batch}");
  EXPECT_THAT(text.output, HasSubstr("power is unknown: this machine has no power sensor"));
  EXPECT_THAT(text.output, Not(HasSubstr("nan")));
  const ProgramResult limited =
      run_program(tune + "--max-power 10 --batch 1,2" + command + "{threads} {batch}");
  EXPECT_EQ(limited.status, 1);
  EXPECT_THAT(limited.output, HasSubstr("this machine has no power sensor"));
  const ProgramResult nothing = run_program(tune + command + "1 1");
  EXPECT_EQ(nothing.status, 1);
  EXPECT_THAT(nothing.output, HasSubstr("write {threads} in the command"));
}

// label: board
TEST_F(TuneCommand, AVerificationOnABoardGoesOnFromItsStore) {
  const auto verify = [&](const std::string& count) {
    const ProgramResult result = run_program(
        "tune --quiet --format json --device fake:agx-orin --minimize energy --max-slowdown 20% "
        "--model zoo:mobilenet_v2 --batch 4 --verify " +
        count + " --store " + (folder_.path() / "tune.db").string() + " --state-dir " +
        (folder_.path() / "state").string() + " --window 5 --settle-window 0.05 --idle 0.1 -- " +
        (testing::build_folder() / "ridgewatt").string() +
        " fake-run zoo:mobilenet_v2 --batch 4 --device fake:agx-orin --quiet");
    EXPECT_EQ(result.status, 0) << result.output;
    return Json::parse(result.output);
  };
  const Json one = verify("1"), two = verify("2");
  EXPECT_EQ(one["strategy"], "verify");
  EXPECT_EQ(one["provenance"], "fake");
  ASSERT_EQ(one["profiled"].size(), 1U);
  ASSERT_EQ(two["profiled"].size(), 2U);
  for (const char* key : {"mode", "time_ms", "power_w"}) {
    EXPECT_EQ(one["profiled"][0][key], two["profiled"][0][key]);
  }
  EXPECT_THAT(two["profiled"][0]["reason"], HasSubstr("from the store"));
  EXPECT_LE(two["objective"].get<double>(), one["objective"].get<double>());
}

// label: board
TEST_F(TuneCommand, AVerificationByHandSaysWhatToProfileNext) {
  const std::string asked =
      "tune zoo:resnet18 --batch 16 --device agx-orin --minimize energy --max-slowdown 5% ";
  const ProgramResult first = run_program(asked + "--verify 3 --format json");
  ASSERT_EQ(first.status, 0) << first.output;
  const Json next = Json::parse(first.output)["next"];
  ASSERT_EQ(next.size(), 2U);
  EXPECT_EQ(next[0]["mode"]["gpu_mhz"], 1300.5);
  const std::string samples =
      folder_.write("samples.csv",
                    "workload,kind,batch,cpu_cores,cpu_mhz,gpu_mhz,mem_mhz,time_ms,power_w\n"
                    "resnet18,inference,16,12,2201.6,1300.5,3199,20,45\n");
  const ProgramResult second = run_program(asked + "--verify 3 --format json --samples " + samples);
  ASSERT_EQ(second.status, 0) << second.output;
  const Json answer = Json::parse(second.output);
  EXPECT_EQ(answer["time_ms"], 20);
  EXPECT_EQ(answer["next"].size(), 1U);
  const auto without = [&](const std::string& option) {
    const ProgramResult result = run_program(asked + option + " --format json");
    EXPECT_EQ(result.status, 0) << result.output;
    return Json::parse(result.output);
  };
  EXPECT_EQ(without("--verify 0"), without(""));
  for (const char* bad :
       {"--verify -1", "--verify x", "--verify 1.5", "--verify 2000", "--verify 2 --strategy auto",
        "--verify 2 --confidence 0.9", "--verify 2 --profiles 9"}) {
    const ProgramResult result = run_program(asked + bad);
    EXPECT_EQ(result.status, 2) << bad << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

TEST_F(TuneCommand, OptionsOfARealBoardAreRefusedElsewhere) {
  for (const char* option : {"--governors schedutil", "--store x.db", "--window 5"}) {
    for (const std::string& from : {std::string("zoo:lenet5 --device nano"), "--sweep " + sweep_}) {
      const ProgramResult result = run_program("tune " + from + " " + option);
      EXPECT_EQ(result.status, 2) << result.output;
      EXPECT_NE(result.output.find("give --device local"), std::string::npos) << result.output;
    }
  }
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

TEST_F(TuneCommand, APresetBelowTheRequiredConfidenceIsNotSimplyKept) {
  const ProgramResult result =
      run_program("tune zoo:resnet50 --device agx-orin --max-power 20 --confidence 0.95 --wide");
  ASSERT_EQ(result.status, 0) << result.output;
  std::istringstream lines(result.output);
  int seen = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("MODE_30W ") && !line.starts_with("MODE_15W ")) continue;
    ++seen;
    EXPECT_EQ(line.find("met with a probability below 95 %") != std::string::npos,
              line.starts_with("MODE_30W "))
        << line;
  }
  EXPECT_EQ(seen, 2) << result.output;
}

// label: slow
TEST_F(TuneCommand, WithoutAnAnswerItSaysWhatWouldGiveOne) {
  const ProgramResult result = run_program(
      "tune zoo:yolov8n --device orin-nano --batch 1 --format json --arrival-rate 43 --max-power "
      "14");
  ASSERT_EQ(result.status, 3) << result.output;
  const Json json = Json::parse(result.output.substr(0, result.output.rfind("}\n") + 1));
  EXPECT_EQ(result.output.find("--profiles"), std::string::npos) << result.output;
  EXPECT_GE(json["nearest_miss"]["broken"].size(), 1u);
  EXPECT_EQ(json["advice"], "--batch 2 would be enough");
  for (const auto& relaxation : json["relaxations"]) {
    EXPECT_TRUE(relaxation["option"].get<std::string>().starts_with("--")) << relaxation;
  }
}

TEST_F(TuneCommand, WhatDoesNotFitTheMemoryKeepsNoLimit) {
  const auto run = [](const std::string& format) {
    return run_program("tune zoo:vgg16 --device nano --minimize energy -q --format " + format);
  };
  const ProgramResult rows = run("csv");
  EXPECT_EQ(rows.status, 3);
  EXPECT_NE(rows.output.find("\nnearest miss,"), std::string::npos) << rows.output;
  EXPECT_EQ(rows.output.find(",met,"), std::string::npos) << rows.output;
  const ProgramResult json = run("json");
  const Json answer = Json::parse(json.output.substr(0, json.output.rfind('}') + 1));
  EXPECT_EQ(answer["nearest_miss"]["misses"], "does not fit the memory");
  for (const auto& other : answer["compared"]) EXPECT_EQ(other["feasible"], false);
}

// A smaller batch is proposed only if it fits. `estimate` states the memory of each batch.
// label: slow
TEST_F(TuneCommand, ABatchThatIsProposedFits) {
  const auto advice = [](const std::string& arguments) {
    const ProgramResult result = run_program("tune " + arguments + " --device orin-nano-4gb -q");
    EXPECT_EQ(result.status, 3) << result.output;
    return result.output;
  };
  const std::string training = "zoo:resnet50 --training";
  EXPECT_THAT(advice(training), HasSubstr("--batch 2 fits"));
  for (const auto& [batch, fits] : std::map<std::string, bool>{{"2", true}, {"4", false}}) {
    const ProgramResult result = run_program("estimate " + training +
                                             " --device orin-nano-4gb --modes maxn --format json "
                                             "-q --batch " +
                                             batch);
    const Json json = Json::parse(result.output.substr(0, result.output.rfind("}\n") + 1));
    EXPECT_EQ(json["estimates"][0]["fits_memory"], fits) << batch;
  }
  // Not even one image fits.
  const std::string none = advice("zoo:yolov8x --batch 512");
  EXPECT_THAT(none, HasSubstr("choose a board with more memory"));
  EXPECT_EQ(none.find("--batch"), std::string::npos) << none;
}

// Without workers, loading does not overlap: 16 samples of 50 ms take 800 ms more than data in
// memory. The cost of the answer must equal that of `estimate` in the same mode.
TEST_F(TuneCommand, TheLoaderIsThatOfEstimate) {
  const auto ask = [&](const std::string& command, const std::string& loader) {
    const auto found = run_program(command +
                                   " zoo:lenet5 --training --batch 16 --device agx-orin --quiet "
                                   "--format json --workers 0 --loader-time " +
                                   loader);
    EXPECT_EQ(found.status, 0) << found.output;
    return Json::parse(found.output);
  };
  const Json slow = ask("tune", "50"), quick = ask("tune", "0");
  EXPECT_NEAR(slow["time_ms"].get<double>() - quick["time_ms"].get<double>(), 800, 8);
  for (const auto& [answer, loader] : {std::pair(slow, "50"), std::pair(quick, "0")}) {
    const Json& mode = answer["mode"];
    const Json row =
        ask(fmt::format("estimate --modes cores={},cpu={},gpu={},mem={}", mode["cpu_cores"].dump(),
                        mode["cpu_mhz"].dump(), mode["gpu_mhz"].dump(), mode["mem_mhz"].dump()),
            loader)["estimates"][0];
    for (const char* cost : {"time_ms", "power_w", "energy_j"}) {
      EXPECT_NEAR(answer[cost].get<double>() / row[cost].get<double>(), 1, 1e-9) << cost;
    }
  }
  EXPECT_EQ(run_program("tune --sweep " + sweep_ + " --max-power 40 --workers 2").status, 2);
}

// If the board waits for data most of the time, energy is lowest at another clock.
TEST_F(TuneCommand, TheLoaderMovesTheAnswer) {
  const auto gpu_mhz = [&](const std::string& loader) {
    const auto found = run_program(
        "tune zoo:resnet50 --training --device agx-orin --minimize energy --quiet --format json "
        "--workers 1 --loader-time " +
        loader);
    EXPECT_EQ(found.status, 0) << found.output;
    return Json::parse(found.output)["mode"]["gpu_mhz"].get<double>();
  };
  EXPECT_LT(gpu_mhz("200"), gpu_mhz("0"));
}

TEST_F(TuneCommand, AJobIsStatedInHoursToo) {
  const ProgramResult result = run_program(
      "tune zoo:lenet5 --training --device agx-orin --dataset-size 50000 --epochs 10 --format "
      "json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json answer = Json::parse(result.output);
  EXPECT_NEAR(answer["job_time_h"].get<double>() * 3600, answer["job_time_s"].get<double>(), 1e-6);
  EXPECT_NEAR(answer["job_energy_wh"].get<double>() * 3600, answer["job_energy_j"].get<double>(),
              1e-6);
}

TEST_F(TuneCommand, WhatHasNoEffectIsRefused) {
  const std::string twin = "zoo:lenet5 --device nano ", sweep = "--sweep " + sweep_ + " ";
  const std::string fake = "--device fake:orin-nano ";
  for (const auto& arguments :
       std::vector<std::string>{sweep + "--samples " + sweep_,
                                sweep + "--model zoo:lenet5",
                                "zoo:lenet5 " + sweep,
                                sweep + "--max-latency 50",
                                sweep + "--epochs 3",
                                sweep + "--training",
                                sweep + "--strategy random --observations x.csv",
                                sweep + "--strategy gmd --reference x.csv",
                                sweep + "--energy-weight 2",
                                twin + "--profiles 5",
                                twin + "--trace",
                                twin + "--reference x.csv",
                                twin + "--strategy auto --confidence 0.9",
                                "--samples " + sweep_ + " --strategy auto",
                                sweep + "--precision fp16",
                                twin + "--deadline 1h --dataset-size 9 --noise 0.1",
                                twin + "--day-energy 1Wh --dataset-size 9",
                                twin + "--boards 2",
                                twin + "--idle 1",
                                twin + "--guard-time 1",
                                twin + "--verify 4 --near-best 0.9",
                                sweep + "--strict",
                                fake + "--strict -- true",
                                "zoo:lenet5 --device all --strategy gmd --trace",
                                twin + "--runtime all --strategy gmd --trace",
                                fake + "--in-place --confidence 0.9 -- true",
                                fake + "--in-place --min-gain 5% -- true",
                                fake + "--in-place --settle 1 -- true",
                                fake + "--precision fp16 -- true"}) {
    const ProgramResult result = run_program("tune " + arguments);
    EXPECT_EQ(result.status, 2) << arguments << '\n' << result.output;
    EXPECT_NE(result.output.find("has no effect"), std::string::npos) << result.output;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
  }
}

TEST_F(TuneCommand, EveryRowOfCsvSaysWhereItComesFrom) {
  const ProgramResult result = run_program("tune zoo:lenet5 --device orin-nano --format csv");
  ASSERT_EQ(result.status, 0) << result.output;
  const auto lines = split(result.output, '\n');
  for (const char* name : {"workload", "board", "provenance", "runtime", "twin"}) {
    EXPECT_NE(("," + lines[0] + ",").find("," + std::string(name) + ","), std::string::npos)
        << name;
  }
  EXPECT_NE(lines[1].find("pytorch-eager"), std::string::npos) << lines[1];
}

TEST_F(TuneCommand, EvaluationScoresEveryStrategyOnTheSameProblems) {
  const ProgramResult result =
      run_program("evaluate strategies --quiet --training-sweep " + sweep_ +
                  " --only 'energy' --seeds 1 --format json --figures " +
                  (folder_.path() / "figures.svg").string());
  ASSERT_EQ(result.status, 0) << result.output;
  const std::string figures = read_file((folder_.path() / "figures.svg").string());
  for (const char* title : {"Penalty: energy", "Solved: energy", "saved more than it cost"}) {
    EXPECT_NE(figures.find(title), std::string::npos) << title;
  }
  const Json scores = Json::parse(result.output)["rows"];
  ASSERT_GT(scores.size(), 1u);
  for (const auto& score : scores) {
    EXPECT_EQ(score["problems"], scores[0]["problems"]);
    EXPECT_GE(score["mean_penalty_pct"].get<double>(), 0);
    EXPECT_EQ(score["violations_pct"], 0);
  }
}

TEST_F(TuneCommand, EvaluationListsTheScenariosThatExist) {
  const ProgramResult result = run_program("evaluate strategies --quiet --training-sweep " +
                                           sweep_ + " --only foo --seeds 1");
  EXPECT_EQ(result.status, 2) << result.output;
  EXPECT_NE(result.output.find("choose one of all modes, "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("energy within a slowdown"), std::string::npos) << result.output;
}

// `tune` and `estimate` must agree on the same question. MAXN is the fastest mode, and a smaller
// image is faster.
// label: board
TEST(TuneDim, SetsTheImageOfADetectorAsEstimateDoes) {
  const std::string model = "zoo:yolov4_tiny --device nano --batch 1 --quiet --format json";
  const auto tuned = [&](const std::string& dim) {
    const ProgramResult result = run_program("tune " + model + " --minimize time" + dim);
    EXPECT_EQ(result.status, 0) << result.output;
    return Json::parse(result.output)["time_ms"].get<double>();
  };
  const Json estimate = Json::parse(
      run_program("estimate " + model + " --modes maxn --dim image=320").output)["estimates"][0];
  EXPECT_DOUBLE_EQ(tuned(" --dim image=320"), estimate["time_ms"].get<double>());
  EXPECT_LT(tuned(" --dim image=320"), tuned(""));
  EXPECT_EQ(run_program("tune " + model + " --dim image=33").status, 2);
  EXPECT_EQ(run_program("tune --sweep some.csv --dim image=320").status, 2);
}

}  // namespace
}  // namespace ridgewatt::cli
