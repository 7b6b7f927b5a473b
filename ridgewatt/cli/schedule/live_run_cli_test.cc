// Tests schedule run with plans that follow the arrivals, and schedule measure-sharing, as
// programs.
#include <gmock/gmock.h>

#include <cstdlib>
#include <set>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

class LiveRun : public ::testing::Test {
 protected:
  LiveRun() {
    run("sweep example --quiet --workload resnet18:training -o " + path("train.csv"));
    run("sweep example --quiet --workload mobilenet_v3_large --batch 1,4,16 -o " +
        path("infer.csv"));
  }
  static testing::ProgramResult run(const std::string& line) { return testing::run_program(line); }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string sweeps() const {
    return " --training-sweep " + path("train.csv") + " --inference-sweep " + path("infer.csv") +
           " --max-latency 500 --max-power 30 ";
  }
  static void expect_refused(const std::string& line, const std::string& words) {
    const auto result = testing::run_program(line);
    EXPECT_EQ(result.status, 2) << line << "\n" << result.output;
    EXPECT_THAT(result.output, HasSubstr(words)) << line;
  }

  testing::TemporaryFolder folder_;
};

// The schedule starts the programs, which kill themselves and are started again.
// label: board
TEST_F(LiveRun, StartsItsProgramsAgain) {
  const std::string script = folder_.write("worker.py", R"(
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
import ridgewatt
kind = os.environ["RIDGEWATT_KIND"]
with ridgewatt.Worker(kind, os.environ["RIDGEWATT_NAME"]) as worker:
    if kind == "inference":
        assert worker.count()
    try:
        for i in range(1000000):
            if kind == "inference":
                time.sleep(0.02)
                worker.arrived(2, 0.001)
            with worker.minibatch():
                time.sleep(0.002)
            if kind == "training" and i == 20:
                os.kill(os.getpid(), signal.SIGKILL)
    except ridgewatt.ControllerGone:
        pass
)");
  const std::string command = R"(command = ["python3", ")" + script + R"(", ")" +
                              (testing::source_folder() / "python").string() + "\"]\n";
  folder_.write("p.toml",
                "[[inference]]\nname = \"net\"\nsweep = \"infer.csv\"\n"
                "max_latency_ms = 500\narrival_rate_hz = 50\n" +
                    command + "[[training]]\nname = \"t\"\nsweep = \"train.csv\"\n" + command);
  const auto result =
      run("schedule run --quiet --format json --max-power 30 --duration 5 --socket " + path("s") +
          " --log " + path("g.csv") + " --programs " + path("p.toml"));
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  EXPECT_GE(json.at("deaths").get<int>() + json.at("restarts").get<int>(), 1) << result.output;
  EXPECT_GE(json.at("restarts").get<int>(), 1);
  const Json& program = json.at("programs").at(0);
  EXPECT_EQ(program.at("name"), "net");
  EXPECT_GT(program.at("requests").get<int>(), 10);
  EXPECT_EQ(program.at("workers"), 1);
  EXPECT_GT(json.at("training_minibatches").get<int>(), 20);
  EXPECT_THAT(read_file(path("g.csv")), HasSubstr("outcome,requests,aside"));
}

// label: board
TEST_F(LiveRun, WhatHasNoEffectIsRefused) {
  const std::string end = " --duration 50ms --socket " + path("s");
  expect_refused("schedule run --speed 2" + end, "--speed");
  expect_refused("schedule run --replan --batch 4" + sweeps() + end, "--batch");
  expect_refused("schedule run --replan --no-restart" + sweeps() + end, "--no-restart");
  expect_refused("schedule run --replan --max-latency 500" + end, "--inference-sweep");
  expect_refused("schedule run --replan --inference-sweep " + path("infer.csv") + end,
                 "--max-latency");
  folder_.write("p.toml",
                "[[inference]]\nname = \"a\"\nsweep = \"infer.csv\"\nmax_latency_ms = 500\n");
  expect_refused("schedule run --arrival-rate 3 --programs " + path("p.toml") + end,
                 "--arrival-rate");
  EXPECT_EQ(run("schedule run --quiet --replan" + sweeps() + end).status, 0);
  EXPECT_EQ(run("schedule run --quiet --max-power 1 --programs " + path("p.toml") + end).status, 3);
}

// With a cost of switching, the plan has less time for training, and the run follows the plan.
TEST_F(LiveRun, SwitchesAreInThePlan) {
  const auto training = [&](const std::string& command, const std::string& cost) {
    const auto result =
        run(command + " --quiet --format json --arrival-rate 20 --max-latency 2000 --max-power 40" +
            " --training-sweep " + path("train.csv") + " --inference-sweep " + path("infer.csv") +
            " --switch-cost " + cost);
    EXPECT_EQ(result.status, 0) << result.output;
    const Json json = Json::parse(result.output);
    const Json& row = json.contains("rows") ? json.at("rows").at(0) : json;
    return row.at("training_throughput").get<double>();
  };
  EXPECT_LT(training("schedule plan", "60"), 0.9 * training("schedule plan", "0"));
}

// Two programs that sleep do not disturb each other. If a busy machine keeps them apart, the
// command says that nothing could be measured.
// label: board
TEST_F(LiveRun, SharingIsMeasured) {
  ::setenv("RIDGEWATT_FAKE", path("fake").c_str(), 1);
  const std::string script = folder_.write("sleeper.py", R"(
import sys, time
sys.path.insert(0, sys.argv[1])
import ridgewatt
with ridgewatt.Worker("training", sys.argv[2]) as worker:
    try:
        while True:
            with worker.minibatch():
                time.sleep(float(sys.argv[3]))
    except ridgewatt.ControllerGone:
        pass
)");
  const auto worker = [&](const std::string& arguments) {
    return " 'python3 " + script + " " + (testing::source_folder() / "python").string() + " " +
           arguments + "'";
  };
  const auto result =
      run("schedule measure-sharing --quiet --format json --duration 6 --rounds 3 "
          "--device fake:agx-orin --socket " +
          path("s") + worker("x 0.01") + worker("y 0.015"));
  ::unsetenv("RIDGEWATT_FAKE");
  if (result.status == 3) return;
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  const Json& rows = json.is_array() ? json : json.at("rows");
  EXPECT_EQ(rows.at(0).at("quantity"), "interference factor");
  EXPECT_EQ(rows.at(0).at("provenance"), "fake");
  EXPECT_LT(rows.at(0).at("value").get<double>(), 1.2);
  EXPECT_GT(rows.at(0).at("value").get<double>(), 0.2);
  std::set<std::string> names;
  for (const auto& row : rows) names.insert(row.at("quantity").get<std::string>());
  for (const char* name : {"x alone", "y alone", "x with both running", "power in turns"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

// label: board
TEST_F(LiveRun, SharingOfProgramsThatDoNotCome) {
  const auto result =
      run("schedule measure-sharing --quiet --duration 5 --start-within 1 --socket " + path("s") +
          " true false");
  EXPECT_EQ(result.status, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("did not both connect"));
}

}  // namespace
}  // namespace ridgewatt::cli
