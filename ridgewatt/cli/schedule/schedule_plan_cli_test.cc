// Tests `schedule plan` if no training fits, and the plan in `schedule simulate`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// One mode. Inference of 4 takes 100 ms at 20 W, training of 16 takes 100 ms at 30 W. At 10
// requests per second, a batch of 4 is complete after 300 ms; the period is 400 ms, and three
// training minibatches fit. A batch of 1 is complete immediately and takes 60 ms; the period is
// 100 ms, and no training minibatch fits.
class PlanOfTwo : public ::testing::Test {
 protected:
  PlanOfTwo() {
    folder_.write("train.csv",
                  "gpu_mhz,workload,kind,batch,time_ms,power_w\n800,t,training,16,100,30\n");
    folder_.write("infer.csv",
                  "gpu_mhz,workload,kind,batch,time_ms,power_w\n800,i,inference,1,60,15\n"
                  "800,i,inference,4,100,20\n");
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  std::string problem(const std::string& latency) const {
    return "--training-sweep " + path("train.csv") + " --inference-sweep " + path("infer.csv") +
           " --arrival-rate 10 --idle-power 5 --max-latency " + latency + " ";
  }

  const testing::TemporaryFolder folder_;
};

TEST_F(PlanOfTwo, WhereNoTrainingFitsTheLatencyThatAllowsItIsNamed) {
  // The strict bound of a batch of 4 is 300 + 100 + 100 ms; that of a batch of 1 without training
  // is 60 ms.
  const auto run = testing::run_program("schedule plan " + problem("200"));
  EXPECT_EQ(run.status, 3) << run.output;
  EXPECT_THAT(run.output, HasSubstr("no training fits within 200 ms; 500 ms allows 7.5 minibatches "
                                    "per second"));
  const auto json =
      testing::run_program("schedule plan --format json -q " + problem("200") + " 2> /dev/null");
  const Json plan = Json::parse(json.output.substr(0, json.output.rfind('}') + 1));
  EXPECT_EQ(plan["feasible"], false);
  // No training minibatch runs, so inference never waits for one.
  EXPECT_DOUBLE_EQ(plan["nearest_miss"]["latency_ms"], 60);
  EXPECT_EQ(testing::run_program("schedule plan " + problem("500")).status, 0);
  EXPECT_EQ(testing::run_program("schedule plan " + problem("499")).status, 3);
}

// Options given instead of a plan are planned with the same rule.
TEST_F(PlanOfTwo, WhereNoTrainingFitsNothingIsSimulatedOrRun) {
  std::string live = problem("200");
  live.erase(live.find("--idle-power 5 "), 15);
  for (const std::string& line :
       {"schedule simulate --duration 5 " + problem("200"),
        "schedule run --duration 50ms --socket " + path("s.sock") + " " + live}) {
    const auto run = testing::run_program(line);
    EXPECT_EQ(run.status, 3) << run.output;
    EXPECT_THAT(run.output, HasSubstr("no training fits within 200 ms; 500 ms allows 7.5"));
  }
}

TEST_F(PlanOfTwo, AnIdlePowerAboveThatOfEveryPointIsRefused) {
  const auto with = [&](const char* power) {
    std::string line = problem("600");
    line.replace(line.find("--idle-power 5"), 14, std::string("--idle-power ") + power);
    return testing::run_program("schedule plan " + line);
  };
  const auto refused = with("40");
  EXPECT_EQ(refused.status, 2) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("the idle power of 40 W exceeds the highest power"));
  const auto lowered = with("18");  // inference of one draws 15 W
  EXPECT_EQ(lowered.status, 0) << lowered.output;
  EXPECT_THAT(lowered.output, HasSubstr("given; lower at 1 of 2 points"));
}

// CSV and JSON name the same workload, board and provenance.
TEST_F(PlanOfTwo, ASimulationNamesOneOrigin) {
  for (const char* kind : {"training", "inference"}) {
    const auto made = testing::run_program("sweep example --workload lenet5:" + std::string(kind) +
                                           " -o " + path(std::string(kind) + ".csv"));
    ASSERT_EQ(made.status, 0) << made.output;
  }
  const std::string line = "schedule simulate -q --duration 1 --arrival-rate 1 --training-sweep " +
                           path("training.csv") + " --inference-sweep " + path("inference.csv");
  const auto json = testing::run_program(line + " --format json");
  ASSERT_EQ(json.status, 0) << json.output;
  const Json found = Json::parse(json.output);
  const auto csv = testing::run_program(line + " --format csv");
  for (const char* name : {"workload", "board", "provenance"}) {
    ASSERT_TRUE(found.contains(name)) << name;
    EXPECT_THAT(csv.output, HasSubstr(found[name].get<std::string>())) << name;
  }
  EXPECT_EQ(found["provenance"], "fake");
}

