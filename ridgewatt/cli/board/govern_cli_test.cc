// Tests ridgewatt govern: a job on a fake board, simulated days, and rejected input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/base/text.h"
#include "ridgewatt/io/csv.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/platform/fake_board_support.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

class GovernCommand : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

// label: board
TEST_F(GovernCommand, ADayIsPlayedOnTheTwin) {
  const std::string day =
      "govern --simulate --device agx-orin --model zoo:resnet50 -q --format json ";
  const auto budget = testing::run_program(day + "--day-energy 400Wh");
  ASSERT_EQ(budget.status, 0) << budget.output;
  const Json held = Json::parse(budget.output);
  EXPECT_EQ(held["provenance"], "modelled");
  EXPECT_EQ(held["held"], true);
  EXPECT_NEAR(held["energy_wh"].get<double>(), 400, 12);
  const std::string log = (folder_.path() / "log.csv").string();
  const auto again = testing::run_program(day + "--day-energy 400Wh --log " + log);
  EXPECT_EQ(budget.output, again.output) << "by the seed";
  const CsvTable steps = parse_csv(read_file(log), log);
  const std::string& total = steps.rows.back()[steps.require_column("energy_j")];
  EXPECT_NEAR(*parse_double(total), held["energy_j"].get<double>(), 100) << "rests count";
  // The log, in which some steps have no minibatch, is also an input.
  EXPECT_EQ(testing::run_program("report -o " + log + ".html " + log).status, 0);
  const auto job = testing::run_program(day + "--deadline 6h --minibatches 500000");
  ASSERT_EQ(job.status, 0) << job.output;
  EXPECT_LE(Json::parse(job.output)["end_s"].get<double>(), 1.02 * 6 * 3600);
}

// label: board
TEST_F(GovernCommand, AGoalThatCannotBeReachedIsSaidAtTheStart) {
  const auto day = [&](const std::string& goal) {
    return testing::run_program("govern --simulate --device agx-orin --model zoo:resnet50 " + goal)
        .output;
  };
  const std::string late = day("--deadline 10min --minibatches 500000");
  EXPECT_THAT(late, HasSubstr("the deadline cannot be met: the fastest mode is expected to end the "
                              "job after"));
  EXPECT_THAT(late, HasSubstr("not 10 min 0 s; the job continues"));
  EXPECT_THAT(day("--max-power 1"), HasSubstr("the power cap of 1 W cannot be met"));
  EXPECT_THAT(day("--day-energy 1Wh --hours 24"), HasSubstr("budget of 1 Wh cannot be met"));
  EXPECT_THAT(day("--max-latency 0.1ms --arrival-rate 1"), HasSubstr("limit of 0.1 ms cannot be"));
  EXPECT_THAT(day("--deadline 6h --minibatches 1000"), ::testing::Not(HasSubstr("cannot")));
}

// Energy and mean power count until the deadline, so the mean power is below the board's 60 W.
// label: board
TEST_F(GovernCommand, TheMeanPowerIsThatUntilTheDeadline) {
  const std::string day =
      "govern --simulate --device agx-orin --model zoo:resnet18 --training --deadline 2h "
      "--minibatches 20000 -q --format ";
  const auto table = testing::run_program(day + "csv --columns end_s,energy_wh,power_w");
  ASSERT_EQ(table.status, 0) << table.output;
  const auto row = split(split(table.output, '\n')[1], ',');
  ASSERT_EQ(row.size(), 3u) << table.output;
  EXPECT_LT(*parse_double(row[0]), 3600) << "the job is done long before";
  EXPECT_NEAR(*parse_double(row[2]), *parse_double(row[1]) / 2, 1e-6);
  EXPECT_LT(*parse_double(row[2]), 60);
  const auto text = testing::run_program(
      "govern --simulate --device agx-orin --model zoo:resnet18 --training --deadline 2h "
      "--minibatches 20000");
  EXPECT_THAT(text.output, HasSubstr("energy and mean power cover 7200 s"));
}

// label: board
TEST_F(GovernCommand, WhatMeansNothingIsRefused) {
  const auto refused = [&](const std::string& line, const std::string& why) {
    const auto result = testing::run_program("govern " + line);
    EXPECT_EQ(result.status, 2) << line << result.output;
    EXPECT_THAT(result.output, HasSubstr(why)) << line;
  };
  refused("--simulate --device agx-orin --model zoo:lenet5", "needs a goal");
  refused("--simulate --device agx-orin --model zoo:lenet5 --deadline 6h", "the size of the job");
  refused("--simulate --device agx-orin --model zoo:lenet5 --deadline 25:00 --minibatches 5",
          "time of day");
  refused("--simulate --device agx-orin --day-energy 1kJ", "--model");
  refused("--deadline 6h --minibatches 5 --model zoo:lenet5", "needs a program");
  refused("--simulate --max-latency 50ms --model zoo:lenet5 --device agx-orin", "arrival rate");
  refused(
      "--simulate --device agx-orin --deadline 1h --minibatches 5 --day-energy 1kJ --model "
      "zoo:lenet5",
      "cannot be combined");
}

