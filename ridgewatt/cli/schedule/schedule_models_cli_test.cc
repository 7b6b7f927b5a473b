// Plans of models on a board's twin: what the same plan over the estimates' CSV says.
#include <gmock/gmock.h>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/file.h"
#include "ridgewatt/io/json.h"

namespace ridgewatt::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kLimits[] = " --arrival-rate 20 --max-latency 1000 --max-power 12 --format json ";

// Estimates as CSV are sweeps: planning over them is planning over the models.
TEST(ScheduleModels, APlanOfModelsIsThatOfTheirEstimates) {
  const testing::TemporaryFolder folder;
  const std::string training = (folder.path() / "training.csv").string();
  const std::string inference = (folder.path() / "inference.csv").string();
  const std::string modes = " --device orin-nano --modes all --format csv -o ";
  ASSERT_EQ(
      testing::run_program("estimate zoo:lenet5 --training --batch 16" + modes + training).status,
      0);
  ASSERT_EQ(testing::run_program("estimate zoo:resnet18 --batch 1,4" + modes + inference).status,
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
}

// Four gigabytes hold no training of ResNet-50 at batch 4,096.
TEST(ScheduleModels, WhatDoesNotFitTheMemoryIsNotPlannedWith) {
  const auto result = testing::run_program(
      "schedule plan --training zoo:resnet50 --training-batch 4096 --device orin-nano-4gb "
      "--modes presets");
  EXPECT_EQ(result.status, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("memory"));
}

}  // namespace
}  // namespace ridgewatt::cli
