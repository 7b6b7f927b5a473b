// A plan of models on a board's twin must equal the plan from the CSV of their estimates.
#include <gmock/gmock.h>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kLimits[] = " --arrival-rate 20 --max-latency 1000 --max-power 12 --format json ";

// Estimates as CSV are sweeps, so planning with them must equal planning with the models. The power
// of inference is that without waits for a loader, because a schedule keeps the device busy.
// label: slow
TEST(ScheduleModels, APlanOfModelsIsThatOfTheirEstimates) {
  const testing::TemporaryFolder folder;
  const std::string training = (folder.path() / "training.csv").string();
  const std::string inference = (folder.path() / "inference.csv").string();
  const std::string modes = " --device orin-nano --modes all --format csv -o ";
  ASSERT_EQ(
      testing::run_program("estimate zoo:lenet5 --training --batch 16" + modes + training).status,
      0);
  ASSERT_EQ(
      testing::run_program("estimate zoo:resnet18 --batch 1,4 --loader-time 0" + modes + inference)
          .status,
      0);
  const auto of_csv =
      testing::run_program(std::string("schedule plan --quiet --training-sweep ") + training +
                           " --keep-outliers --inference-sweep " + inference + kLimits);
  const auto of_models = testing::run_program(
      std::string("schedule plan --quiet --training zoo:lenet5 --inference zoo:resnet18 "
                  "--inference-batch 1,4 --device orin-nano") +
      kLimits);
  ASSERT_EQ(of_csv.status, 0) << of_csv.output;
  ASSERT_EQ(of_models.status, 0) << of_models.output;
  const Json csv = Json::parse(of_csv.output), models = Json::parse(of_models.output);
  EXPECT_EQ(models.at("mode"), csv.at("mode"));
  EXPECT_EQ(models.at("batch"), csv.at("batch"));
  EXPECT_EQ(models.at("provenance"), "modelled");
  for (const char* key : {"power_w", "latency_ms", "training_throughput", "mean_power_w"}) {
    const double wanted = csv.at(key);
    EXPECT_NEAR(models.at(key), wanted, 1e-9 * wanted) << key;
  }
  // The answer states the error of the twin, and how likely it meets the limits.
  ASSERT_EQ(models.at("twins").size(), 2U);
  EXPECT_EQ(models.at("twins")[0].at("name"), "zoo:resnet18 inference");
  for (const auto& one : models.at("twins")) {
    EXPECT_THAT(one.at("ground").get<std::string>(), HasSubstr("modelled with the orin-nano"));
    EXPECT_TRUE(one.contains("twin_error"));
  }
  ASSERT_EQ(models.at("limits").size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(models.at("limits")[i].at("limit"),
              std::vector<std::string>({"power", "latency", "time between batches"})[i]);
  }
  for (const auto& one : models.at("limits")) {
    EXPECT_GT(one.at("confidence"), 0.4);
    EXPECT_LE(one.at("confidence"), 1);
  }
  EXPECT_TRUE(csv.at("twins").empty());
  EXPECT_FALSE(csv.contains("limits"));
}

// label: slow
TEST(ScheduleModels, APlanMeetsItsLimitsWithTheRequiredProbability) {
  const auto planned = [](const std::string& words) {
    const auto run = testing::run_program(
        "schedule plan -q --training zoo:lenet5 --inference zoo:resnet18 --inference-batch 1,4 "
        "--device agx-orin --arrival-rate 20 --max-latency 1000 --format json " +
        words + " 2> /dev/null");
    Json json = Json::parse(run.output.substr(0, run.output.rfind('}') + 1));
    json["status"] = run.status;
    return json;
  };
  const auto least = [](const Json& plan) {
    double lowest = 1;
    for (const auto& one : plan.at("limits")) {
      lowest = std::min(lowest, one.at("confidence").get<double>());
    }
    return lowest;
  };
  const Json usual = planned("--max-power 20"), sure = planned("--max-power 20 --confidence 0.95");
  EXPECT_LT(least(usual), 0.95);
  ASSERT_EQ(sure.at("status"), 0) << sure;
  EXPECT_GE(least(sure), 0.95);
  EXPECT_LT(sure.at("power_w"), usual.at("power_w"));
  EXPECT_LT(sure.at("training_throughput"), usual.at("training_throughput"));
  // No mode is sure to stay within the power that the most frugal one is estimated to need.
  const double least_w = planned("--max-power 1").at("nearest_miss").at("power_w");
  const Json none = planned("--confidence 0.9999 --max-power " + std::to_string(1.001 * least_w));
  EXPECT_EQ(none.at("status"), 3);
  EXPECT_THAT(none.at("nearest_miss").at("misses").get<std::string>(),
              HasSubstr("0.9999 is required"));
}

TEST(ScheduleModels, WhatCannotBeIsRefused) {
  const auto refused = [](const std::string& line, const std::string& words) {
    const auto result = testing::run_program("schedule plan " + line);
    EXPECT_EQ(result.status, 2) << line;
    EXPECT_THAT(result.output, HasSubstr(words));
  };
  refused("--device agx-orin --max-power 30", "--device has no effect");
  refused("--training zoo:lenet5 --device agx-orin --inference-batch 4", "--inference-batch");
  refused("--inference zoo:lenet5 --device agx-orin", "--arrival-rate");
  refused("--training zoo:lenet5 --device agx-orin --strategy auto --confidence 0.9",
          "--confidence has no effect with --strategy auto");
  refused("--training-sweep x.csv --confidence 0.9", "--confidence has no effect without");
}