// If the program fails or never marks a minibatch, this is reported.
TEST_F(GovernCommand, AProgramThatMarksNothingIsSaid) {
  const auto result = testing::run_program(
      "govern --device fake:orin-nano --deadline 1min --minibatches 5 --model zoo:lenet5 --idle 0 "
      "--state-dir " +
      (folder_.path() / "state").string() + " -- false");
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("marked no minibatches"));
}

// A program on a fake board, with the mode before and after.
class GovernLive : public ::testing::Test {
 protected:
  static std::string program() { return (testing::build_folder() / "ridgewatt").string(); }
  std::string govern() const {
    return "govern --quiet --device local --sysroot " + board_.root + " ";
  }
  std::string fake_run(const std::string& what) const {
    return program() + " fake-run --quiet --sysroot " + board_.root + " " + what;
  }
  std::string mode() const {
    return testing::run_program("mode show --format json --sysroot " + board_.root).output;
  }
  std::string gpu_clock() const {
    return board_.sysfs->host_path("/sys/class/devfreq/17000000.gpu/cur_freq");
  }
  // A program of `requests` requests, each with a long prefill and a long decode, that logs the GPU
  // clock of each phase.
  std::string server(int requests) const {
    const std::string folder = board_.folder.path().string();
    const auto phase = [&](const std::string& name, const std::string& run) {
      return "echo begin " + name + " >&$RIDGEWATT_MARK_FD\n" + fake_run(run) + "\ncat " +
             gpu_clock() + " >> " + folder + "/" + name + "\necho end " + name +
             " >&$RIDGEWATT_MARK_FD\n";
    };
    return board_.folder.write(
        "serve.sh", "for i in $(seq " + std::to_string(requests) + "); do\n" +
                        phase("prefill", "zoo:resnet18 --batch 8 --minibatches 3 --speed 2") +
                        phase("decode", "zoo:mobilenet_v2 --minibatches 12 --speed 2") + "done\n");
  }
  std::set<std::string> clocks(const std::string& phase) const {
    std::set<std::string> found;
    for (const auto& line : split(read_file((board_.folder.path() / phase).string()), '\n')) {
      if (!line.empty()) found.insert(std::string(line));
    }
    return found;
  }