// Training draws 30 W and inference 20 W.
TEST_F(PlanOfTwo, WhereThePowerForbidsTrainingThePowerThatAllowsItIsNamed) {
  const auto miss = [&](const std::string& line) {
    const auto run = testing::run_program("schedule plan " + problem(line));
    EXPECT_EQ(run.status, 3) << run.output;
    return run.output;
  };
  EXPECT_THAT(miss("600 --max-power 25"),
              HasSubstr("no training fits within 600 ms and 25 W; 30 W allows 7.5 minibatches"));
  EXPECT_THAT(miss("200 --max-power 25"), HasSubstr("; 500 ms with 30 W allow 7.5 minibatches"));
  // Not even the inference alone is possible.
  EXPECT_THAT(miss("600 --max-power 5"),
              AllOf(HasSubstr("W over the budget of 5.00 W"), Not(HasSubstr("power 30.00 W"))));
  // A strategy knows only the points that it profiled.
  EXPECT_THAT(miss("600 --max-power 25 --strategy random --profiles 2"),
              HasSubstr("within 600 ms and 25 W at the 2 points that were profiled; 30 W allows"));
}

// A driver that loses nothing when it switches is not worse than one that does.
TEST_F(PlanOfTwo, AnIdealDriverIsNotWorseThanTheNativeOne) {
  for (const char* how : {" --busy-share 0.9,0.7", " --busy-share 1,1", " --interference 0.7",
                          " --interference 1.2"}) {
    const auto run = testing::run_program(
        "schedule simulate -q --format json --duration 60 --sharing native,no-interference " +
        problem("600") + how);
    ASSERT_EQ(run.status, 0) << run.output;
    const Json results = Json::parse(run.output)["results"];
    ASSERT_EQ(results.size(), 2U);
    EXPECT_GE(results[1]["training_throughput"].get<double>() * (1 + 1e-9),
              results[0]["training_throughput"].get<double>())
        << how;
    EXPECT_LE(results[1]["latency_mean_ms"].get<double>(),
              results[0]["latency_mean_ms"].get<double>() * (1 + 1e-9))
        << how;
  }
}

TEST_F(PlanOfTwo, AnOverloadIsSaid) {
  const auto run = testing::run_program(
      "schedule plan --arrival-rate 1000 --idle-power 5 "
      "--max-latency 500 --training-sweep " +
      path("train.csv") + " --inference-sweep " + path("infer.csv"));
  EXPECT_EQ(run.status, 3);
  EXPECT_THAT(run.output, HasSubstr("overload"));
  // 20 W or 15 W all the time: never above the peak.
  std::smatch found;
  ASSERT_TRUE(std::regex_search(run.output, found, std::regex("mean power \\(W\\) +([0-9.]+)")));
  EXPECT_LE(std::stod(found[1]), 20);
}

// If half of the plan is absent, its times are unknown, not 0.
TEST_F(PlanOfTwo, WhatIsNotPlannedHasNoTime) {
  const auto plan_of = [](const std::string& line) {
    const auto run = testing::run_program("schedule plan --format json -q --idle-power 5 " + line);
    EXPECT_EQ(run.status, 0) << run.output;
    return Json::parse(run.output);
  };
  const Json training = plan_of("--training-sweep " + path("train.csv"));
  EXPECT_TRUE(training["latency_ms"].is_null());
  EXPECT_TRUE(training["inference_time_ms"].is_null());
  EXPECT_DOUBLE_EQ(training["training_time_ms"], 100);
  const Json inference = plan_of("--inference-sweep " + path("infer.csv") + " --arrival-rate 10");
  EXPECT_GT(inference["latency_ms"], 0);
  EXPECT_TRUE(inference["training_time_ms"].is_null());
  const auto table =
      testing::run_program("schedule plan -q --format csv --training-sweep " + path("train.csv"));
  EXPECT_THAT(table.output, HasSubstr("worst latency (ms),\n"));
  // No request arrives within a millisecond.
  const auto none =
      testing::run_program("schedule simulate -q --format json --duration 1ms " + problem("600"));
  ASSERT_EQ(none.status, 0) << none.output;
  const Json results = Json::parse(none.output)["results"];
  for (const auto& row : results) {
    ASSERT_EQ(row["requests"], 0);
    for (const char* key : {"latency_mean_ms", "latency_p50_ms", "latency_p99_ms"}) {
      EXPECT_TRUE(row[key].is_null()) << row;
    }
  }
}