// Training of ResNet-50 at batch 4,096 does not fit into four gigabytes.
TEST(ScheduleModels, WhatDoesNotFitTheMemoryIsNotPlannedWith) {
  const auto result = testing::run_program(
      "schedule plan --training zoo:resnet50 --training-batch 4096 --device orin-nano-4gb "
      "--modes presets");
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("memory"));
}

// Each program fits the 6.5 GB alone. Together they do not.
TEST(ScheduleModels, WhatDoesNotFitTheMemoryTogetherIsNotPlannedWith) {
  const std::string pair =
      " --training zoo:vgg16 --inference zoo:resnet50 --device xavier-nx --modes presets ";
  for (const std::string& line :
       {"schedule plan --arrival-rate 5 --max-latency 60000 --max-power 30" + pair,
        "schedule predict-sharing" + pair}) {
    const auto result = testing::run_program(line);
    EXPECT_EQ(result.status, 1) << result.output;
    EXPECT_THAT(result.output, HasSubstr("the programs together need")) << line;
  }
  const auto alone =
      testing::run_program("schedule plan --training zoo:vgg16 --device xavier-nx --modes presets");
  EXPECT_EQ(alone.status, 0) << alone.output;
}

// A prediction for two programs at once: for models, the twin knows how busy they keep the device;
// for sweeps, the user states it.
TEST(PredictSharing, OfModelsByTheTwin) {
  const auto result = testing::run_program(
      "schedule predict-sharing --quiet --training zoo:resnet18 --inference zoo:resnet50 "
      "--inference-batch 1,8 --device orin-nano --modes 7W,15W --switching 1 --format json");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json rows = Json::parse(result.output).at("rows");
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) {
    EXPECT_EQ(row.at("provenance"), "modelled");
    const double busy = row.at("a_busy_share").get<double>() * row.at("b_busy_share").get<double>();
    EXPECT_GT(busy, 0);
    EXPECT_LE(busy, 1);
    // Not worse than alternating, and not better than if each program had the device alone.
    EXPECT_GE(row.at("factor").get<double>(), 0.5);
    EXPECT_LE(row.at("factor").get<double>(), 1);
    for (const std::string program : {"a", "b"}) {
      const double alone_ms = row.at(program + "_alone_ms");
      EXPECT_NEAR(row.at(program + "_together_ms").get<double>(), alone_ms * (1 + busy),
                  1e-9 * alone_ms);
    }
    // Static power counts once, so the power is less than the sum of both.
    EXPECT_LT(row.at("power_hi_w").get<double>(),
              row.at("a_power_w").get<double>() + row.at("b_power_w").get<double>());
  }
}

TEST(PredictSharing, OfSweepsByTheirBusyShares) {
  const testing::TemporaryFolder folder;
  const auto sweep = [&](const std::string& name, double time_ms, double power_w) {
    folder.write(name, "workload,kind,cpu_cores,time_ms,power_w\n" + name + ",training,4," +
                           std::to_string(time_ms) + "," + std::to_string(power_w) + "\n");
    return (folder.path() / name).string();
  };
  const std::string command =
      "schedule predict-sharing --quiet --format json --keep-outliers "
      "--training-sweep " +
      sweep("a.csv", 20, 25) + " --training-sweep " + sweep("b.csv", 50, 15) +
      " --idle-power 5 --switching 1 ";
  const auto known = testing::run_program(command + "--busy-share 1,80%");
  ASSERT_EQ(known.status, 0) << known.output;
  const Json row = Json::parse(known.output).at("rows").at(0);
  EXPECT_NEAR(row.at("a_together_ms"), 36, 1e-9);
  EXPECT_NEAR(row.at("b_together_ms"), 90, 1e-9);
  EXPECT_NEAR(row.at("power_w").get<double>(), 5 + 20 / 1.8 + 10 / 1.8, 1e-9);
  EXPECT_NEAR(row.at("turns_ms"), 70, 1e-9);
  const auto unknown = testing::run_program(command);
  ASSERT_EQ(unknown.status, 0) << unknown.output;
  const Json full = Json::parse(unknown.output).at("rows").at(0);
  EXPECT_NEAR(full.at("a_together_ms"), 40, 1e-9);
  EXPECT_NEAR(full.at("a_together_lo_ms"), 20, 1e-9);
  EXPECT_TRUE(full.at("a_busy_share").is_null());
}

TEST(PredictSharing, WhatMeansNothingIsRefused) {
  const auto refused = [](const std::string& line, const std::string& words) {
    const auto result = testing::run_program("schedule predict-sharing " + line);
    EXPECT_EQ(result.status, 2) << line << result.output;
    EXPECT_THAT(result.output, HasSubstr(words)) << line;
  };
  refused("--training zoo:lenet5 --device agx-orin", "two programs");
  refused("", "two programs");
  const std::string pair = "--training zoo:lenet5 --training zoo:lenet5 --device agx-orin ";
  refused(pair + "--busy-share 0.5", "for every program or for none");
  refused(pair + "--busy-share 1.5,0.5", "--busy-share");
  refused(pair + "--switching 0.5", "--switching");
  refused(pair + "--training zoo:lenet5", "two programs");
}

}  // namespace
}  // namespace ridgewatt::cli
