// Tests ridgewatt loadbench and pipeline.
#include <gtest/gtest.h>
#include <filesystem>

#include "ridgewatt/base/test_support.h"
#include "ridgewatt/io/json.h"
#include "ridgewatt/pipeline/load_samples.h"

namespace ridgewatt::cli {
namespace {

// label: board
TEST(LoadbenchCommand, PrintsFittedAndPredictedRunsAndMarksItsMinibatches) {
  // Uses a folder on the project's disk, because a file system in memory has no page cache to drop.
  const testing::TemporaryFolder folder(testing::build_folder());
  const std::string data = (folder.path() / "data").string();
  pipeline::generate_samples(data, 160, 9000, 7);
  const std::string arguments =
      data + " --workers 0,1,2 --cache cold --batch 8 --quiet --format json";
  const auto result = testing::run_program("loadbench " + arguments);
  ASSERT_EQ(result.status, 0) << result.output;
  const Json runs = Json::parse(result.output)["runs"];
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1]["use"], "fitted");
  EXPECT_EQ(runs[2]["use"], "predicted");
  for (const auto& run : runs) {
    EXPECT_EQ(run["read_pct"], 100);
    EXPECT_GE(run["resident_after_pct"], 95);  // the kernel may reclaim pages
    EXPECT_GT(run["model_s"], 0);
  }
  // 3 runs of 20 minibatches; the first mark only starts the first minibatch.
  const auto measured = testing::run_program("measure --idle 0 --format json -- sh -c '" +
                                             (testing::build_folder() / "ridgewatt").string() +
                                             " loadbench " + arguments + " >/dev/null'");
  ASSERT_EQ(measured.status, 0) << measured.output;
  const Json minibatches = Json::parse(measured.output)["minibatches"];
  EXPECT_EQ(minibatches["count"].get<int>() + minibatches["excluded"].get<int>(), 59);
  EXPECT_GT(minibatches["fetch_stall_ms"], 0);
  EXPECT_EQ(testing::run_program("loadbench " + (folder.path() / "nothing").string()).status, 1);
}

TEST(PipelineCommand, TellsWhatBindsAndWhatRelieves) {
  const std::string times =
      "pipeline --compute-time 20 --preprocess-time 4 --batch 10 --dataset-size 1000 "
      "--sample-size 0";
  const auto result = testing::run_program(times + " --workers 1 --format json --simulate 2");
  ASSERT_EQ(result.status, 0) << result.output;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["epochs"][2]["binds"], "workers");
  EXPECT_NEAR(json["epochs"][2]["time_s"].get<double>(), 100 * 0.04 + 0.02, 0.02);
  EXPECT_NEAR(json["epochs"][3]["time_s"].get<double>(), json["epochs"][2]["time_s"].get<double>(),
              1e-6);
  EXPECT_NE(json["relief"].get<std::string>().find("workers"), std::string::npos);
  EXPECT_EQ(testing::run_program("pipeline").status, 2);
  // Without MODEL, the options of a board are not the fault.
  EXPECT_NE(
      testing::run_program("pipeline --device agx-orin").output.find("needs exactly one of MODEL"),
      std::string::npos);
  EXPECT_EQ(testing::run_program("pipeline zoo:lenet5 --compute-time 3").status, 2);
  EXPECT_EQ(testing::run_program(times + " --storage tape").status, 2);
}

}  // namespace
}  // namespace ridgewatt::cli