TEST_F(PlanOfTwo, ALatencyOfTrainingAloneIsRefused) {
  for (const char* words : {"--arrival-rate 60", "--max-latency 500", "--bound exact"}) {
    const auto run =
        testing::run_program("schedule plan --training-sweep " + path("train.csv") + " " + words);
    EXPECT_EQ(run.status, 2) << words;
    EXPECT_THAT(run.output, HasSubstr("has no effect without --inference-sweep or --inference"));
  }
}

// Only a file that states another kind is refused.
TEST_F(PlanOfTwo, ASweepWithoutAKindTakesItsRole) {
  const std::string rows =
      folder_.write("rows.csv", "batch,gpu_mhz,time_ms,power_w\n1,1000,10,20\n");
  const auto plan = testing::run_program(
      "schedule plan -q --format json --max-power 30 --max-latency 500 "
      "--arrival-rate 10 --keep-outliers --training-sweep " +
      rows + " --inference-sweep " + rows);
  ASSERT_EQ(plan.status, 0) << plan.output;
  const Json found = Json::parse(plan.output);
  EXPECT_EQ(found["inference_time_ms"], 10);
  EXPECT_GE(found["training_minibatches"].size(), 1U);
  const auto swapped = testing::run_program("schedule plan --training-sweep " + path("infer.csv"));
  EXPECT_EQ(swapped.status, 2);
  EXPECT_THAT(swapped.output, HasSubstr("rows of the kind inference"));
}

TEST_F(PlanOfTwo, ASimulationTakesThePlanAndNothingIsTypedAgain) {
  const std::string plan = path("plan.json");
  ASSERT_EQ(
      testing::run_program("schedule plan --format json " + problem("600") + " -o " + plan).status,
      0);
  const std::string how = " --duration 60 --arrivals poisson --format csv -q";
  const auto of_plan = testing::run_program("schedule simulate " + plan + how);
  const auto typed = testing::run_program("schedule simulate " + problem("600") + how);
  EXPECT_EQ(of_plan.status, 0) << of_plan.output;
  EXPECT_EQ(of_plan.output, typed.output);
  EXPECT_THAT(of_plan.output, HasSubstr("managed"));
  const auto both = testing::run_program("schedule simulate " + plan + " --max-power 30" + how);
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.output, HasSubstr("--max-power has no effect with PLAN"));
}

TEST_F(PlanOfTwo, AFileThatIsNoPlanIsRefused) {
  const std::string miss = path("miss.json");
  EXPECT_EQ(
      testing::run_program("schedule plan --format json " + problem("200") + " -o " + miss).status,
      3);
  EXPECT_EQ(testing::run_program("schedule simulate " + miss).status, 3);
  const std::string plan = path("plan.json");
  testing::run_program("schedule plan --format json " + problem("600") + " -o " + plan);
  const Json sound = Json::parse(read_file(plan));
  for (const char* change :
       {R"({"serving": {"inference": {"time_ms": -1}}})", R"({"serving": {"mode": 7}})",
        R"({"serving": {"training": {"minibatches": []}}})", R"({"serving": null})",
        R"({"serving": {"batches": [{"batch": 0, "time_ms": 1, "power_w": 1}]}})",
        R"({"serving": {"arrival_rate_hz": 1e300}})", R"({"serving": {"bound": "loose"}})"}) {
    Json changed = sound;
    changed.merge_patch(Json::parse(change));
    const auto run =
        testing::run_program("schedule simulate " + folder_.write("bad.json", changed.dump()));
    EXPECT_EQ(run.status, 1) << change << run.output;
    EXPECT_THAT(run.output, HasSubstr("bad.json")) << change;
    EXPECT_THAT(run.output, Not(HasSubstr("internal error"))) << change;
  }
}

}  // namespace
}  // namespace ridgewatt::cli