  // Runs the program after `before` in the same shell.
  static testing::ProgramResult run_after(const std::string& before, const std::string& arguments) {
    testing::ProgramResult result;
    FILE* pipe = popen((before + "'" + program() + "' " + arguments + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return {127, "cannot start the shell"};
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) result.output += static_cast<char>(c);
    const int status = pclose(pipe);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return result;
  }

  const testing::FakeBoard board_{"orin-nano"};
};

// label: board
TEST_F(GovernLive, EachPhaseRunsInItsMode) {
  const std::string before = mode();
  const auto result = testing::run_program(
      govern() +
      "--phase-mode prefill=gpu=612 --phase-mode decode=gpu=306,cores=2 --least-phase 0 "
      "--format json -- /bin/sh " +
      server(4));
  ASSERT_EQ(result.status, 0) << result.output;
  const Json held = Json::parse(result.output);
  EXPECT_EQ(held["provenance"], "fake");
  EXPECT_EQ(held["minibatches"], 4 * 15);
  EXPECT_EQ(held["switches"], 7);  // the first prefill already has its mode
  EXPECT_GT(held["median_switch_ms"].get<double>(), 0);
  EXPECT_GE(held["longest_switch_ms"].get<double>(), held["median_switch_ms"].get<double>());
  const Json &prefill = held["phases"][0], &decode = held["phases"][1];
  EXPECT_EQ(prefill["phase"], "prefill");
  EXPECT_EQ(prefill["times"], 4);
  EXPECT_EQ(prefill["minibatches"], 12);
  EXPECT_EQ(decode["minibatches"], 48);
  EXPECT_EQ(decode["cpu_cores"], 2);
  EXPECT_GT(decode["energy_j"].get<double>(), 0);
  EXPECT_GT(prefill["power_w"].get<double>(), 3);  // the idle power of the module
  // The clocks that the program itself observed.
  EXPECT_EQ(clocks("prefill"), std::set<std::string>{"612000000"});
  EXPECT_EQ(clocks("decode"), std::set<std::string>{"306000000"});
  EXPECT_EQ(mode(), before);
}

// Files written by `tune llm --phases --format json`. A file without a mode for the phase has a
// mode for all phases.
// label: board
TEST_F(GovernLive, PhasesTakeTheModesOfAnAnswer) {
  const std::string two = board_.folder.write(
      "two.json", R"({"prefill_mode": {"gpu_mhz": 612}, "decode_mode": {"gpu_mhz": 306}})");
  const std::string one = board_.folder.write("one.json", R"({"mode": {"gpu_mhz": 408}})");
  const auto modes = [&](const std::string& prefill, const std::string& decode) {
    const auto result =
        testing::run_program(govern() + "--format json --phase-mode prefill=" + prefill +
                             " --phase-mode decode=" + decode + " -- true");
    EXPECT_EQ(result.status, 0) << result.output;
    const Json phases = Json::parse(result.output).at("phases");
    return std::pair<double, double>(phases[0]["gpu_mhz"], phases[1]["gpu_mhz"]);
  };
  EXPECT_EQ(modes(two, two), (std::pair(612.0, 306.0)));
  EXPECT_EQ(modes(one, two), (std::pair(408.0, 306.0)));
  for (const char* bad :
       {"{}", "[]", "{\"decode_mode\": 3}", "{\"mode\": {\"gpu_mhz\": \"x\"}}", ""}) {
    const std::string file = board_.folder.write("bad.json", bad);
    const auto result = testing::run_program(govern() + "--phase-mode decode=" + file + " -- true");
    EXPECT_EQ(result.status, 1) << bad << result.output;
  }
}

// label: board
TEST_F(GovernLive, PhasesOfAProcessThatRunsAlready) {
  const std::string before = mode(), marks = (board_.folder.path() / "marks").string();
  const auto result = run_after(
      "RIDGEWATT_MARK_FD=3 /bin/sh " + server(3) + " 3>" + marks +
          " >/dev/null 2>&1 & sleep 0.05; ",
      govern() +
          "--phase-mode decode=gpu=306 --phase-mode prefill=gpu=612 --least-phase 0 --pid $! "
          "--format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json held = Json::parse(result.output);
  EXPECT_GE(held["switches"].get<int>(), 3);
  EXPECT_GE(held["phases"][0]["times"].get<int>(), 2);
  EXPECT_TRUE(clocks("decode").contains("306000000"));
  EXPECT_EQ(mode(), before);
}

// A job of three seconds that represent three minutes. Its log has one line per step.
// label: board
TEST_F(GovernLive, AJobIsHeldAndLogged) {
  const std::string before = mode(), log = (board_.folder.path() / "log.csv").string();
  const auto result = testing::run_program(
      govern() +
      "--deadline 3min --minibatches 300 --model zoo:mobilenet_v2 --batch 4 --time-scale 60 "
      "--step 30 --idle 0.2 --format json --log " +
      log + " -- " + fake_run("zoo:mobilenet_v2 --batch 4 --minibatches 1000000 --speed 60"));
  ASSERT_EQ(result.status, 0) << result.output;
  const Json held = Json::parse(result.output);
  EXPECT_EQ(held["how"], "the job is done");
  EXPECT_GE(held["minibatches"].get<double>(), 300);
  EXPECT_GT(held["energy_j"].get<double>(), 0);
  EXPECT_EQ(held["provenance"], "fake");
  EXPECT_EQ(mode(), before);
  const std::string text = read_file(log);
  const auto lines = split(text, '\n');
  ASSERT_GE(lines.size(), 3u);
  EXPECT_TRUE(lines[0].starts_with("begin_s,")) << text;
  EXPECT_TRUE(lines[1].starts_with("0,") || lines[1].starts_with("0.0,")) << text;
}

// On standard output, the header appears only once.
// label: board
TEST_F(GovernLive, ALogOnStandardOutputGrows) {
  const auto result = testing::run_program(
      govern() +
      "--deadline 2min --minibatches 100000 --model zoo:mobilenet_v2 --batch 4 --time-scale 60 "
      "--step 20 --idle 0 --log - -- " +
      fake_run("zoo:mobilenet_v2 --batch 4 --minibatches 200 --speed 60"));
  ASSERT_EQ(result.status, 0) << result.output;
  std::size_t headers = 0;
  for (auto at = result.output.find("begin_s,"); at != std::string::npos;
       at = result.output.find("begin_s,", at + 1)) {
    ++headers;
  }
  EXPECT_EQ(headers, 1u) << result.output;
}

// label: board
TEST_F(GovernLive, AProcessThatRunsAlreadyIsGoverned) {
  const std::string before = mode(), marks = (board_.folder.path() / "marks").string();
  const auto result = run_after(
      "RIDGEWATT_MARK_FD=3 " +
          fake_run("zoo:mobilenet_v2 --batch 4 --minibatches 3000 --speed 60 3>" + marks) +
          " >/dev/null 2>&1 & sleep 0.05; ",
      govern() +
          "--deadline 5min --minibatches 100 --model zoo:mobilenet_v2 --batch 4 "
          "--time-scale 60 --step 30 --format json --pid $!; kill $! && echo runs");
  const auto at = result.output.find('{');
  ASSERT_NE(at, std::string::npos) << result.output;
  const auto end = result.output.rfind('}');
  const Json held = Json::parse(result.output.substr(at, end + 1 - at));
  EXPECT_EQ(held["how"], "the job is done");
  EXPECT_GE(held["minibatches"].get<double>(), 100);
  EXPECT_THAT(result.output.substr(end), HasSubstr("runs"));  // govern must not end it
  EXPECT_EQ(mode(), before);
}

// label: board
TEST_F(GovernLive, WhatCannotBeIsOneLine) {
  const std::string before = mode();
  const auto refused = [&](const std::string& options, int status, const std::string& why) {
    const auto result = testing::run_program(govern() + options);
    EXPECT_EQ(result.status, status) << options << result.output;
    EXPECT_THAT(result.output, HasSubstr(why)) << options;
  };
  refused("--phase-mode decode -- true", 2, "PHASE=MODE");
  refused("--phase-mode =MAXN -- true", 2, "PHASE=MODE");
  refused("--phase-mode decode= -- true", 2, "PHASE=MODE");
  refused("--phase-mode decode=NOTHING -- true", 1, "NOTHING");
  refused("--phase-mode decode=gpu=x -- true", 2, "gpu");
  refused("--phase-mode a=gpu=306 --phase-mode a=gpu=306 -- true", 2, "more than one power mode");
  refused("--phase-mode a=gpu=306", 2, "needs a program");
  refused("--phase-mode a=gpu=306 --deadline 1h -- true", 2, "--deadline");
  refused("--phase-mode a=gpu=306 --pid 1 -- true", 2, "both give a program");
  refused("--phase-mode a=gpu=306 --pid 999999999", 1, "there is no process with this id");
  refused("--phase-mode a=gpu=306 -- false", 1, "status 1");
  refused("--least-phase 3 --deadline 1h --minibatches 5 --model zoo:lenet5 -- true", 2,
          "--least-phase");
  EXPECT_EQ(mode(), before);
}

Json tune(const std::string& goal) {
  const auto result = testing::run_program(
      "tune zoo:resnet18 --training --batch 16 --device agx-orin --format json " + goal);
  EXPECT_EQ(result.status, 0) << result.output;
  return Json::parse(result.output, nullptr, false);
}

// label: board
TEST(TuneJobs, TwoModesAreNoWorseThanOne) {
  const Json found = tune("--dataset-size 50000 --epochs 20 --deadline 4h");
  ASSERT_GE(found["ways"].size(), 4u);
  double best = 0;
  for (const auto& way : found["ways"]) {
    const double energy_j = way["job_energy_j"];
    if (way["way"] == "best mix") best = energy_j;
    EXPECT_GE(energy_j, best * (1 - 1e-9)) << way["way"];
    double samples = 0, time_s = 0;
    for (const auto& part : way["parts"]) {
      samples += part["samples"].get<double>();
      time_s += part["time_s"].get<double>();
    }
    EXPECT_NEAR(samples, 1e6, 16);
    EXPECT_NEAR(time_s, 4 * 3600, 1e-3) << "until the deadline";
  }
  EXPECT_EQ(testing::run_program("tune zoo:resnet18 --training --batch 16 --device agx-orin "
                                 "--dataset-size 50000 --epochs 20 --deadline 1s")
                .status,
            3);
}

TEST(TuneJobs, APeriodAndADayAreAnswered) {
  const Json period = tune("--period 2s --sleep-power 0.5 --sleep-time 1s");
  EXPECT_EQ(period["ways"][0]["way"], "best");
  EXPECT_EQ(period["ways"][0]["wait"], "asleep");
  const Json day = tune("--day-energy 480Wh");
  EXPECT_NEAR(day["question"]["held_power_w"].get<double>(), 20, 1e-9);
  EXPECT_GT(day["question"]["samples_per_hour"].get<double>(), 0);
  EXPECT_EQ(testing::run_program("tune zoo:lenet5 --device agx-orin --day-energy 10Wh").status, 3);
}

TEST(TuneJobs, WhatMeansNothingIsRefused) {
  for (const char* goal :
       {"--deadline 1h", "--deadline 1h --dataset-size 5 --period 1s", "--period 1s --epochs 2",
        "--period 1s --sleep-power 1", "--sleep-time 1s", "--day-energy 1kJ --battery 1kJ",
        "--solar sun.csv", "--period 1s --max-slowdown 5%", "--period 1s --batch 1,2",
        "--period 1s --minimize energy"}) {
    const auto result =
        testing::run_program("tune zoo:lenet5 --device agx-orin " + std::string(goal));
    EXPECT_EQ(result.status, 2) << goal << result.output;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
