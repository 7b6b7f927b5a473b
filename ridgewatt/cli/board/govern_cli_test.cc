// ridgewatt govern: a job on a fake board, simulated days, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

class GovernCommand : public ::testing::Test {
 protected:
  testing::TemporaryFolder folder_;
};

TEST_F(GovernCommand, ADayIsPlayedOnTheTwin) {
  const std::string day = "govern --simulate --device agx-orin --model zoo:resnet50 --format json ";
  const auto budget = testing::run_program(day + "--day-energy 400Wh");
  ASSERT_EQ(budget.status, 0) << budget.output;
  const Json held = Json::parse(budget.output);
  EXPECT_EQ(held["provenance"], "modelled");
  EXPECT_EQ(held["held"], true);
  EXPECT_NEAR(held["energy_wh"].get<double>(), 400, 12);
  const auto again = testing::run_program(day + "--day-energy 400Wh");
  EXPECT_EQ(budget.output, again.output) << "by the seed";
  const auto job = testing::run_program(day + "--deadline 6h --minibatches 500000");
  ASSERT_EQ(job.status, 0) << job.output;
  EXPECT_LE(Json::parse(job.output)["end_s"].get<double>(), 1.02 * 6 * 3600);
}

TEST_F(GovernCommand, WhatMeansNothingIsRefused) {
  const auto refused = [&](const std::string& line, const std::string& why) {
    const auto result = testing::run_program("govern " + line);
    EXPECT_EQ(result.status, 2) << line << result.output;
    EXPECT_THAT(result.output, HasSubstr(why)) << line;
  };
  refused("--simulate --device agx-orin --model zoo:lenet5", "no goal");
  refused("--simulate --device agx-orin --model zoo:lenet5 --deadline 6h", "the size of the job");
  refused("--simulate --device agx-orin --model zoo:lenet5 --deadline 25:00 --minibatches 5",
          "time of day");
  refused("--simulate --device agx-orin --day-energy 1kJ", "--model");
  refused("--deadline 6h --minibatches 5 --model zoo:lenet5", "no program");
  refused("--simulate --max-latency 50ms --model zoo:lenet5 --device agx-orin", "requests");
  refused(
      "--simulate --device agx-orin --deadline 1h --minibatches 5 --day-energy 1kJ --model "
      "zoo:lenet5",
      "goals of their own");
}

// The program's own failure is said, and marks that never come.
TEST_F(GovernCommand, AProgramThatMarksNothingIsSaid) {
  const auto result = testing::run_program(
      "govern --device fake:orin-nano --deadline 1min --minibatches 5 --model zoo:lenet5 --idle 0 "
      "--state-dir " +
      (folder_.path() / "state").string() + " -- false");
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("marked no minibatches"));
}

Json tune(const std::string& goal) {
  const auto result = testing::run_program(
      "tune zoo:resnet18 --training --batch 16 --device agx-orin --format json " + goal);
  EXPECT_EQ(result.status, 0) << result.output;
  return Json::parse(result.output, nullptr, false);
}

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
